// What opening a .pte checks beyond its head, flatbuffer and segment table. Each refuses with kDataLoss, or notes what is legal but
// unusual.
#ifndef PTE_SRC_CONTAINER_PTE_CHECKS_H_
#define PTE_SRC_CONTAINER_PTE_CHECKS_H_

#include <span>

#include "absl/status/status.h"
#include "pte/schema.h"
#include "pte/segment.h"
#include "src/container/open.h"

namespace pte {

// Verifies the flatbuffer.
absl::Status VerifyProgram(const OpenContainer& container);

// The flatbuffers verifier checks that vectors lie inside the buffer, but not that 8-byte elements are aligned to 8.
absl::Status CheckWideVectors(const OpenContainer& container, const fb::Program& program);

absl::Status CheckConstants(OpenContainer& container, const fb::Program& program, std::span<const Segment> segments);
absl::Status CheckMutableData(OpenContainer& container, const fb::Program& program, std::span<const Segment> segments);
absl::Status CheckDelegates(OpenContainer& container, const fb::Program& program, std::span<const Segment> segments);
void NoteSegments(OpenContainer& container, std::span<const Segment> segments);

// Whether constants are in a segment, rather than inside the flatbuffer as files had them before.
bool ConstantsInSegment(const fb::Program& program);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_PTE_CHECKS_H_
