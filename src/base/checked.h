// Arithmetic on numbers that a file gives: nullopt instead of a wrap.
#ifndef PTE_SRC_BASE_CHECKED_H_
#define PTE_SRC_BASE_CHECKED_H_

#include <cstdint>
#include <optional>

namespace pte {

constexpr std::optional<uint64_t> CheckedAdd(uint64_t a, uint64_t b) {
  if (b > UINT64_MAX - a) return std::nullopt;
  return a + b;
}

// Whether [offset, offset + length) lies inside [0, size).
constexpr bool RangeInside(uint64_t offset, uint64_t length, uint64_t size) { return length <= size && offset <= size - length; }

}  // namespace pte

#endif  // PTE_SRC_BASE_CHECKED_H_
