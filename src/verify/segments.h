// The rules of the segments as ranges of the file: order, overlap, alignment, gaps and padding (S7 to S12, H18, H20, H21; D25).
#ifndef PTE_SRC_VERIFY_SEGMENTS_H_
#define PTE_SRC_VERIFY_SEGMENTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "src/verify/judge.h"

namespace pte {

// What a segment is used for, one bit each. kPlaceholder says no more than that it is not unused.
enum SegmentUse : uint8_t {
  kUnused = 0,
  kPlaceholder = 1,
  kConstants = 2,
  kMutable = 4,
  kDelegate = 8,
  kNamed = 16,
};

struct SegmentRules {
  std::string_view order;
  std::string_view overlap;
  std::string_view alignment;
  std::string_view gap;
  std::string_view padding;
};
inline constexpr SegmentRules kPteSegments{"S7", "S8", "S9", "S10", "H21"};
inline constexpr SegmentRules kPtdSegments{"D25", "D25", "D25", "D25", "D25"};

// Where a row of the segment table and its fields stand, from the start of the container.
struct RowFields {
  uint64_t row;
  uint64_t offset;
  uint64_t size;
};

template <class DataSegment>
std::vector<RowFields> FieldsOf(const OpenContainer& container, const flatbuffers::Vector<flatbuffers::Offset<DataSegment>>* rows) {
  std::vector<RowFields> out;
  out.reserve(CountOf(rows));
  for (flatbuffers::uoffset_t i = 0; i < CountOf(rows); ++i) {
    const DataSegment* row = rows->Get(i);
    out.push_back(
        {container.OffsetOf(row), container.OffsetOf(row, DataSegment::VT_OFFSET), container.OffsetOf(row, DataSegment::VT_SIZE)});
  }
  return out;
}

// `uses` has one entry a row. Reads the padding between the segments, nothing else.
absl::Status JudgeSegments(Judge& judge, const std::vector<RowFields>& fields, const std::vector<uint8_t>& uses, const SegmentRules& rules);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_SEGMENTS_H_
