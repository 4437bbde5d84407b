#include "src/verify/flat_tensor.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/container/keys.h"
#include "src/verify/named_keys.h"
#include "src/verify/segments.h"
#include "src/verify/tensor_shape.h"

namespace pte {
namespace {

using fb::flat_tensor::NamedData;
using fb::flat_tensor::TensorLayout;
using flatbuffers::uoffset_t;

void JudgeSize(Judge& judge, const OpenContainer& container, const NamedData& row, uint64_t bytes) {
  if (row.segment_index() >= container.segments.size()) return;
  const uint64_t size = container.segments[row.segment_index()].size;
  // Packed elements share bytes: how many there are is not for the file to say.
  if (bytes == size || IsPacked(row.tensor_layout()->scalar_type())) return;
  judge.Add(bytes > size ? Severity::kError : Severity::kWarning, "D22", judge.Object(row, NamedData::VT_TENSOR_LAYOUT, "tensor_layout"),
            bytes > size ? "the tensor is larger than its segment" : "the tensor is smaller than its segment",
            absl::StrCat(Number(bytes), " bytes"), Number(size));
}

void JudgeLayout(Judge& judge, const OpenContainer& container, const NamedData& row) {
  const TensorLayout& layout = *row.tensor_layout();
  std::optional<uint64_t> bytes;
  {
    const FieldPath::Part part(judge.path(), "tensor_layout");
    bytes = JudgeShape(judge, ShapeOf(layout), kDirectoryShapes);
  }
  if (bytes) JudgeSize(judge, container, row, *bytes);
}

}  // namespace

absl::Status JudgeFlatTensor(Judge& judge, OpenContainer& container, const fb::FlatTensor& root) {
  std::vector<uint8_t> uses(container.segments.size());
  for (uoffset_t i = 0; i < CountOf(root.named_data()); ++i) {
    const NamedData& row = *root.named_data()->Get(i);
    PTE_RETURN_IF_ERROR(CheckNamedRow(container, row, i, container.segments.size(), kPtdKeyRules));
    if (row.segment_index() < uses.size()) uses[row.segment_index()] = kNamed;
  }
  ForEachTable(judge, "named_data", root.named_data(), [&](uoffset_t, const NamedData& row) {
    if (row.tensor_layout() != nullptr) JudgeLayout(judge, container, row);
  });
  JudgeDuplicateKeys(judge, root.named_data(), kPtdKeyRules.duplicate);
  return JudgeSegments(judge, FieldsOf(container, root.segments()), uses, kPtdSegments);
}

}  // namespace pte
