#include "src/container/build.h"

#include <utility>

#include "src/base/little_endian.h"
#include "src/base/status_macros.h"
#include "src/format/write_header.h"

namespace pte {
namespace {

constexpr std::string_view kFlatbuffer = "flatbuffer";
constexpr std::string_view kPadding = "padding";

// Appends parts and keeps the place.
class PartList {
 public:
  absl::Status FillTo(uint64_t offset, std::string_view what) {
    if (offset == position_) return absl::OkStatus();
    Rope zeros;
    PTE_RETURN_IF_ERROR(zeros.AppendZeros(offset - position_));
    Append(std::move(zeros), what);
    return absl::OkStatus();
  }

  size_t Append(Rope bytes, std::string_view what) {
    position_ += bytes.size();
    parts_.push_back({std::move(bytes), what});
    return parts_.size() - 1;
  }

  std::vector<OutputPart> Take() { return std::move(parts_); }

 private:
  std::vector<OutputPart> parts_;
  uint64_t position_ = 0;
};

Rope LengthField(uint64_t length) {
  std::vector<std::byte> bytes(sizeof(uint32_t));
  StoreU32(bytes.data(), static_cast<uint32_t>(length));
  return Bytes::FromVector(std::move(bytes));
}

// The flatbuffer, in one part or, with inline bytes behind it, more. Returns the part of each inline payload.
absl::StatusOr<std::vector<size_t>> AppendFlatbuffer(PackedFlatbuffer packed, const std::vector<const Rope*>& inline_bytes,
                                                     PartList& parts) {
  std::vector<size_t> inline_parts;
  parts.Append(Bytes::FromVector(std::move(packed.head)), kFlatbuffer);
  for (size_t i = 0; i < inline_bytes.size(); ++i) {
    if (inline_bytes[i]->empty()) {
      inline_parts.push_back(0);
      continue;
    }
    PTE_RETURN_IF_ERROR(parts.FillTo(packed.inline_offsets[i] - sizeof(uint32_t), kFlatbuffer));
    parts.Append(LengthField(inline_bytes[i]->size()), kFlatbuffer);
    inline_parts.push_back(parts.Append(*inline_bytes[i], "delegate"));
  }
  return inline_parts;
}

void PlacePayload(const LayoutPlan& plan, const std::vector<uint64_t>& inline_offsets, const std::vector<const Rope*>& inline_bytes,
                  PlannedPayload& payload) {
  if (payload.is_inline) {
    payload.file_offset = inline_offsets[payload.segment_index];
    payload.size = inline_bytes[payload.segment_index]->size();
  } else {
    payload.file_offset = plan.segments[payload.segment_index].file_offset;
    payload.size = plan.segments[payload.segment_index].size;
  }
}

}  // namespace

absl::StatusOr<BuiltContainer> BuildParts(ContainerKind kind, PackedFlatbuffer packed, uint64_t header_slot,
                                          const std::vector<const Rope*>& inline_bytes, Assembly assembly, const SegmentLayout& layout) {
  BuiltContainer built;
  LayoutPlan& plan = built.plan;
  PTE_ASSIGN_OR_RETURN(plan.header, MakeHeader(kind, packed.program_size, header_slot, packed.root_offset, layout));
  plan.file_size = plan.header.file_size;
  StoreHeader(plan.header, packed.head);
  const std::vector<uint64_t> inline_offsets = packed.inline_offsets;
  uint64_t payload_bytes = packed.program_size;

  PartList parts;
  PTE_ASSIGN_OR_RETURN(const std::vector<size_t> inline_parts, AppendFlatbuffer(std::move(packed), inline_bytes, parts));
  std::vector<size_t> segment_parts;
  for (size_t i = 0; i < assembly.segments.items().size(); ++i) {
    const SegmentAssembly::Item& item = assembly.segments.items()[i];
    const uint64_t file_offset = plan.header.segment_base_offset + layout.offsets[i];
    plan.segments.push_back({layout.offsets[i], file_offset, item.bytes.size()});
    payload_bytes += item.bytes.size();
    if (plan.header.has_extended_header) PTE_RETURN_IF_ERROR(parts.FillTo(file_offset, kPadding));
    segment_parts.push_back(parts.Append(item.bytes, item.request.name));
  }
  if (plan.header.has_extended_header) PTE_RETURN_IF_ERROR(parts.FillTo(plan.file_size, kPadding));
  plan.padding = plan.file_size - payload_bytes;
  for (PlannedPayload& payload : assembly.payloads) {
    built.part_of_payload.push_back(payload.is_inline ? inline_parts[payload.segment_index] : segment_parts[payload.segment_index]);
    PlacePayload(plan, inline_offsets, inline_bytes, payload);
    if (payload.is_inline) payload.segment_index = 0;
  }
  plan.payloads = std::move(assembly.payloads);
  for (Assembly::Absorbed& source : assembly.absorbed) built.absorbed.push_back({std::move(source.bytes), segment_parts[source.segment]});
  built.parts = parts.Take();
  return built;
}

}  // namespace pte
