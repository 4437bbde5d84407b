#include "src/container/to_contents.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/container/contents_access.h"

namespace pte {
namespace {

// The block of the usual file systems: an alignment beyond it is chance.
constexpr uint64_t kMostAlignment = 4096;

// The smallest alignment that puts at `place` what follows `end`; the largest where no padding of a writer's explains the place.
uint64_t AlignmentBetween(uint64_t end, uint64_t place) {
  uint64_t alignment = 1;
  while (alignment < kMostAlignment && AlignUp(end, alignment) != place) alignment *= 2;
  return alignment;
}

// The largest alignment that the padding between segments proves. A larger one may have been asked for all the same.
uint64_t ShownAlignment(const OpenContainer& container) {
  std::vector<ByteRange> places;
  for (const Segment& segment : container.segments.span()) {
    if (segment.size > 0) places.push_back({segment.file_offset - container.file_offset, segment.size});
  }
  std::sort(places.begin(), places.end(), [](ByteRange a, ByteRange b) { return a.offset < b.offset; });
  const uint64_t base = container.header.segment_base_offset;
  uint64_t shown = AlignmentBetween(container.header.program_size, base);
  uint64_t end = base;
  for (const ByteRange& place : places) {
    shown = std::max(shown, AlignmentBetween(end, place.offset));
    end = place.offset + place.size;
  }
  return shown;
}

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
  survey.max_visited = container.options.limits.MaxUnpackedBytes(container.MetadataSize());
  survey.allow_unknown_fields = options.drop_unknown_fields;
  return WithName(SurveyFlatbuffer(container.flatbuffer.span(), root, survey), name);
}

void KeepSegments(const OpenContainer& container, const std::vector<bool>& is_used, KeptSegments& kept) {
  const uint64_t base = container.header.segment_base_offset;
  ContentsAccess::BaseAlignment(kept) = base == 0 ? 1 : PowerOfTwoIn(base, kMostAlignment);
  // Files do not say what was asked for. What stands at a multiple of something large may need it, or stand there by chance: that is kept
  // up to what the file's padding proves, or where it costs no more than the segment itself.
  const uint64_t shown = ShownAlignment(container);
  for (const Segment& segment : container.segments.span()) {
    // A segment without bytes stands nowhere when there is no base.
    const uint64_t place = segment.file_offset - container.file_offset;
    const uint64_t offset = place < base ? 0 : place - base;
    const uint64_t alignment =
        segment.size == 0 ? 1 : PowerOfTwoIn(place, std::min(kMostAlignment, std::max(shown, std::bit_floor(segment.size))));
    ContentsAccess::Items(kept).push_back({SegmentRope(container, segment.index), offset, alignment, !is_used[segment.index]});
  }
}

}  // namespace pte
