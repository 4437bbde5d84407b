// Where the segments of a container will stand: pure functions of sizes and options.
#ifndef PTE_SRC_FORMAT_LAYOUT_H_
#define PTE_SRC_FORMAT_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/layout.h"

namespace pte {

// What is asked of one segment's place.
struct SegmentRequest {
  uint64_t size = 0;
  uint64_t alignment = 1;  // absolute, on top of what the options ask for

  // The segment comes from a file, where it stood this far from the base at a place of this alignment.
  std::optional<uint64_t> old_offset = std::nullopt;
  uint64_t old_alignment = 1;

  std::string_view name = {};  // for messages
};

struct SegmentLayout {
  std::vector<uint64_t> offsets;  // from the segment base, parallel to the requests
  uint64_t base_alignment = 1;
  uint64_t data_size = 0;  // the end of the last segment
};

// A place in `what`, an alignment of 1 to 65536.
//   kInvalidArgument  it is not
absl::Status CheckAlignment(std::string_view what, uint64_t alignment);

//   kInvalidArgument  one of the options is out of range; the message names it
absl::Status CheckLayoutOptions(const LayoutOptions& options);

// The least common multiple of two alignments.
//   kInvalidArgument  above 1 MiB; the message names both
absl::StatusOr<uint64_t> JoinAlignments(uint64_t a, std::string_view a_name, uint64_t b, std::string_view b_name);

// Segments follow each other in the order given. Those from a file keep their places as long as all in front of them do; `base_alignment`
// is what that file's base had. Options must have been checked.
//   kInvalidArgument  alignments without a common multiple of at most 1 MiB, or sizes that add up to more than 2^64
absl::StatusOr<SegmentLayout> PlaceSegments(std::span<const SegmentRequest> requests, const LayoutOptions& options,
                                            uint64_t base_alignment);

// How many bytes of a .pte the extended header takes up from byte 8: inserting it must keep every alignment inside the flatbuffer.
uint64_t PteHeaderSlot(uint64_t constant_alignment, uint64_t delegate_alignment);
// The same of a .ptd.
uint64_t PtdHeaderSlot();

}  // namespace pte

#endif  // PTE_SRC_FORMAT_LAYOUT_H_
