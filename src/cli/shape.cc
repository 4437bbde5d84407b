#include "src/cli/shape.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace pte::cli {
namespace {

// The runtime allows 16 dimensions; more is damage, of which the beginning is enough.
constexpr size_t kMostShown = 16;

template <class Number>
std::span<const Number> SpanOf(const flatbuffers::Vector<Number>* vector) {
  return vector == nullptr ? std::span<const Number>() : std::span<const Number>(vector->data(), vector->size());
}

template <class Number>
std::string ListText(std::span<const Number> numbers, std::string_view prefix) {
  std::string out = "[";
  for (size_t i = 0; i < std::min(numbers.size(), kMostShown); ++i) {
    if (i != 0) out += ", ";
    out += prefix;
    out += std::to_string(numbers[i]);
  }
  return out + (numbers.size() > kMostShown ? ", ...]" : "]");
}

bool IsDefaultOrder(std::span<const uint8_t> dim_order, size_t rank) {
  if (dim_order.size() != rank) return false;
  for (size_t i = 0; i < rank; ++i) {
    if (dim_order[i] != i) return false;
  }
  return true;
}

std::string DtypeText(fb::ScalarType type) {
  const std::string_view name = DtypeName(type);
  return name.empty() ? absl::StrCat("dtype ", static_cast<int>(type)) : std::string(name);
}

std::string DynamismText(fb::TensorShapeDynamism dynamism) {
  switch (dynamism) {
    case fb::TensorShapeDynamism::STATIC:
    case fb::TensorShapeDynamism::DYNAMIC_BOUND: return "";
    case fb::TensorShapeDynamism::DYNAMIC_UNBOUND: return " unbound";
  }
  return absl::StrCat(" dynamism ", static_cast<int>(dynamism));
}

template <class Tensor>
TensorLayout Layout(const Tensor& tensor) {
  return {tensor.scalar_type(), SpanOf(tensor.sizes()), SpanOf(tensor.dim_order())};
}

template <class Number>
Json ListJson(std::span<const Number> numbers) {
  Json list = Json::array();
  for (const Number number : numbers) list.push_back(number);
  return list;
}

}  // namespace

TensorLayout LayoutOf(const fb::Tensor& tensor) { return Layout(tensor); }
TensorLayout LayoutOf(const fb::bundled::Tensor& tensor) { return Layout(tensor); }

uint64_t NumbersShown(const TensorLayout& layout) { return layout.sizes.size() + layout.dim_order.size(); }

std::string LayoutText(const TensorLayout& layout, fb::TensorShapeDynamism dynamism) {
  const bool bound = dynamism == fb::TensorShapeDynamism::DYNAMIC_BOUND;
  std::string out = DtypeText(layout.scalar_type) + " " + ListText(layout.sizes, bound ? "<=" : "") + DynamismText(dynamism);
  if (!IsDefaultOrder(layout.dim_order, layout.sizes.size())) absl::StrAppend(&out, " order ", ListText(layout.dim_order, ""));
  return out;
}

void AddLayout(Json& object, const std::optional<TensorLayout>& layout) {
  if (!layout) {
    object["dtype"] = nullptr;
    object["sizes"] = nullptr;
    object["dim_order"] = nullptr;
    return;
  }
  const std::string_view name = DtypeName(layout->scalar_type);
  object["dtype"] = name.empty() ? Json(static_cast<int>(layout->scalar_type)) : Json(name);
  object["sizes"] = ListJson(layout->sizes);
  object["dim_order"] = ListJson(layout->dim_order);
}

}  // namespace pte::cli
