// What the sources share.
#ifndef PTE_SRC_IO_SOURCE_H_
#define PTE_SRC_IO_SOURCE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_source.h"

namespace pte {

// kOutOfRange unless [offset, offset + length) lies inside a source of `size` bytes.
absl::Status CheckRange(std::string_view name, uint64_t offset, uint64_t length, uint64_t size);

// A source that the caller keeps alive, as the readers take it.
std::shared_ptr<const ByteSource> Unowned(const ByteSource& source);

// `length` bytes of memory, uninitialised, at an address that is a multiple of 4096 so that any alignment a file asks for holds in memory
// too.
//   kResourceExhausted  the system has not that much
struct Memory {
  std::shared_ptr<std::byte> bytes;
  std::span<std::byte> span;
};
absl::StatusOr<Memory> AllocateMemory(uint64_t length);

// The same, zeroed, taking up address space only until it is written.
absl::StatusOr<Memory> ReserveZeroed(uint64_t length);

}  // namespace pte

#endif  // PTE_SRC_IO_SOURCE_H_
