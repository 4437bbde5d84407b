// Collecting the segments of a container to be written: those of the file that its contents came from, then new ones.
#ifndef PTE_SRC_CONTAINER_SEGMENT_ASSEMBLY_H_
#define PTE_SRC_CONTAINER_SEGMENT_ASSEMBLY_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/contents.h"
#include "pte/layout.h"
#include "pte/rope.h"
#include "src/format/layout.h"

namespace pte {

class SegmentAssembly {
 public:
  struct Item {
    Rope bytes;
    SegmentRequest request;
  };

  // `kept` must outlive the assembly.
  explicit SegmentAssembly(const KeptSegments& kept);

  // First, every use of a kept segment is told. A payload that came from other contents is no use of one of these: its bytes are elsewhere.
  void Use(std::optional<uint32_t> segment, const Rope& bytes);
  // Then those in use, and those that nothing ever referred to, get their indices, in their old order.
  void PlaceKept();

  // The index of the kept segment that a payload is; nullopt for other payloads.
  std::optional<uint32_t> IndexOf(std::optional<uint32_t> segment, const Rope& bytes) const;

  // Whether more than one use was told of it.
  bool IsShared(uint32_t segment) const { return uses_[segment] > 1; }

  // Those that nothing ever referred to.
  std::vector<uint32_t> Unused() const;

  // Appends a segment; `name` must outlive the assembly.
  uint32_t Append(Rope bytes, uint64_t alignment, std::string_view name);

  // Asks for one more alignment of a segment.
  //   kInvalidArgument  it has no common multiple of at most 1 MiB with what was asked before
  absl::Status Align(uint32_t index, uint64_t alignment, std::string_view name);

  // Gives a segment other bytes, which begin with those that it had.
  void Extend(uint32_t index, Rope bytes);

  absl::StatusOr<SegmentLayout> Place(const LayoutOptions& options) const;

  const std::vector<Item>& items() const { return items_; }
  uint64_t ByteCount() const;

 private:
  bool IsKept(std::optional<uint32_t> segment, const Rope& bytes) const;

  const KeptSegments& kept_;
  std::vector<uint32_t> uses_;
  std::vector<std::optional<uint32_t>> new_index_;
  std::vector<Item> items_;
};

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_SEGMENT_ASSEMBLY_H_
