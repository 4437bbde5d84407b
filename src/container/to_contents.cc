#include "src/container/to_contents.h"

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/container/contents_access.h"

namespace pte {
namespace {

// The block of the usual file systems: an alignment beyond it is chance.
constexpr uint64_t kMostAlignment = 4096;

}  // namespace

absl::Status CheckRewritable(const OpenContainer& container, const flatbuffers::TypeTable& root, std::string_view rule, uint32_t version,
                             uint32_t known_version, const ToContentsOptions& options) {
  const std::string name = container.source->name();
  if (version > known_version) {
    return WithName(FaultStatus(absl::StatusCode::kUnimplemented,
                                {std::string(rule), std::nullopt, "version", "a file of a newer schema version is never rewritten",
                                 absl::StrCat("at most ", known_version), absl::StrCat(version)}),
                    name);
  }
  SurveyOptions survey;
  survey.file_offset = container.file_offset;
  survey.max_visited = container.options.limits.MaxUnpackedBytes(container.flatbuffer.size());
  survey.allow_unknown_fields = options.drop_unknown_fields;
  return WithName(SurveyFlatbuffer(container.flatbuffer.span(), root, survey), name);
}

void KeepSegments(const OpenContainer& container, const std::vector<bool>& is_used, KeptSegments& kept) {
  const uint64_t base = container.header.segment_base_offset;
  ContentsAccess::BaseAlignment(kept) = base == 0 ? 1 : PowerOfTwoIn(base, kMostAlignment);
  for (const Segment& segment : container.segments.span()) {
    // A segment without bytes stands nowhere when there is no base.
    const uint64_t place = segment.file_offset - container.file_offset;
    const uint64_t offset = place < base ? 0 : place - base;
    const uint64_t alignment = segment.size == 0 ? 1 : PowerOfTwoIn(place, kMostAlignment);
    ContentsAccess::Items(kept).push_back({SegmentRope(container, segment.index), offset, alignment, !is_used[segment.index]});
  }
}

}  // namespace pte
