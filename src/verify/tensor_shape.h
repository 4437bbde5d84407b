// Sizes, dim order and element type of a tensor, whichever schema describes it.
#ifndef PTE_SRC_VERIFY_TENSOR_SHAPE_H_
#define PTE_SRC_VERIFY_TENSOR_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "flatbuffers/flatbuffers.h"
#include "pte/schema.h"
#include "src/verify/judge.h"

namespace pte {

// A tensor's shape as the flatbuffer has it, and its table, by which a finding names the place.
struct ShapeView {
  fb::ScalarType scalar_type;
  const flatbuffers::Vector<int32_t>* sizes;
  const flatbuffers::Vector<uint8_t>* dim_order;
  const flatbuffers::Table* table;
  flatbuffers::voffset_t scalar_type_slot;
  flatbuffers::voffset_t sizes_slot;
  flatbuffers::voffset_t dim_order_slot;
};

// Of a tensor of any of the schemas, or of a layout.
template <class Tensor>
ShapeView ShapeOf(const Tensor& tensor) {
  return {tensor.scalar_type(),   tensor.sizes(),   tensor.dim_order(),  reinterpret_cast<const flatbuffers::Table*>(&tensor),
          Tensor::VT_SCALAR_TYPE, Tensor::VT_SIZES, Tensor::VT_DIM_ORDER};
}

// The rules by which a kind of container judges shapes.
struct ShapeRules {
  std::string_view sizes;         // absent or negative
  std::string_view product;       // more elements or bytes than 63 bits hold
  std::string_view zero_product;  // the same beside a size of 0
  std::string_view strides;       // not representable in the portable runtime
  std::string_view order_absent;
  std::string_view order_length;
  std::string_view order;         // no permutation
  std::string_view rank;          // empty where any is right
  std::string_view dtype;         // no such type
  std::string_view dtype_beyond;  // the runtime's, but not the schema's or not a writer's
  std::string_view dtype_packed;
};
inline constexpr ShapeRules kProgramShapes{"T1", "T2", "T3", "T4", "T5", "T5", "T5", "T6", "T7", "T8", "T9"};
inline constexpr ShapeRules kDirectoryShapes{"D18", "D22", "D22", "T4", "D18", "D19", "D20", "", "D21", "T8", "T9"};
inline constexpr ShapeRules kBundleShapes{"B7", "B7", "B7", "T4", "B7", "B7", "B7", "B7", "B8", "T8", "T9"};

// Judges the shape, and gives the bytes that the runtime takes such a tensor to have: packed elements count one byte each. nullopt where
// that cannot be said. Where the sizes are upper bounds, a product that is too large is only a warning.
std::optional<uint64_t> JudgeShape(Judge& judge, const ShapeView& shape, const ShapeRules& rules, bool sizes_are_bounds = false);

// Whether elements share bytes, of which the runtime takes one for each.
bool IsPacked(fb::ScalarType type);

// Bytes of one element as the runtime counts them; nullopt for a number that is no element type.
std::optional<uint32_t> RuntimeElementSize(fb::ScalarType type);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_TENSOR_SHAPE_H_
