// Offsets that cannot be mixed up: a FileOffset counts from the start of the container, a SegmentOffset from the segment base. Resolve is
// the only way from one to the other.
#ifndef PTE_SRC_FORMAT_FRAMES_H_
#define PTE_SRC_FORMAT_FRAMES_H_

#include <compare>
#include <cstdint>
#include <optional>

#include "src/base/checked.h"

namespace pte {

template <class Frame>
class FrameOffset {
 public:
  constexpr explicit FrameOffset(uint64_t value) : value_(value) {}
  constexpr uint64_t value() const { return value_; }
  constexpr auto operator<=>(const FrameOffset&) const = default;

 private:
  uint64_t value_;
};

using FileOffset = FrameOffset<struct FileFrame>;
using SegmentOffset = FrameOffset<struct SegmentFrame>;
using ByteCount = FrameOffset<struct CountFrame>;

// nullopt where the sum wraps.
constexpr std::optional<FileOffset> Resolve(FileOffset base, SegmentOffset offset) {
  const std::optional<uint64_t> sum = CheckedAdd(base.value(), offset.value());
  return sum ? std::optional(FileOffset(*sum)) : std::nullopt;
}

}  // namespace pte

#endif  // PTE_SRC_FORMAT_FRAMES_H_
