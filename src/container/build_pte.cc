#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/container/assembly.h"
#include "src/container/build.h"
#include "src/container/contents_access.h"
#include "src/container/payload_index.h"
#include "src/format/wire.h"

namespace pte {
namespace {

constexpr std::string_view kConstants = "constants";
constexpr std::string_view kMutableData = "mutable data";
constexpr std::string_view kDelegate = "delegate";

absl::Status CheckListIsEmpty(std::string_view name, bool is_empty) {
  if (is_empty) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("program: ", std::string(name), ": payloads belong to the members of PteContents alone; wanted an empty list here"));
}

absl::Status CheckPayloadLists(const fb::ProgramT& program) {
  PTE_RETURN_IF_ERROR(CheckListIsEmpty("constant_buffer", program.constant_buffer.empty()));
  PTE_RETURN_IF_ERROR(CheckListIsEmpty("backend_delegate_data", program.backend_delegate_data.empty()));
  PTE_RETURN_IF_ERROR(CheckListIsEmpty("segments", program.segments.empty()));
  PTE_RETURN_IF_ERROR(CheckListIsEmpty("constant_segment", program.constant_segment == nullptr));
  PTE_RETURN_IF_ERROR(CheckListIsEmpty("mutable_data_segments", program.mutable_data_segments.empty()));
  return CheckListIsEmpty("named_data", program.named_data.empty());
}

// The pieces added to a list, one after the other behind `bytes`, and their offsets.
absl::Status AppendPieces(const std::vector<Rope>& pieces, uint64_t alignment, Rope& bytes, std::vector<uint64_t>& offsets) {
  for (const Rope& piece : pieces) {
    const std::optional<uint64_t> offset = AlignUp(bytes.size(), alignment);
    if (!offset) return absl::InvalidArgumentError("constants: together larger than any file");
    PTE_RETURN_IF_ERROR(bytes.AppendZeros(*offset - bytes.size()));
    PTE_RETURN_IF_ERROR(bytes.Append(piece));
    offsets.push_back(*offset);
  }
  return absl::OkStatus();
}

class PteBuilder {
 public:
  PteBuilder(const PteContents& contents, const LayoutOptions& options) : contents_(contents), options_(options), out_(contents.kept) {}

  absl::StatusOr<BuiltContainer> Build() {
    PTE_RETURN_IF_ERROR(CheckLayoutOptions(options_));
    PTE_RETURN_IF_ERROR(CheckPayloadLists(contents_.program));
    PlaceKept();
    PTE_RETURN_IF_ERROR(PlaceConstants());
    PTE_RETURN_IF_ERROR(PlaceMutableData());
    PTE_RETURN_IF_ERROR(PlaceDelegates());
    for (const NamedDataEntry& entry : contents_.named_data.entries()) {
      if (entry.external_tag().empty()) PTE_RETURN_IF_ERROR(out_.Place(entry));
    }
    return Finish();
  }

 private:
  void PlaceKept() {
    UseCut(contents_.constants);
    UseCut(contents_.mutable_data);
    for (const DelegatePayload& payload : contents_.delegate_payloads) {
      out_.segments.Use(ContentsAccess::KeptSegment(payload), payload.bytes());
    }
    for (const NamedDataEntry& entry : contents_.named_data.entries()) {
      if (entry.external_tag().empty()) out_.Use(entry);
    }
    out_.segments.PlaceKept();
  }
  void UseCut(const SubsegmentList& list) { out_.segments.Use(ContentsAccess::KeptSegment(list), ContentsAccess::KeptBytes(list)); }
  std::optional<uint32_t> KeptIndex(const DelegatePayload& payload) const {
    return out_.segments.IndexOf(ContentsAccess::KeptSegment(payload), payload.bytes());
  }

  uint64_t ConstantAlignment() const { return std::max(options_.constant_alignment, ContentsAccess::ConstantAlignment(contents_.kept)); }
  uint64_t DelegateAlignment() const { return std::max(options_.delegate_alignment, ContentsAccess::DelegateAlignment(contents_.kept)); }

  absl::Status PlaceConstants() {
    const SubsegmentList& list = contents_.constants;
    out_.lists.constants.offsets = {0};
    if (list.empty() && !ContentsAccess::KeptSegment(list)) {
      // The runtime wants the placeholder, and readers take all of the segment that it names for it: one without bytes.
      out_.lists.constants.segment_index = out_.segments.Append(Rope(), 1, kConstants);
      out_.AddPayload(PayloadRole::kConstants, out_.lists.constants.segment_index);
      return absl::OkStatus();
    }
    return PlaceCut(list, ConstantAlignment(), PayloadRole::kConstants, kConstants, out_.lists.constants);
  }

  absl::Status PlaceMutableData() {
    const SubsegmentList& list = contents_.mutable_data;
    bool has_bytes = false;
    for (const Rope& piece : ContentsAccess::Added(list)) has_bytes = has_bytes || !piece.empty();
    if (!has_bytes && ContentsAccess::KeptOffsets(list).empty()) return absl::OkStatus();
    out_.lists.mutable_data = PayloadLists::Cut{.segment_index = 0, .offsets = {0}};
    return PlaceCut(list, 1, PayloadRole::kMutableData, kMutableData, *out_.lists.mutable_data);
  }

  // A kept segment stays as it is, offsets included; what was added follows it.
  absl::Status PlaceCut(const SubsegmentList& list, uint64_t alignment, PayloadRole role, std::string_view name, PayloadLists::Cut& cut) {
    Rope bytes = ContentsAccess::KeptBytes(list);
    if (!ContentsAccess::KeptOffsets(list).empty()) cut.offsets = ContentsAccess::KeptOffsets(list);
    PTE_RETURN_IF_ERROR(AppendPieces(ContentsAccess::Added(list), alignment, bytes, cut.offsets));
    const std::optional<uint32_t> segment = ContentsAccess::KeptSegment(list);
    const std::optional<uint32_t> kept = out_.segments.IndexOf(segment, ContentsAccess::KeptBytes(list));
    const bool has_added = !ContentsAccess::Added(list).empty();
    if (!kept || (has_added && out_.segments.IsShared(*segment))) {
      cut.segment_index = out_.segments.Append(std::move(bytes), alignment, name);
    } else {
      cut.segment_index = *kept;
      if (has_added) {
        out_.segments.Extend(*kept, std::move(bytes));
        PTE_RETURN_IF_ERROR(out_.segments.Align(*kept, alignment, name));
      }
    }
    out_.AddPayload(role, cut.segment_index, alignment);
    return absl::OkStatus();
  }

  // Segments in the order in which delegates first refer to them; inline entries in the order of the list.
  absl::Status PlaceDelegates() {
    const size_t count = contents_.delegate_payloads.size();
    out_.lists.delegates.resize(count);
    placed_.assign(count, false);
    for (size_t i = 0; i < count; ++i) {
      const DelegatePayload& payload = contents_.delegate_payloads[i];
      if (IsInline(payload)) PlaceInline(i);
      // Before any new one looks for its equal.
      if (const std::optional<uint32_t> kept = KeptIndex(payload)) Remember({{payload.bytes()}, *kept});
    }
    for (const auto& plan : contents_.program.execution_plan) {
      if (plan == nullptr) continue;  // CheckProgram will name it
      for (const auto& delegate : plan->delegates) {
        const bool refers = delegate != nullptr && delegate->processed != nullptr && delegate->processed->index < count;
        if (refers) PTE_RETURN_IF_ERROR(PlaceDelegate(delegate->processed->index));
      }
    }
    for (size_t i = 0; i < count; ++i) PTE_RETURN_IF_ERROR(PlaceDelegate(i));
    return absl::OkStatus();
  }

  bool IsInline(const DelegatePayload& payload) const {
    using Placement = DelegatePayload::Placement;
    if (KeptIndex(payload)) return false;
    return payload.bytes().empty() || payload.placement() == Placement::kInline ||
           (payload.placement() == Placement::kByOptions && options_.inline_delegates);
  }

  void PlaceInline(size_t i) {
    const auto index = static_cast<uint32_t>(inline_bytes_.size());
    inline_bytes_.push_back(&contents_.delegate_payloads[i].bytes());
    out_.lists.inline_sizes.push_back(inline_bytes_.back()->size());
    out_.lists.delegates[i] = {true, index};
    placed_[i] = true;
    AddDelegate(i, index, true);
  }

  absl::Status PlaceDelegate(size_t i) {
    if (placed_[i]) return absl::OkStatus();
    PTE_ASSIGN_OR_RETURN(const uint32_t segment, SegmentOf(contents_.delegate_payloads[i]));
    out_.lists.delegates[i] = {false, segment};
    placed_[i] = true;
    AddDelegate(i, segment, false);
    return absl::OkStatus();
  }

  // A kept one, that of an equal payload, or a new one.
  absl::StatusOr<uint32_t> SegmentOf(const DelegatePayload& payload) {
    if (const std::optional<uint32_t> kept = KeptIndex(payload)) return *kept;
    PTE_ASSIGN_OR_RETURN(const PayloadIndex::Lookup lookup, delegate_index_.Find(payload.bytes()));
    if (lookup.match != nullptr) {
      const uint32_t segment = static_cast<DelegateSegment*>(lookup.match)->segment;
      out_.absorbed.push_back({payload.bytes(), segment});
      return segment;
    }
    return Remember({{payload.bytes(), lookup.edge_digest}, out_.segments.Append(payload.bytes(), 1, kDelegate)});
  }

  struct DelegateSegment : IndexedPayload {
    uint32_t segment = 0;
  };
  uint32_t Remember(DelegateSegment segment) {
    delegate_segments_.push_back(std::move(segment));
    delegate_index_.Insert(delegate_segments_.back());
    return delegate_segments_.back().segment;
  }

  void AddDelegate(size_t i, uint32_t index, bool is_inline) {
    PlannedPayload& planned = out_.AddPayload(PayloadRole::kDelegate, index, is_inline ? DelegateAlignment() : 1);
    planned.index = static_cast<uint32_t>(i);
    planned.is_inline = is_inline;
  }

  absl::StatusOr<BuiltContainer> Finish() {
    PTE_ASSIGN_OR_RETURN(const SegmentLayout layout, out_.Finish(options_));
    PTE_RETURN_IF_ERROR(CheckProgram(contents_.program, out_.lists));
    // A file without a segment byte has no extended header.
    const uint64_t slot = out_.segments.ByteCount() == 0 ? 0 : PteHeaderSlot(options_.constant_alignment, options_.delegate_alignment);
    PTE_ASSIGN_OR_RETURN(PackedFlatbuffer packed,
                         PackProgram(contents_.program, out_.lists, {wire::kPteIdentifier, slot, DelegateAlignment()}));
    return BuildParts(ContainerKind::kPte, std::move(packed), slot, inline_bytes_, std::move(out_), layout);
  }

  const PteContents& contents_;
  const LayoutOptions& options_;
  Assembly out_;
  std::vector<const Rope*> inline_bytes_;
  std::vector<bool> placed_;
  std::deque<DelegateSegment> delegate_segments_;
  PayloadIndex delegate_index_;
};

}  // namespace

absl::StatusOr<BuiltContainer> BuildPte(const PteContents& contents, const LayoutOptions& options) {
  return PteBuilder(contents, options).Build();
}

}  // namespace pte
