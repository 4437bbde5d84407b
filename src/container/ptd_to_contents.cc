#include "pte/ptd_file.h"
#include "src/base/status_macros.h"
#include "src/container/file_access.h"
#include "src/container/named_data_state.h"
#include "src/container/to_contents.h"

namespace pte {

absl::StatusOr<PtdContents> PtdFile::ToContents(const ToContentsOptions& options) const {
  return WithoutThrowing([&]() -> absl::StatusOr<PtdContents> {
    const OpenContainer& container = FileAccess::Container(*this);
    PTE_RETURN_IF_ERROR(
        CheckRewritable(container, *fb::FlatTensor::MiniReflectTypeTable(), "D24", flat_tensor().version(), kFlatTensorVersion, options));
    PtdContents contents;
    std::vector<bool> is_used(container.segments.size());
    StoreAccess::KeptPayloads payloads;
    for (const PtdEntry& entry : entries()) {
      is_used[entry.segment_index] = true;
      StoreAccess::AppendKept(contents.named_data, entry.key, SegmentRope(container, entry.segment_index), entry.segment_index,
                              entry.tensor_layout, payloads);
    }
    KeepSegments(container, is_used, contents.kept);
    return contents;
  });
}

}  // namespace pte
