#include <utility>

#include "src/base/status_macros.h"
#include "src/container/assembly.h"
#include "src/container/build.h"
#include "src/format/wire.h"

namespace pte {

absl::StatusOr<BuiltContainer> BuildPtd(const PtdContents& contents, const LayoutOptions& options) {
  PTE_RETURN_IF_ERROR(CheckLayoutOptions(options));
  Assembly out(contents.kept);
  for (const NamedDataEntry& entry : contents.named_data.entries()) out.Use(entry);
  out.segments.PlaceKept();
  for (const NamedDataEntry& entry : contents.named_data.entries()) PTE_RETURN_IF_ERROR(out.Place(entry));
  PTE_ASSIGN_OR_RETURN(const SegmentLayout layout, out.Finish(options));
  const uint64_t slot = PtdHeaderSlot();
  PTE_ASSIGN_OR_RETURN(PackedFlatbuffer packed, PackFlatTensor(out.lists, {wire::kPtdIdentifier, slot}));
  return BuildParts(ContainerKind::kPtd, std::move(packed), slot, {}, std::move(out), layout);
}

}  // namespace pte
