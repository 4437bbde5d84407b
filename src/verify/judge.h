// What every rule needs to report: where in the container, and by which path.
#ifndef PTE_SRC_VERIFY_JUDGE_H_
#define PTE_SRC_VERIFY_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "pte/finding.h"
#include "src/base/text.h"
#include "src/container/open.h"
#include "src/flatbuffer/field_path.h"
#include "src/flatbuffer/schema_walk.h"
#include "src/verify/report.h"

namespace pte {

// The last part of a finding's path, and the offset in the container that it points to.
struct Spot {
  std::optional<uint64_t> offset;
  std::string_view field = {};
  std::optional<size_t> index = std::nullopt;
  bool is_from_root = false;  // the path is `field` alone, wherever the rules are
};

// One container under judgement. Rules push the parts of the path they are at, so that only a finding pays for its text.
class Judge {
 public:
  Judge(const OpenContainer& container, Report& report) : container_(container), report_(report) {}

  // A scalar field; its table's place where it is absent.
  template <class Owner>
  Spot Field(const Owner& table, flatbuffers::voffset_t slot, std::string_view name) const {
    return {container_.OffsetOf(&table, slot), name};
  }
  // The list, text or table that a field leads to; the field's own table where there is none.
  template <class Owner>
  Spot Object(const Owner& table, flatbuffers::voffset_t slot, std::string_view name) const {
    const uint8_t* field = reinterpret_cast<const flatbuffers::Table&>(table).GetAddressOf(slot);
    return {container_.OffsetOf(field == nullptr ? static_cast<const void*>(&table) : Target(field)), name};
  }
  template <class Element>
  Spot Item(const flatbuffers::Vector<Element>& vector, size_t index, std::string_view name) const {
    return {container_.OffsetOf(vector.Data() + index * sizeof(Element)), name, index};
  }

  // `runtime` is for a case of the rule that the runtime treats in a way of its own.
  [[gnu::cold]] void Add(Severity severity, std::string_view rule, const Spot& spot, std::string_view what, std::string expected,
                         std::string actual, std::optional<RuntimeReaction> runtime = std::nullopt) {
    Add({std::string(rule), severity, spot.offset, PathOf(spot), std::string(what), std::move(expected), std::move(actual), runtime});
  }
  // One that counts its offset from the start of the container, and its path from the root there.
  [[gnu::cold]] void Add(Finding finding) {
    if (finding.file_offset) *finding.file_offset += container_.file_offset;
    const bool is_inner = container_.file_offset != 0;
    if (is_inner) finding.path = finding.path == "root" ? "program" : absl::StrCat("program.", finding.path);
    report_.Add(std::move(finding));
  }
  bool Omits(Severity severity) { return report_.Omits(severity); }
  [[gnu::cold]] void Error(std::string_view rule, const Spot& spot, std::string_view what, std::string expected, std::string actual) {
    Add(Severity::kError, rule, spot, what, std::move(expected), std::move(actual));
  }
  [[gnu::cold]] void Warn(std::string_view rule, const Spot& spot, std::string_view what, std::string expected, std::string actual) {
    Add(Severity::kWarning, rule, spot, what, std::move(expected), std::move(actual));
  }
  [[gnu::cold]] void Inform(std::string_view rule, const Spot& spot, std::string_view what, std::string expected, std::string actual) {
    Add(Severity::kInfo, rule, spot, what, std::move(expected), std::move(actual));
  }

  const OpenContainer& container() const { return container_; }
  FieldPath& path() { return path_; }

 private:
  std::string PathOf(const Spot& spot) const {
    std::string out = path_.empty() || spot.is_from_root ? "" : path_.Text();
    if (!spot.field.empty()) absl::StrAppend(&out, out.empty() ? "" : ".", ToAbsl(spot.field));
    if (spot.index) absl::StrAppend(&out, "[", *spot.index, "]");
    return out.empty() ? "root" : out;
  }

  const OpenContainer& container_;
  Report& report_;
  FieldPath path_;
};

// Calls visit(index, table) for each element, with the path there; nullptr is an empty list.
template <class Table, class Visit>
void ForEachTable(Judge& judge, std::string_view name, const flatbuffers::Vector<flatbuffers::Offset<Table>>* tables, Visit visit) {
  const FieldPath::Part list(judge.path(), name);
  FieldPath::Part element(judge.path(), size_t{0});
  for (flatbuffers::uoffset_t i = 0; i < CountOf(tables); ++i) {
    element.MoveTo(i);
    visit(i, *tables->Get(i));
  }
}

inline std::string Below(uint64_t count) { return absl::StrCat("below ", count); }

}  // namespace pte

#endif  // PTE_SRC_VERIFY_JUDGE_H_
