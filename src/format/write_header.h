// Making the head of a container that is written.
#ifndef PTE_SRC_FORMAT_WRITE_HEADER_H_
#define PTE_SRC_FORMAT_WRITE_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "pte/header.h"
#include "pte/layout.h"
#include "src/format/layout.h"

namespace pte {

// The header of a container whose flatbuffer takes up [0, program_size) with `slot` bytes of extended header in it (0: none, and no segment
// has bytes), and whose root table is at `root_offset`.
//   kInvalidArgument  the file would be larger than any file
absl::StatusOr<ContainerHeader> MakeHeader(ContainerKind kind, uint64_t program_size, uint64_t slot, uint32_t root_offset,
                                           const SegmentLayout& segments);

// Writes the header's bytes, from byte 0 to the end of the slot, into `head`, which is as long as that.
void StoreHeader(const ContainerHeader& header, std::span<std::byte> head);

}  // namespace pte

#endif  // PTE_SRC_FORMAT_WRITE_HEADER_H_
