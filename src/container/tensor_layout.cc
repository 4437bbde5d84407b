#include "src/container/tensor_layout.h"

#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/base/fault.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"

namespace pte {
namespace {

absl::Status Contradicts(std::string_view what, std::string_view wanted, std::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat("tensor layout: ", ToAbsl(what), "; wanted ", ToAbsl(wanted), ", found ", ToAbsl(found)));
}

absl::Status CheckDimOrder(const TensorLayout& layout) {
  const size_t rank = layout.sizes.size();
  const bool is_permutation = layout.dim_order.size() == rank && !FirstOutOfOrder(layout.dim_order, rank);
  if (is_permutation) return absl::OkStatus();
  return Contradicts("dim_order is no permutation", absl::StrCat("each of the ", rank, " dimensions once"),
                     absl::StrCat("{", absl::StrJoin(layout.dim_order, ", "), "}"));
}

// nullopt: beyond 2^64.
std::optional<uint64_t> BytesOf(const TensorLayout& layout, uint64_t element_size) {
  std::optional<uint64_t> bytes = element_size;
  for (const int32_t size : layout.sizes) {
    if (size == 0) return 0;
    if (bytes) bytes = CheckedMultiply(*bytes, static_cast<uint64_t>(size));
  }
  return bytes;
}

}  // namespace

absl::Status CheckTensorLayout(const TensorLayout& layout, uint64_t size) {
  if (DtypeName(layout.scalar_type).empty()) {
    return Contradicts("no such element type", "one of the format's", absl::StrCat(static_cast<int>(layout.scalar_type)));
  }
  for (const int32_t dim : layout.sizes) {
    if (dim < 0) return Contradicts("a size is negative", "at least 0", absl::StrCat(dim));
  }
  PTE_RETURN_IF_ERROR(CheckDimOrder(layout));
  const std::optional<uint32_t> element_size = DtypeSize(layout.scalar_type);
  if (!element_size) return absl::OkStatus();
  const std::optional<uint64_t> bytes = BytesOf(layout, *element_size);
  if (bytes == size) return absl::OkStatus();
  return Contradicts("the tensor's size is not the payload's", bytes ? absl::StrCat(Number(*bytes), " bytes") : "fewer elements",
                     absl::StrCat(Number(size), " bytes"));
}

}  // namespace pte
