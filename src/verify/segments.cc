#include "src/verify/segments.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/format/wire.h"

namespace pte {
namespace {

// A segment that has bytes and a place, from the start of the container.
struct Placed {
  uint64_t begin;
  uint64_t end;
  uint32_t index;
};

class Geometry {
 public:
  Geometry(Judge& judge, const std::vector<RowFields>& fields, const std::vector<uint8_t>& uses, const SegmentRules& rules)
      : judge_(judge), container_(judge.container()), fields_(fields), uses_(uses), rules_(rules) {
    for (const Segment& segment : container_.segments.span()) {
      has_unplaced_ = has_unplaced_ || segment.file_offset == kUnplaced;
      if (segment.size == 0 || segment.file_offset == kUnplaced) continue;
      const uint64_t begin = segment.file_offset - container_.file_offset;
      placed_.push_back({begin, begin + segment.size, segment.index});
    }
  }

  absl::Status Run() {
    Order();
    Uses();
    Alignment();
    std::stable_sort(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    Overlap();
    return Gaps();
  }

 private:
  Spot Row(uint32_t index) {
    row_ = absl::StrCat("segments[", index, "].offset");
    return {fields_[index].offset, row_};
  }
  Spot Size(uint32_t index) {
    row_ = absl::StrCat("segments[", index, "].size");
    return {fields_[index].size, row_};
  }

  Spot Whole(uint32_t index) {
    row_ = absl::StrCat("segments[", index, "]");
    return {fields_[index].row, row_};
  }

  void Order() {
    for (size_t i = 1; i < placed_.size(); ++i) {
      if (placed_[i].begin >= placed_[i - 1].begin) continue;
      judge_.Warn(rules_.order, Row(placed_[i].index), "the segments are not in the order of their offsets",
                  absl::StrCat("at least ", Number(Relative(placed_[i - 1].begin))), Number(Relative(placed_[i].begin)));
    }
  }

  uint64_t Relative(uint64_t at) const { return at - container_.header.segment_base_offset; }

  void Uses() {
    for (const Segment& segment : container_.segments.span()) {
      const uint8_t use = uses_[segment.index];
      if (use == kUnused && segment.size > 0) {
        judge_.Warn(rules_.gap, Whole(segment.index), "nothing refers to the segment", "a reference", "none");
      }
      if (segment.size == 0 && (use & kDelegate) != 0) {
        judge_.Warn("S12", Size(segment.index), "a delegate's segment has no bytes", "at least 1", "0");
      }
      Sharing(segment, use);
    }
  }

  // A segment has one role, or the bytes of one role change under another.
  void Sharing(const Segment& segment, uint8_t use) {
    const bool is_mutable = (use & kMutable) != 0;
    const uint8_t others = use & static_cast<uint8_t>(kConstants | kDelegate | kNamed);
    const bool is_shared = is_mutable ? others != 0 : (others & (others - 1)) != 0;
    if (!is_shared || segment.size == 0) return;
    judge_.Add(is_mutable ? Severity::kError : Severity::kWarning, "S11", Row(segment.index),
               is_mutable ? "mutable data shares its segment with another role" : "the segment is used in two roles", "one role",
               Names(use));
  }

  static std::string Names(uint8_t use) {
    std::string out;
    const auto add = [&](SegmentUse role, const char* name) {
      if ((use & role) != 0) absl::StrAppend(&out, out.empty() ? "" : ", ", name);
    };
    add(kConstants, "constants");
    add(kMutable, "mutable data");
    add(kDelegate, "delegate");
    add(kNamed, "named data");
    return out;
  }

  // Both the offset from the base and the place in the file count: readers map either.
  void Alignment() {
    constexpr uint64_t kUsual = wire::kSmallestUsualAlignment;
    const bool base_is_aligned = container_.header.segment_base_offset % kUsual == 0;
    for (const Placed& segment : placed_) {
      const uint64_t offset = Relative(segment.begin);
      // An unaligned base has a rule of its own.
      if (offset % kUsual == 0 || (!base_is_aligned && segment.begin % kUsual == 0)) continue;
      judge_.Warn(rules_.alignment, Row(segment.index), "the segment is not aligned", absl::StrCat("a multiple of ", kUsual),
                  Number(offset));
    }
  }

  void Overlap() {
    for (size_t i = 1; i < placed_.size(); ++i) {
      const Placed& before = placed_[widest_];
      const Placed& now = placed_[i];
      if (now.begin < before.end) {
        const bool is_same = now.begin == before.begin && now.end == before.end;
        judge_.Add(is_same ? Severity::kWarning : Severity::kError, rules_.overlap, Row(now.index),
                   absl::StrCat(is_same ? "the same bytes as segment " : "overlaps segment ", before.index),
                   absl::StrCat("at least ", Number(Relative(before.end))), Number(Relative(now.begin)));
      }
      if (now.end >= before.end) widest_ = i;
    }
  }

  // What lies between the flatbuffer and the segments, and between them.
  absl::Status Gaps() {
    const ContainerHeader& header = container_.header;
    uint64_t at = header.program_size;
    // A base that is inside the flatbuffer or beyond the file has rules of its own; in front of one that is wrong are segments, not
    // padding.
    if (header.segment_base_offset > header.file_size || (has_unplaced_ && placed_.empty())) return absl::OkStatus();
    if (header.segment_base_offset != 0) {
      if (header.segment_base_offset > at) PTE_RETURN_IF_ERROR(Padding(at, header.segment_base_offset, {at, "padding"}));
      at = header.segment_base_offset;
    }
    // What seems to be a gap may be a segment that could not be placed.
    if (has_unplaced_) return absl::OkStatus();
    for (const Placed& segment : placed_) {
      if (segment.begin > at) PTE_RETURN_IF_ERROR(Padding(at, segment.begin, Row(segment.index)));
      at = std::max(at, segment.end);
    }
    const uint64_t declared = header.segment_base_offset + header.segment_data_size.value_or(0);
    if (placed_.empty() || declared <= at) return absl::OkStatus();
    return Padding(at, declared, {at, "segment data"});
  }

  // No alignment makes a gap larger than itself. `spot` is what the gap is in front of.
  absl::Status Padding(uint64_t begin, uint64_t end, const Spot& spot) {
    const uint64_t most = container_.options.limits.max_padding;
    if (end - begin > most) {
      judge_.Warn(rules_.gap, spot, "bytes in front that belong to no segment, more than any alignment asks for", "padding",
                  absl::StrCat(Number(end - begin), " bytes"));
      return absl::OkStatus();
    }
    return MayRead(end - begin) ? ExpectZeros(begin, end) : absl::OkStatus();
  }

  // A file of holes could have a gap as large as allowed in front of each of a million segments.
  bool MayRead(uint64_t bytes) {
    constexpr uint64_t kLargestGaps = 64;
    const uint64_t most = kLargestGaps * container_.options.limits.max_padding;
    if (bytes <= most - std::min(most, padding_read_)) {
      padding_read_ += bytes;
      return true;
    }
    if (!std::exchange(is_padding_bounded_, true)) {
      judge_.Inform(rules_.padding, {std::nullopt, "padding"},
                    "not all padding was looked at: there is more than Limits::max_padding allows",
                    absl::StrCat("at most ", Number(most), " bytes"), "more");
    }
    return false;
  }

  absl::Status ExpectZeros(uint64_t begin, uint64_t end) {
    std::array<std::byte, kChunk> chunk;
    for (uint64_t at = begin; at < end; at += kChunk) {
      const std::span<std::byte> part(chunk.data(), static_cast<size_t>(std::min<uint64_t>(kChunk, end - at)));
      PTE_RETURN_IF_ERROR(container_.source->ReadAt(at, part));
      const auto bad = std::find_if(part.begin(), part.end(), [](std::byte byte) { return byte != std::byte{0}; });
      if (bad == part.end()) continue;
      judge_.Warn(rules_.padding, {at + static_cast<uint64_t>(bad - part.begin()), "padding"}, "padding that is not zero", "0",
                  Hex(std::to_integer<uint64_t>(*bad)));
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  static constexpr size_t kChunk = 4096;

  Judge& judge_;
  const OpenContainer& container_;
  const std::vector<RowFields>& fields_;
  const std::vector<uint8_t>& uses_;
  const SegmentRules& rules_;
  std::vector<Placed> placed_;
  bool has_unplaced_ = false;
  bool is_padding_bounded_ = false;
  uint64_t padding_read_ = 0;
  size_t widest_ = 0;
  std::string row_;
};

}  // namespace

absl::Status JudgeSegments(Judge& judge, const std::vector<RowFields>& fields, const std::vector<uint8_t>& uses,
                           const SegmentRules& rules) {
  return Geometry(judge, fields, uses, rules).Run();
}

}  // namespace pte
