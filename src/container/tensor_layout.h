// Judging a tensor layout against itself and the bytes it describes.
#ifndef PTE_SRC_CONTAINER_TENSOR_LAYOUT_H_
#define PTE_SRC_CONTAINER_TENSOR_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "pte/segment.h"

namespace pte {

// Where `order` stops to be one of the dimensions each once: the index of an entry that is out of range or a repetition. nullopt: nowhere.
std::optional<size_t> FirstOutOfOrder(std::span<const uint8_t> order, size_t rank);

// kInvalidArgument: an undefined element type, a negative size, a dim_order that is no permutation of the dimensions, or elements that
// do not take up exactly `size` bytes (packed types, whose elements share bytes, apart).
absl::Status CheckTensorLayout(const TensorLayout& layout, uint64_t size);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_TENSOR_LAYOUT_H_
