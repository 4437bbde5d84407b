// Finding payloads with equal bytes, in bounded memory and without reading those that cannot be equal.
#ifndef PTE_SRC_IO_COMPARE_H_
#define PTE_SRC_IO_COMPARE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "pte/rope.h"

namespace pte {

// XXH3-64 of the first and the last 4 KiB; of all bytes where there are no more.
absl::StatusOr<uint64_t> EdgeDigest(const Rope& rope);

// Whether two ropes show the same bytes at the same places. Nothing is read.
bool SamePlace(const Rope& a, const Rope& b);

// Whether two ropes of equal size hold the same bytes. Ends at the first difference; reads nothing where both show the same place.
absl::StatusOr<bool> SameBytes(const Rope& a, const Rope& b);

}  // namespace pte

#endif  // PTE_SRC_IO_COMPARE_H_
