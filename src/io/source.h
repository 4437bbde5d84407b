// What the sources share.
#ifndef PTE_SRC_IO_SOURCE_H_
#define PTE_SRC_IO_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "pte/byte_source.h"

namespace pte {

// kOutOfRange unless [offset, offset + length) lies inside a source of `size` bytes.
absl::Status CheckRange(std::string_view name, uint64_t offset, uint64_t length, uint64_t size);

// A source that the caller keeps alive, as the readers take it.
std::shared_ptr<const ByteSource> Unowned(const ByteSource& source);

}  // namespace pte

#endif  // PTE_SRC_IO_SOURCE_H_
