// A container in the making: what the two kinds of writer have in common.
#ifndef PTE_SRC_CONTAINER_ASSEMBLY_H_
#define PTE_SRC_CONTAINER_ASSEMBLY_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/contents.h"
#include "pte/layout.h"
#include "pte/rope.h"
#include "src/container/segment_assembly.h"
#include "src/flatbuffer/pack.h"
#include "src/format/layout.h"

namespace pte {

struct Assembly {
  explicit Assembly(const KeptSegments& kept) : segments(kept) {}

  SegmentAssembly segments;
  PayloadLists lists;
  std::vector<PlannedPayload> payloads;

  // Ropes that are not written, since a segment has the same bytes: moving consumes their files all the same.
  struct Absorbed {
    Rope bytes;
    uint32_t segment = 0;
  };
  std::vector<Absorbed> absorbed;

  PlannedPayload& AddPayload(PayloadRole role, uint32_t segment, uint64_t alignment = 1);

  // Tells the segments about an entry's; places it, once the kept ones are placed.
  void Use(const NamedDataEntry& entry);
  absl::Status Place(const NamedDataEntry& entry);

  // Lists the segments that nothing refers to, and gives all their places.
  absl::StatusOr<SegmentLayout> Finish(const LayoutOptions& options);

 private:
  std::unordered_map<const void*, uint32_t> segment_of_;  // by named payload
};

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_ASSEMBLY_H_
