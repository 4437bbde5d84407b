// A container that is planned down to the last byte: what planning shows, and the parts that writing writes.
#ifndef PTE_SRC_CONTAINER_BUILD_H_
#define PTE_SRC_CONTAINER_BUILD_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/contents.h"
#include "pte/layout.h"
#include "src/container/assembly.h"
#include "src/flatbuffer/pack.h"
#include "src/io/save_parts.h"

namespace pte {

struct BuiltContainer {
  LayoutPlan plan;

  // The file, from front to back.
  std::vector<OutputPart> parts;

  // Which part holds the bytes of plan.payloads[i].
  std::vector<size_t> part_of_payload;

  // Sources of bytes that are written from elsewhere.
  std::vector<AbsorbedSource> absorbed;
};

// Entries with an external tag are left out.
absl::StatusOr<BuiltContainer> BuildPte(const PteContents& contents, const LayoutOptions& options);
absl::StatusOr<BuiltContainer> BuildPtd(const PtdContents& contents, const LayoutOptions& options);

// What the two have in common: the header, then the parts. `inline_bytes` are the ropes of packed.inline_offsets, in their order.
absl::StatusOr<BuiltContainer> BuildParts(ContainerKind kind, PackedFlatbuffer packed, uint64_t header_slot,
                                          const std::vector<const Rope*>& inline_bytes, Assembly assembly, const SegmentLayout& layout);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_BUILD_H_
