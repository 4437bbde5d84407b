#include "src/verify/tensor_shape.h"

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/math.h"
#include "src/container/tensor_layout.h"

namespace pte {
namespace {

using flatbuffers::uoffset_t;

constexpr size_t kMostDimensions = 16;  // of the runtime's tensors
constexpr uint64_t kMostElements = std::numeric_limits<int64_t>::max();
constexpr uint64_t kLargestStride = std::numeric_limits<int32_t>::max();

struct ElementType {
  uint32_t size = 0;  // as the runtime counts it; 0 where there is no such type
  bool is_beyond_schema = false;
  bool is_packed = false;
};

// Element types of the runtime that the schema does not list: bits1x8, bits2x4, bits4x2 and bits8, of one byte each to it.
bool IsBits(int type) { return type >= 18 && type <= 21; }

ElementType MakeType(int number) {
  const auto type = static_cast<fb::ScalarType>(number);
  const bool is_complex = type >= fb::ScalarType::COMPLEX32 && type <= fb::ScalarType::COMPLEX128;
  if (IsBits(number)) return {1, true, number == 19 || number == 20};
  if (DtypeName(type).empty()) return {};
  const std::optional<uint32_t> size = DtypeSize(type);
  return {size.value_or(1), is_complex, !size};
}

// Looked up for every tensor.
inline const ElementType& TypeOf(fb::ScalarType type) {
  static const std::array<ElementType, 256> all = [] {
    std::array<ElementType, 256> types;
    for (int i = INT8_MIN; i <= INT8_MAX; ++i) types[static_cast<uint8_t>(i)] = MakeType(i);
    return types;
  }();
  return all[static_cast<uint8_t>(type)];
}

class ShapeJudge {
 public:
  ShapeJudge(Judge& judge, const ShapeView& shape, const ShapeRules& rules, bool sizes_are_bounds)
      : judge_(judge), shape_(shape), rules_(rules), sizes_are_bounds_(sizes_are_bounds) {}

  std::optional<uint64_t> Run() {
    const uint32_t element = Dtype();
    const bool has_sizes = Sizes();
    const bool has_order = DimOrder();
    if (!has_sizes || element == 0 || !Product(element)) return std::nullopt;
    if (has_order && elements_ > kLargestStride) Strides();
    return has_zero_ ? 0 : elements_ * element;
  }

 private:
  Spot TypeSpot() const { return judge_.Field(*shape_.table, shape_.scalar_type_slot, "scalar_type"); }
  Spot SizesSpot() const { return judge_.Object(*shape_.table, shape_.sizes_slot, "sizes"); }
  Spot OrderSpot() const { return judge_.Object(*shape_.table, shape_.dim_order_slot, "dim_order"); }

  // The size of an element; 0 where there is no such type.
  uint32_t Dtype() {
    const ElementType& type = TypeOf(shape_.scalar_type);
    if (type.size == 0 || type.is_beyond_schema || type.is_packed) ReportDtype(type);
    return type.size;
  }

  [[gnu::cold]] void ReportDtype(const ElementType& type) {
    const std::string number = absl::StrCat(static_cast<int>(shape_.scalar_type));
    if (type.size == 0) judge_.Error(rules_.dtype, TypeSpot(), "no such element type", "from 0 to 29", number);
    if (type.is_beyond_schema) {
      judge_.Warn(rules_.dtype_beyond, TypeSpot(), "an element type that exporters cannot write", "one of the schema's", number);
    }
    if (type.is_packed) {
      judge_.Warn(rules_.dtype_packed, TypeSpot(), "packed elements, which the runtime takes for one byte each", "elements of whole bytes",
                  number);
    }
  }

  bool Sizes() {
    if (shape_.sizes == nullptr || IsRankTooLarge()) return ReportSizes();
    for (uoffset_t i = 0; i < shape_.sizes->size(); ++i) {
      if (shape_.sizes->Get(i) < 0) return ReportNegative(i);
    }
    return true;
  }

  bool IsRankTooLarge() const { return CountOf(shape_.sizes) > kMostDimensions && !rules_.rank.empty(); }

  [[gnu::cold]] bool ReportSizes() {
    if (shape_.sizes == nullptr) {
      judge_.Error(rules_.sizes, SizesSpot(), "the sizes are missing", "a list", "nothing");
    } else {
      judge_.Error(rules_.rank, SizesSpot(), "more dimensions than the runtime has", absl::StrCat("at most ", kMostDimensions),
                   absl::StrCat(shape_.sizes->size()));
    }
    return false;
  }

  [[gnu::cold]] bool ReportNegative(uoffset_t index) {
    const uint64_t offset = judge_.container().OffsetOf(shape_.sizes->Data() + size_t{index} * sizeof(int32_t));
    judge_.Error(rules_.sizes, {offset, "sizes", index}, "a size is negative", "at least 0", absl::StrCat(shape_.sizes->Get(index)));
    return false;
  }

  bool DimOrder() {
    if (shape_.dim_order == nullptr) return ReportNoOrder();
    const size_t rank = CountOf(shape_.sizes);
    if (shape_.sizes == nullptr || IsRankTooLarge()) return false;
    const std::span<const uint8_t> order(shape_.dim_order->data(), shape_.dim_order->size());
    if (order.size() != rank) return ReportOrderLength();
    const std::optional<size_t> bad = FirstOutOfOrder(order, rank);
    return bad ? ReportOrder(order[*bad]) : true;
  }

  [[gnu::cold]] bool ReportNoOrder() {
    judge_.Error(rules_.order_absent, OrderSpot(), "the dim order is missing", "a list", "nothing");
    return false;
  }

  [[gnu::cold]] bool ReportOrderLength() {
    judge_.Error(rules_.order_length, OrderSpot(), "as many entries as there are sizes are needed", absl::StrCat(shape_.sizes->size()),
                 absl::StrCat(shape_.dim_order->size()));
    return false;
  }

  [[gnu::cold]] bool ReportOrder(uint8_t found) {
    judge_.Error(rules_.order, OrderSpot(), "the dim order is no permutation",
                 absl::StrCat("each of the ", shape_.sizes->size(), " dimensions once"), absl::StrCat(int{found}));
    return false;
  }

  // A size of 0 does not make the others' product harmless: strides are products, too.
  bool Product(uint64_t element) {
    bool fits = true;
    for (const int32_t size : *shape_.sizes) {
      has_zero_ = has_zero_ || size == 0;
      if (size != 0) fits = MultiplyBy(elements_, static_cast<uint64_t>(size)) && fits;
    }
    if (!fits || elements_ > kMostElements) {
      return ReportProduct("the number of elements cannot be expressed in 63 bits", absl::StrCat("at most ", kMostElements), "more");
    }
    if (CheckedMultiply(elements_, element)) return true;
    return ReportProduct("the number of bytes cannot be expressed in 64 bits", absl::StrCat("at most ", UINT64_MAX, " bytes"),
                         absl::StrCat(elements_, " elements of ", element));
  }

  [[gnu::cold]] bool ReportProduct(std::string_view what, std::string expected, std::string actual) {
    judge_.Add(sizes_are_bounds_ ? Severity::kWarning : Severity::kError, has_zero_ ? rules_.zero_product : rules_.product, SizesSpot(),
               what, std::move(expected), std::move(actual));
    return false;
  }

  // The runtime's strides have 32 bits.
  void Strides() {
    uint64_t stride = 1;
    for (uoffset_t i = shape_.dim_order->size(); i-- > 1;) {
      const auto size = static_cast<uint64_t>(shape_.sizes->Get(shape_.dim_order->Get(i)));
      if (size != 0) stride *= size;
      if (stride <= kLargestStride) continue;
      judge_.Warn(rules_.strides, SizesSpot(), "a stride does not fit the portable runtime's 32 bits",
                  absl::StrCat("at most ", kLargestStride), absl::StrCat(stride));
      return;
    }
  }

  Judge& judge_;
  const ShapeView& shape_;
  const ShapeRules& rules_;
  bool sizes_are_bounds_;
  bool has_zero_ = false;
  uint64_t elements_ = 1;  // the product of the sizes that are not 0
};

}  // namespace

bool IsPacked(fb::ScalarType type) { return TypeOf(type).is_packed; }

std::optional<uint32_t> RuntimeElementSize(fb::ScalarType type) {
  const uint32_t size = TypeOf(type).size;
  return size == 0 ? std::nullopt : std::optional(size);
}

std::optional<uint64_t> JudgeShape(Judge& judge, const ShapeView& shape, const ShapeRules& rules, bool sizes_are_bounds) {
  return ShapeJudge(judge, shape, rules, sizes_are_bounds).Run();
}

}  // namespace pte
