#include "src/verify/tensor_shape.h"

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/base/math.h"
#include "src/container/tensor_layout.h"

namespace pte {
namespace {

using flatbuffers::uoffset_t;

constexpr size_t kMostDimensions = 16;  // of the runtime's tensors
constexpr uint64_t kMostElements = std::numeric_limits<int64_t>::max();
constexpr uint64_t kLargestStride = std::numeric_limits<int32_t>::max();

enum class Standing : uint8_t { kUsual, kBeyondSchema, kPacked, kNone };

struct ElementType {
  Standing standing = Standing::kNone;
  uint32_t size = 0;  // as the runtime counts it
};

// Element types of the runtime that the schema does not list: bits1x8, bits2x4, bits4x2 and bits8, of one byte each.
bool IsBits(int type) { return type >= 18 && type <= 21; }

ElementType MakeType(int number) {
  const auto type = static_cast<fb::ScalarType>(number);
  const bool is_complex = type >= fb::ScalarType::COMPLEX32 && type <= fb::ScalarType::COMPLEX128;
  if (IsBits(number)) return {Standing::kBeyondSchema, 1};
  if (DtypeName(type).empty()) return {};
  const std::optional<uint32_t> size = DtypeSize(type);
  if (!size) return {Standing::kPacked, 1};
  return {is_complex ? Standing::kBeyondSchema : Standing::kUsual, *size};
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
    if (has_order && !sizes_are_bounds_ && product_ > kLargestStride) Strides();
    return has_zero_ ? 0 : product_;
  }

 private:
  Spot TypeSpot() const { return judge_.Field(*shape_.table, shape_.scalar_type_slot, "scalar_type"); }
  Spot SizesSpot() const { return judge_.Object(*shape_.table, shape_.sizes_slot, "sizes"); }
  Spot OrderSpot() const { return judge_.Object(*shape_.table, shape_.dim_order_slot, "dim_order"); }

  // The size of an element; 0 where there is no such type.
  uint32_t Dtype() {
    const ElementType& type = TypeOf(shape_.scalar_type);
    if (type.standing != Standing::kUsual) ReportDtype(type.standing);
    return type.size;
  }

  [[gnu::cold]] void ReportDtype(Standing standing) {
    const std::string number = absl::StrCat(static_cast<int>(shape_.scalar_type));
    if (standing == Standing::kNone) {
      judge_.Error(rules_.dtype, TypeSpot(), "no such element type", "from 0 to 29", number);
    } else if (standing == Standing::kBeyondSchema) {
      judge_.Warn(rules_.dtype_beyond, TypeSpot(), "an element type that exporters cannot write", "one of the schema's", number);
    } else {
      judge_.Warn(rules_.dtype_packed, TypeSpot(), "packed elements, which the runtime takes for one byte each", "elements of whole bytes",
                  number);
    }
  }

  bool Sizes() {
    if (shape_.sizes == nullptr || shape_.sizes->size() > kMostDimensions) return ReportSizes();
    for (uoffset_t i = 0; i < shape_.sizes->size(); ++i) {
      if (shape_.sizes->Get(i) < 0) return ReportNegative(i);
    }
    return true;
  }

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
    if (shape_.sizes == nullptr || rank > kMostDimensions) return false;
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
    product_ = element;
    for (const int32_t size : *shape_.sizes) {
      has_zero_ = has_zero_ || size == 0;
      if (size != 0) fits = MultiplyBy(product_, static_cast<uint64_t>(size)) && fits;
    }
    return (fits && product_ <= kMostElements) || ReportProduct();
  }

  [[gnu::cold]] bool ReportProduct() {
    judge_.Add(sizes_are_bounds_ ? Severity::kWarning : Severity::kError, has_zero_ ? rules_.zero_product : rules_.product, SizesSpot(),
               "the product of the sizes cannot be expressed in 63 bits", absl::StrCat("at most ", kMostElements, " bytes"), "more");
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
  uint64_t product_ = 0;  // of the sizes that are not 0, in bytes
};

}  // namespace

std::optional<uint32_t> RuntimeElementSize(fb::ScalarType type) {
  const ElementType& known = TypeOf(type);
  return known.standing == Standing::kNone ? std::nullopt : std::optional(known.size);
}

std::optional<uint64_t> JudgeShape(Judge& judge, const ShapeView& shape, const ShapeRules& rules, bool sizes_are_bounds) {
  return ShapeJudge(judge, shape, rules, sizes_are_bounds).Run();
}

}  // namespace pte
