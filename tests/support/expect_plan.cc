#include "tests/support/expect_plan.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "pte/header.h"
#include "pte/segment.h"
#include "tests/support/contents.h"
#include "tests/support/sources.h"

namespace pte::test {
namespace {

void ExpectSameHeader(const ContainerHeader& plan, const ContainerHeader& file) {
  EXPECT_EQ(plan.kind, file.kind);
  EXPECT_EQ(plan.identifier, file.identifier);
  EXPECT_EQ(plan.file_size, file.file_size);
  EXPECT_EQ(plan.has_extended_header, file.has_extended_header);
  EXPECT_EQ(plan.header_length, file.header_length);
  EXPECT_EQ(plan.root_offset, file.root_offset);
  EXPECT_EQ(plan.program_size, file.program_size);
  EXPECT_EQ(plan.flatbuffer_offset, file.flatbuffer_offset);
  EXPECT_EQ(plan.flatbuffer_size, file.flatbuffer_size);
  EXPECT_EQ(plan.segment_base_offset, file.segment_base_offset);
  EXPECT_EQ(plan.segment_data_size, file.segment_data_size);
}

std::vector<Segment> SegmentsOf(const std::string& bytes, ContainerKind kind) {
  const auto copy = [](std::span<const Segment> segments) { return std::vector<Segment>(segments.begin(), segments.end()); };
  return kind == ContainerKind::kPtd ? copy(OpenPtd(bytes).segments()) : copy(OpenPte(bytes).segments());
}

void ExpectPlaces(const LayoutPlan& plan, const LayoutOptions& layout) {
  for (const PlannedSegment& segment : plan.segments) {
    EXPECT_EQ(segment.file_offset, plan.header.segment_base_offset + segment.offset);
    EXPECT_EQ(segment.file_offset % layout.segment_alignment, 0u);
    if (segment.size == 0 || segment.size < layout.large_segment_threshold) continue;
    EXPECT_EQ(segment.file_offset % layout.large_segment_alignment, 0u);
  }
  for (const PlannedPayload& payload : plan.payloads) {
    const bool has_place = payload.size > 0 || !payload.is_inline;
    EXPECT_TRUE(!has_place || payload.file_offset % payload.alignment == 0) << payload.key << " at " << payload.file_offset;
    if (payload.is_inline) {
      EXPECT_LE(payload.file_offset + payload.size, plan.header.program_size);
      continue;
    }
    ASSERT_LT(payload.segment_index, plan.segments.size());
    EXPECT_EQ(payload.file_offset, plan.segments[payload.segment_index].file_offset);
    EXPECT_EQ(payload.size, plan.segments[payload.segment_index].size);
  }
}

// What lies behind the flatbuffer is segments in their order, and zeros.
void ExpectZerosBetween(const LayoutPlan& plan, const std::string& bytes) {
  uint64_t end = plan.header.program_size;
  uint64_t padding = 0;
  const auto expect_zeros = [&](uint64_t to) {
    ASSERT_LE(end, to);
    ASSERT_LE(to, bytes.size());
    const std::string_view between = std::string_view(bytes).substr(end, to - end);
    EXPECT_EQ(between.find_first_not_of('\0'), std::string_view::npos) << "from " << end << " to " << to;
    padding += between.size();
  };
  for (const PlannedSegment& segment : plan.segments) {
    if (!plan.header.has_extended_header) break;
    expect_zeros(segment.file_offset);
    end = segment.file_offset + segment.size;
  }
  expect_zeros(plan.file_size);
  EXPECT_EQ(plan.padding, padding);
}

}  // namespace

void ExpectPlanIsFile(const LayoutPlan& plan, const std::string& bytes, const LayoutOptions& layout) {
  ASSERT_EQ(plan.file_size, bytes.size());
  const auto header = ReadContainerHeader(*MakeSource(SourceKind::kMemory, bytes));
  ASSERT_TRUE(header.ok()) << header.status();
  ExpectSameHeader(plan.header, *header);
  const std::vector<Segment> segments = SegmentsOf(bytes, header->kind);
  ASSERT_EQ(plan.segments.size(), segments.size());
  for (size_t i = 0; i < segments.size(); ++i) {
    EXPECT_EQ(plan.segments[i].file_offset, segments[i].file_offset) << i;
    EXPECT_EQ(plan.segments[i].size, segments[i].size) << i;
  }
  ExpectPlaces(plan, layout);
  ExpectZerosBetween(plan, bytes);
}

}  // namespace pte::test
