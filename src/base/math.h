// Arithmetic of alignments: nullopt instead of a wrap. Alignments are at least 1 and need not be powers of two.
#ifndef PTE_SRC_BASE_MATH_H_
#define PTE_SRC_BASE_MATH_H_

#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>

#include "src/base/checked.h"

namespace pte {

// Multiplies `product`, modulo 2^64; false where that made it wrong.
constexpr bool MultiplyBy(uint64_t& product, uint64_t factor) { return !__builtin_mul_overflow(product, factor, &product); }

constexpr std::optional<uint64_t> CheckedMultiply(uint64_t a, uint64_t b) { return MultiplyBy(a, b) ? std::optional(a) : std::nullopt; }

constexpr std::optional<uint64_t> AlignUp(uint64_t value, uint64_t alignment) {
  const uint64_t beyond = value % alignment;
  return beyond == 0 ? std::optional(value) : CheckedAdd(value, alignment - beyond);
}

constexpr std::optional<uint64_t> CheckedLcm(uint64_t a, uint64_t b) { return CheckedMultiply(a / std::gcd(a, b), b); }

// The largest power of two up to `most` that divides `value`; `most`, itself a power of two, for 0.
constexpr uint64_t PowerOfTwoIn(uint64_t value, uint64_t most) { return std::gcd(value, most); }

constexpr bool IsPowerOfTwo(uint64_t value) { return std::has_single_bit(value); }

}  // namespace pte

#endif  // PTE_SRC_BASE_MATH_H_
