#include "src/container/assembly.h"

#include <optional>
#include <utility>

#include "src/base/status_macros.h"
#include "src/container/named_data_state.h"

namespace pte {

PlannedPayload& Assembly::AddPayload(PayloadRole role, uint32_t segment, uint64_t alignment) {
  PlannedPayload payload;
  payload.role = role;
  payload.index = segment;
  payload.segment_index = segment;
  payload.alignment = alignment;
  payloads.push_back(std::move(payload));
  return payloads.back();
}

void Assembly::Use(const NamedDataEntry& entry) { segments.Use(StoreAccess::KeptSegment(entry), entry.data()); }

absl::Status Assembly::Place(const NamedDataEntry& entry) {
  const auto [at, is_new] = segment_of_.try_emplace(StoreAccess::PayloadId(entry));
  if (is_new) {
    const std::optional<uint32_t> kept = segments.IndexOf(StoreAccess::KeptSegment(entry), entry.data());
    at->second = kept ? *kept : segments.Append(entry.data(), 1, entry.key());
  }
  PTE_RETURN_IF_ERROR(segments.Align(at->second, entry.alignment(), entry.key()));
  for (const Rope& bytes : StoreAccess::Absorbed(entry)) absorbed.push_back({bytes, at->second});
  lists.named_data.push_back({entry.key(), at->second, entry.tensor_layout()});
  AddPayload(PayloadRole::kNamedData, at->second, entry.alignment()).key = entry.key();
  return absl::OkStatus();
}

absl::StatusOr<SegmentLayout> Assembly::Finish(const LayoutOptions& options) {
  for (const uint32_t segment : segments.Unused()) AddPayload(PayloadRole::kUnused, segment);
  PTE_ASSIGN_OR_RETURN(SegmentLayout layout, segments.Place(options));
  for (size_t i = 0; i < layout.offsets.size(); ++i) lists.segments.push_back({layout.offsets[i], segments.items()[i].bytes.size()});
  return layout;
}

}  // namespace pte
