// Judging a tensor layout against itself and the bytes it describes.
#ifndef PTE_SRC_CONTAINER_TENSOR_LAYOUT_H_
#define PTE_SRC_CONTAINER_TENSOR_LAYOUT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "pte/segment.h"

namespace pte {

// Where `order` stops to be one of the dimensions each once: the index of an entry that is out of range or a repetition. nullopt: nowhere.
inline std::optional<size_t> FirstOutOfOrder(std::span<const uint8_t> order, size_t rank) {
  constexpr size_t kBits = 64;
  std::array<uint64_t, (UINT8_MAX + 1) / kBits> seen{};
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t bit = uint64_t{1} << order[i] % kBits;
    uint64_t& word = seen[order[i] / kBits];
    if (order[i] >= rank || (word & bit) != 0) return i;
    word |= bit;
  }
  return std::nullopt;
}

// kInvalidArgument: an undefined element type, a negative size, a dim_order that is no permutation of the dimensions, or elements that
// do not take up exactly `size` bytes (packed types, whose elements share bytes, apart).
absl::Status CheckTensorLayout(const TensorLayout& layout, uint64_t size);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_TENSOR_LAYOUT_H_
