// LayoutOptions and LayoutPlan: where everything in a container will stand, known before a byte is written.
//
//   absl::StatusOr<pte::LayoutPlan> plan = pte::PlanPte(contents);
//   if (!plan.ok()) return plan.status();
//   for (const pte::PlannedPayload& p : plan->payloads) Show(p.key, p.file_offset, p.size);
//   Show(plan->file_size);
//
// A plan is a function of the sizes and options alone: the same contents give the same bytes on every machine and file system.
// Source of the format's facts: schema/FORMAT.md, "Order and alignment of segments".
//
// Ownership: plain values.
#ifndef PTE_LAYOUT_H_
#define PTE_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pte/export.h"
#include "pte/header.h"

namespace pte {

// Alignments are in bytes and absolute: they hold for offsets in the file. Segments of a file that contents were read from keep their
// places instead, while nothing in front of them changes its size (see PteFile::ToContents).
struct LayoutOptions {
  // Of every segment: 1 to 65536. 128 is what the exporter writes.
  uint64_t segment_alignment = 128;

  // Of every constant in the constant segment: a power of two up to 65536. 16 is what the runtime needs for any element type.
  uint64_t constant_alignment = 16;

  // Of every delegate's bytes inside the flatbuffer: a power of two up to 65536.
  uint64_t delegate_alignment = 16;

  // Segments of at least this many bytes stand at multiples of large_segment_alignment, so that they can be mapped, cloned and moved
  // instead of copied. Smaller ones would lose more to padding than they gain.
  uint64_t large_segment_threshold = uint64_t{1} << 20;

  // 1 to 65536. 4096 is the block of the usual file systems. 1 gives the exporter's exact layout.
  uint64_t large_segment_alignment = 4096;

  // Keep new delegates' bytes inside the flatbuffer rather than in segments. It must stay below 2 GiB.
  bool inline_delegates = false;
};

// The layout of ExecuTorch's own exporter.
inline LayoutOptions ReferenceLayout() {
  LayoutOptions options;
  options.large_segment_alignment = 1;
  return options;
}

enum class PayloadRole : uint8_t { kConstants, kMutableData, kDelegate, kNamedData, kUnused };

// "constants", "mutable", "delegate", "named", "unused".
PTE_EXPORT std::string_view PayloadRoleName(PayloadRole role);

struct PlannedSegment {
  uint64_t offset = 0;       // from the segment base
  uint64_t file_offset = 0;  // from the start of the file
  uint64_t size = 0;
};

// One use of a segment, or of bytes inside the flatbuffer; several may share one.
struct PlannedPayload {
  PayloadRole role = PayloadRole::kUnused;
  std::string key = {};        // of named data
  uint32_t index = 0;          // of delegates: in PteContents::delegate_payloads; of the others: of the segment
  bool is_inline = false;      // inside the flatbuffer
  uint32_t segment_index = 0;  // where not inline
  uint64_t file_offset = 0;
  uint64_t size = 0;
  uint64_t alignment = 1;  // that the place was asked to have
};

struct LayoutPlan {
  ContainerHeader header;  // as a reader of the file will see it
  std::vector<PlannedSegment> segments;
  std::vector<PlannedPayload> payloads;
  uint64_t file_size = 0;

  // Zeros between the flatbuffer and the segments and from segment to segment, in bytes.
  uint64_t padding = 0;
};

}  // namespace pte

#endif  // PTE_LAYOUT_H_
