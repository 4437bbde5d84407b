#include "src/format/layout.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/format/wire.h"

namespace pte {
namespace {

constexpr uint64_t kMostAlignment = 65536;
constexpr uint64_t kMostCommonMultiple = uint64_t{1} << 20;

absl::Status CheckPowerOfTwo(std::string_view what, uint64_t alignment) {
  PTE_RETURN_IF_ERROR(CheckAlignment(what, alignment));
  if (IsPowerOfTwo(alignment)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(what), ": not a power of two; found ", alignment));
}

absl::Status TooLarge() { return absl::InvalidArgumentError("segments: together larger than any file; wanted less than 2^64 bytes"); }

uint64_t Requested(const SegmentRequest& request, const LayoutOptions& options) {
  const bool is_large = request.size >= options.large_segment_threshold && request.size > 0;
  return *CheckedLcm(request.alignment, is_large ? options.large_segment_alignment : 1);
}

// Goes through the segments in order.
class Placer {
 public:
  Placer(const LayoutOptions& options, uint64_t base_alignment)
      : options_(options), layout_{{}, base_alignment, 0}, base_name_("the file's segment base") {}

  absl::Status Place(const SegmentRequest& request) {
    keeps_places_ = keeps_places_ && KeepsPlace(request);
    if (!keeps_places_) return PlaceAnew(request);
    PTE_RETURN_IF_ERROR(AlignBase(request.alignment, request.name));
    return PlaceAt(*request.old_offset, request.size);
  }

  absl::StatusOr<SegmentLayout> Finish() {
    PTE_RETURN_IF_ERROR(AlignBase(options_.segment_alignment, "segment_alignment"));
    return std::move(layout_);
  }

 private:
  bool KeepsPlace(const SegmentRequest& request) const {
    return request.old_offset && *request.old_offset >= layout_.data_size && *request.old_offset % request.alignment == 0;
  }

  absl::Status PlaceAnew(const SegmentRequest& request) {
    PTE_ASSIGN_OR_RETURN(const uint64_t own,
                         JoinAlignments(Requested(request, options_), request.name, request.old_alignment, "its place before"));
    PTE_ASSIGN_OR_RETURN(const uint64_t alignment, JoinAlignments(own, request.name, options_.segment_alignment, "segment_alignment"));
    PTE_RETURN_IF_ERROR(AlignBase(own, request.name));
    const std::optional<uint64_t> offset = AlignUp(layout_.data_size, alignment);
    return offset ? PlaceAt(*offset, request.size) : TooLarge();
  }

  absl::Status PlaceAt(uint64_t offset, uint64_t size) {
    const std::optional<uint64_t> end = CheckedAdd(offset, size);
    if (!end) return TooLarge();
    layout_.offsets.push_back(offset);
    layout_.data_size = *end;
    return absl::OkStatus();
  }

  absl::Status AlignBase(uint64_t alignment, std::string_view name) {
    if (layout_.base_alignment % alignment == 0) return absl::OkStatus();
    PTE_ASSIGN_OR_RETURN(layout_.base_alignment, JoinAlignments(layout_.base_alignment, base_name_, alignment, name));
    base_name_ = name;
    return absl::OkStatus();
  }

  const LayoutOptions& options_;
  SegmentLayout layout_;
  std::string_view base_name_;  // what raised its alignment last
  bool keeps_places_ = true;
};

}  // namespace

absl::Status CheckAlignment(std::string_view what, uint64_t alignment) {
  if (alignment >= 1 && alignment <= kMostAlignment) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(ToAbsl(what), ": no such alignment; wanted 1 to ", kMostAlignment, " bytes, found ", alignment));
}

absl::Status CheckLayoutOptions(const LayoutOptions& options) {
  PTE_RETURN_IF_ERROR(CheckAlignment("segment_alignment", options.segment_alignment));
  PTE_RETURN_IF_ERROR(CheckAlignment("large_segment_alignment", options.large_segment_alignment));
  PTE_RETURN_IF_ERROR(CheckPowerOfTwo("constant_alignment", options.constant_alignment));
  return CheckPowerOfTwo("delegate_alignment", options.delegate_alignment);
}

absl::StatusOr<uint64_t> JoinAlignments(uint64_t a, std::string_view a_name, uint64_t b, std::string_view b_name) {
  const std::optional<uint64_t> joined = CheckedLcm(a, b);
  if (joined && *joined <= kMostCommonMultiple) return *joined;
  return absl::InvalidArgumentError(absl::StrCat("alignments without a common multiple of at most 1 MiB: ", a, " (", ToAbsl(a_name),
                                                 ") and ", b, " (", ToAbsl(b_name), ")"));
}

absl::StatusOr<SegmentLayout> PlaceSegments(std::span<const SegmentRequest> requests, const LayoutOptions& options,
                                            uint64_t base_alignment) {
  Placer placer(options, base_alignment);
  for (const SegmentRequest& request : requests) PTE_RETURN_IF_ERROR(placer.Place(request));
  return placer.Finish();
}

uint64_t PteHeaderSlot(uint64_t constant_alignment, uint64_t delegate_alignment) {
  return std::max({uint64_t{wire::kPteHeaderLength}, constant_alignment, delegate_alignment});
}

uint64_t PtdHeaderSlot() {
  // The exporter's: the header's 40 bytes, up to the next multiple of 16.
  constexpr uint64_t kDirectoryAlignment = 16;
  return *AlignUp(wire::kPtdHeaderLength, kDirectoryAlignment);
}

std::string_view PayloadRoleName(PayloadRole role) {
  switch (role) {
    case PayloadRole::kConstants: return "constants";
    case PayloadRole::kMutableData: return "mutable";
    case PayloadRole::kDelegate: return "delegate";
    case PayloadRole::kNamedData: return "named";
    case PayloadRole::kUnused: return "unused";
  }
  return "";
}

}  // namespace pte
