// Finding the program inside a bundled program without reading it.
#ifndef PTE_SRC_FLATBUFFER_BUNDLE_H_
#define PTE_SRC_FLATBUFFER_BUNDLE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_source.h"
#include "pte/header.h"

namespace pte {

struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// The bytes of BundledProgram.program, by four small checked reads: the root table's vtable offset, its vtable, the field, the vector's
// length. The one place in the library that follows flatbuffer offsets by hand, since generated accessors need the whole buffer in memory.
//   kDataLoss  no program, or an offset that leads outside the file
absl::StatusOr<ByteRange> FindBundledProgram(const ByteSource& source, const ContainerHeader& header);

// Refuses a verified bundle in which a table, vector or string lies inside the program's bytes, which were not read and show as zeros.
absl::Status CheckNothingInside(std::span<const std::byte> buffer, ByteRange program);

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_BUNDLE_H_
