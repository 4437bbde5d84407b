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
  FieldPath() = default;
  FieldPath(const FieldPath&) = delete;
  FieldPath& operator=(const FieldPath&) = delete;

  // One part, for as long as this object lives. Parts end in the opposite order of their beginning.
  class Part {
   public:
    Part(FieldPath& path, std::string_view name) : path_(path), outer_(path.last_), name_(name) { path.last_ = this; }
    Part(FieldPath& path, size_t index) : path_(path), outer_(path.last_), index_(index) { path.last_ = this; }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() { path_.last_ = outer_; }

    // Of an element's part: to another element.
    void MoveTo(size_t index) { index_ = index; }

   private:
    friend class FieldPath;
    FieldPath& path_;
    const Part* outer_;
    std::string_view name_;  // empty for an element
    size_t index_ = 0;
  };

  bool empty() const { return last_ == nullptr; }

  // "execution_plan[0].values[3].val"; "root" at the root.
  std::string Text() const {
    if (empty()) return "root";
    std::vector<const Part*> parts;
    for (const Part* part = last_; part != nullptr; part = part->outer_) parts.push_back(part);
    std::string out;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      if ((*part)->name_.empty()) {
        absl::StrAppend(&out, "[", (*part)->index_, "]");
      } else {
        absl::StrAppend(&out, out.empty() ? "" : ".", ToAbsl((*part)->name_));
      }
    }
    return out;
  }

 private:
  const Part* last_ = nullptr;  // the parts are on the stacks of those who walk, so that entering a field costs next to nothing
};

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_FIELD_PATH_H_
