#include "src/format/segments.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/text.h"

namespace pte {
namespace {

// The rules that each kind of container has for the same faults.
struct Rules {
  std::string_view wraps;
  std::string_view beyond_declared;           // but inside the file: the header declares too little
  std::string_view beyond_declared_and_file;  // the row asks for too much
};
constexpr Rules kPteRules{"S4", "H16", "S6"};
constexpr Rules kPtdRules{"D15", "D7", "D16"};

std::string Path(uint32_t index, std::string_view field) { return absl::StrCat("segments[", index, "]", ToAbsl(field)); }

// How many bytes from the base a segment may reach. A data size of 0 beside segments with bytes is how files look whose writer did not know
// the field, so it counts as not declared.
struct Room {
  uint64_t bytes = 0;
  bool declared = false;
};
Room RoomFor(const ContainerHeader& header) {
  const bool undeclared = header.kind == ContainerKind::kPte && header.segment_data_size.value_or(0) == 0;
  if (undeclared) return {header.file_size - header.segment_base_offset, false};
  return {header.segment_data_size.value_or(0), true};
}

absl::Status NoBase(const ContainerHeader& header, const SegmentRow& row) {
  if (header.has_extended_header) {
    return FaultStatus(absl::StatusCode::kDataLoss,
                       {"H12", row.size_field, Path(row.index, ".size"), "the segment has bytes, but the header names no segment base", "0",
                        Number(row.size.value())});
  }
  return FaultStatus(absl::StatusCode::kDataLoss,
                     {"H3", row.size_field, Path(row.index, ".size"),
                      "the segment has bytes, but the file has no extended header to say where", "0", Number(row.size.value())});
}

}  // namespace

absl::StatusOr<FileOffset> PlaceSegment(const ContainerHeader& header, const SegmentRow& row) {
  if (header.segment_base_offset == 0) {
    if (row.size.value() != 0) return NoBase(header, row);
    return FileOffset(0);
  }
  const Rules& rules = header.kind == ContainerKind::kPte ? kPteRules : kPtdRules;
  const FileOffset base(header.segment_base_offset);
  const std::optional<uint64_t> end = CheckedAdd(row.offset.value(), row.size.value());
  if (!end) {
    return FaultStatus(absl::StatusCode::kDataLoss,
                       {std::string(rules.wraps), row.size_field, Path(row.index, ".size"),
                        "the end of the segment cannot be expressed in 64 bits", absl::StrCat("offset + size at most ", Number(UINT64_MAX)),
                        absl::StrCat(Number(row.offset.value()), " + ", Number(row.size.value()))});
  }
  const std::optional<FileOffset> start = Resolve(base, row.offset);
  if (!start) {
    return FaultStatus(absl::StatusCode::kDataLoss,
                       {header.kind == ContainerKind::kPte ? "S5" : "D15", row.offset_field, Path(row.index, ".offset"),
                        "the segment's offset wraps around when the base is added",
                        absl::StrCat("at most ", Number(UINT64_MAX - base.value())), Number(row.offset.value())});
  }
  const Room room = RoomFor(header);
  if (*end <= room.bytes) return *start;
  const bool in_file = *end <= header.file_size - base.value();
  Fault fault{"", row.size_field, Path(row.index, ".size"), "", absl::StrCat("end at most ", Number(room.bytes)), Number(*end)};
  if (!room.declared) {
    fault.rule = "H19";
    fault.what = "the segment ends beyond the file";
    return FaultStatus(absl::StatusCode::kOutOfRange, fault);
  }
  fault.rule = in_file ? rules.beyond_declared : rules.beyond_declared_and_file;
  fault.what = "the segment ends beyond the declared segment data";
  return FaultStatus(absl::StatusCode::kDataLoss, fault);
}

}  // namespace pte
