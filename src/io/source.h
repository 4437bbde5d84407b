// What the sources share.
#ifndef PTE_SRC_IO_SOURCE_H_
#define PTE_SRC_IO_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "pte/byte_source.h"
#include "src/base/checked.h"

namespace pte {

// kOutOfRange: [offset, offset + length) does not lie inside a source of `size` bytes.
absl::Status RangeError(std::string_view name, uint64_t offset, uint64_t length, uint64_t size);

// The same, where it does not. `name` is called for the message alone: reads are many, and their names are strings.
template <class Name>
absl::Status CheckRange(Name name, uint64_t offset, uint64_t length, uint64_t size) {
  return RangeInside(offset, length, size) ? absl::OkStatus() : RangeError(name(), offset, length, size);
}

// A source that the caller keeps alive, as the readers take it.
std::shared_ptr<const ByteSource> Unowned(const ByteSource& source);

}  // namespace pte

#endif  // PTE_SRC_IO_SOURCE_H_
