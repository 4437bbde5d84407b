// Element type, sizes and dim order, for people and for programs.
#ifndef PTE_SRC_CLI_SHAPE_H_
#define PTE_SRC_CLI_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "pte/schema.h"
#include "pte/segment.h"
#include "src/cli/json.h"

namespace pte::cli {

TensorLayout LayoutOf(const fb::Tensor& tensor);
TensorLayout LayoutOf(const fb::bundled::Tensor& tensor);

// How many numbers LayoutText or AddLayout show, and what one takes as JSON in memory.
uint64_t NumbersShown(const TensorLayout& layout);
inline constexpr uint64_t kNumberCost = 32;

// "float32 [2, 8]", "int64 [<=4] order [0]"; the dim order only where it is not the default one.
std::string LayoutText(const TensorLayout& layout, fb::TensorShapeDynamism dynamism = fb::TensorShapeDynamism::STATIC);

// Adds "dtype", "sizes" and "dim_order", null where there is no layout.
void AddLayout(Json& object, const std::optional<TensorLayout>& layout);

// The schema's name of a number, or the number where it has none.
template <class Enum>
Json EnumJson(Enum value, const char* name) {
  return *name == '\0' ? Json(static_cast<int>(value)) : Json(name);
}

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_SHAPE_H_
