#include "src/container/segment_assembly.h"

#include <utility>

#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/container/contents_access.h"
#include "src/io/compare.h"

namespace pte {

SegmentAssembly::SegmentAssembly(const KeptSegments& kept)
    : kept_(kept), uses_(ContentsAccess::Items(kept).size()), new_index_(uses_.size()) {}

bool SegmentAssembly::IsKept(std::optional<uint32_t> segment, const Rope& bytes) const {
  const std::vector<ContentsAccess::KeptItem>& old = ContentsAccess::Items(kept_);
  return segment && *segment < old.size() && SamePlace(old[*segment].bytes, bytes);
}

void SegmentAssembly::Use(std::optional<uint32_t> segment, const Rope& bytes) {
  if (IsKept(segment, bytes)) ++uses_[*segment];
}

void SegmentAssembly::PlaceKept() {
  const std::vector<ContentsAccess::KeptItem>& old = ContentsAccess::Items(kept_);
  bool all_before_kept = true;
  for (size_t i = 0; i < old.size(); ++i) {
    if (uses_[i] == 0 && !old[i].is_unused) {
      // What follows a segment that had bytes closes the gap.
      all_before_kept = all_before_kept && old[i].bytes.empty();
      continue;
    }
    new_index_[i] = static_cast<uint32_t>(items_.size());
    SegmentRequest request;
    request.size = old[i].bytes.size();
    if (all_before_kept) request.old_offset = old[i].offset;
    request.old_alignment = old[i].alignment;
    request.name = "a segment of the file read";
    items_.push_back({old[i].bytes, request});
  }
}

std::optional<uint32_t> SegmentAssembly::IndexOf(std::optional<uint32_t> segment, const Rope& bytes) const {
  return IsKept(segment, bytes) ? new_index_[*segment] : std::nullopt;
}

std::vector<uint32_t> SegmentAssembly::Unused() const {
  std::vector<uint32_t> unused;
  const std::vector<ContentsAccess::KeptItem>& old = ContentsAccess::Items(kept_);
  for (size_t i = 0; i < old.size(); ++i) {
    if (old[i].is_unused) unused.push_back(*new_index_[i]);
  }
  return unused;
}

uint32_t SegmentAssembly::Append(Rope bytes, uint64_t alignment, std::string_view name) {
  SegmentRequest request;
  request.size = bytes.size();
  request.alignment = alignment;
  request.name = name;
  items_.push_back({std::move(bytes), request});
  return static_cast<uint32_t>(items_.size() - 1);
}

absl::Status SegmentAssembly::Align(uint32_t index, uint64_t alignment, std::string_view name) {
  SegmentRequest& request = items_[index].request;
  if (request.alignment % alignment == 0) return absl::OkStatus();
  PTE_ASSIGN_OR_RETURN(request.alignment, JoinAlignments(request.alignment, request.name, alignment, name));
  request.name = name;
  return absl::OkStatus();
}

void SegmentAssembly::Extend(uint32_t index, Rope bytes) {
  items_[index].request.size = bytes.size();
  items_[index].bytes = std::move(bytes);
}

absl::StatusOr<SegmentLayout> SegmentAssembly::Place(const LayoutOptions& options) const {
  std::vector<SegmentRequest> requests;
  requests.reserve(items_.size());
  for (const Item& item : items_) requests.push_back(item.request);
  return PlaceSegments(requests, options, items_.empty() ? 1 : ContentsAccess::BaseAlignment(kept_));
}

uint64_t SegmentAssembly::ByteCount() const {
  uint64_t bytes = 0;
  for (const Item& item : items_) bytes = CheckedAdd(bytes, item.bytes.size()).value_or(UINT64_MAX);
  return bytes;
}

}  // namespace pte
