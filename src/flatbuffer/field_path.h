// The path of the field that a walk is at, kept as parts so that only a failure pays for its text.
#ifndef PTE_SRC_FLATBUFFER_FIELD_PATH_H_
#define PTE_SRC_FLATBUFFER_FIELD_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/text.h"

namespace pte {

class FieldPath {
 public:
  // One part, for as long as this object lives.
  class Part {
   public:
    Part(FieldPath& path, std::string_view name) : path_(path) { path_.parts_.push_back({name, 0}); }
    Part(FieldPath& path, size_t index) : path_(path) { path_.parts_.push_back({{}, index}); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() { path_.parts_.pop_back(); }

   private:
    FieldPath& path_;
  };

  bool empty() const { return parts_.empty(); }

  // "execution_plan[0].values[3].val"; "root" at the root.
  std::string Text() const {
    if (parts_.empty()) return "root";
    std::string out;
    for (const Entry& entry : parts_) {
      if (entry.name.empty()) {
        absl::StrAppend(&out, "[", entry.index, "]");
      } else {
        absl::StrAppend(&out, out.empty() ? "" : ".", ToAbsl(entry.name));
      }
    }
    return out;
  }

 private:
  struct Entry {
    std::string_view name;
    size_t index;
  };
  std::vector<Entry> parts_;
};

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_FIELD_PATH_H_
