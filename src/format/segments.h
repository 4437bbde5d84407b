// Placing a container's segments in its file.
#ifndef PTE_SRC_FORMAT_SEGMENTS_H_
#define PTE_SRC_FORMAT_SEGMENTS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "pte/header.h"
#include "src/format/frames.h"

namespace pte {

// One row of the segment table.
struct SegmentRow {
  uint32_t index = 0;
  SegmentOffset offset{0};
  ByteCount size{0};
  uint64_t offset_field = 0;  // where the two numbers stand, from the start of the container; needed for messages alone
  uint64_t size_field = 0;
};

// Where the segment begins in the container, once it is known to lie inside the declared data and the file. A segment without bytes begins
// at the base, or at 0 where there is none.
//   kDataLoss    outside the declared data, or no declared data
//   kOutOfRange  the header does not say how long the data is, and the file is too short
absl::StatusOr<FileOffset> PlaceSegment(const ContainerHeader& header, const SegmentRow& row);

}  // namespace pte

#endif  // PTE_SRC_FORMAT_SEGMENTS_H_
