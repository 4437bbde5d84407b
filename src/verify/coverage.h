// Which bytes of a flatbuffer something refers to: one bit for every two bytes, so that its memory is a sixteenth of the flatbuffer's.
#ifndef PTE_SRC_VERIFY_COVERAGE_H_
#define PTE_SRC_VERIFY_COVERAGE_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/flatbuffer/bundle.h"

namespace pte {

// Objects of a flatbuffer begin at even offsets; where one ends at an odd offset, the byte after it counts as its own.
class CoveredRange {
 public:
  explicit CoveredRange(uint64_t size) : size_(size), words_(static_cast<size_t>(size / kBytesPerWord + 1)) {}

  // Whether the first byte was covered before.
  bool Add(uint64_t begin, uint64_t end) {
    end = std::min(end, size_);
    if (begin >= end) return false;
    const size_t first = Word(begin);
    const size_t last = Word(end - 1);
    const uint64_t before = words_[first] >> Bit(begin);
    const uint64_t from = ~uint64_t{0} << Bit(begin);
    const uint64_t to = ~uint64_t{0} >> (kBits - 1 - Bit(end - 1));
    if (first == last) {
      words_[first] |= from & to;
    } else {
      words_[first] |= from;
      if (last - first > 1) std::fill(words_.begin() + Signed(first) + 1, words_.begin() + Signed(last), ~uint64_t{0});
      words_[last] |= to;
    }
    return (before & 1) != 0;
  }

  // visit(begin, end) for each run of bytes that nothing covers, in order.
  template <class Visit>
  void ForEachGap(Visit visit) const {
    uint64_t at = 0;
    while (at < size_) {
      const uint64_t begin = Next(at, false);
      if (begin >= size_) return;
      at = Next(begin, true);
      visit(begin, at);
    }
  }

 private:
  static constexpr unsigned kBits = 64;
  static constexpr uint64_t kBytesPerBit = 2;
  static constexpr uint64_t kBytesPerWord = kBits * kBytesPerBit;
  static size_t Word(uint64_t at) { return static_cast<size_t>(at / kBytesPerWord); }
  static std::ptrdiff_t Signed(size_t word) { return static_cast<std::ptrdiff_t>(word); }
  static unsigned Bit(uint64_t at) { return static_cast<unsigned>(at / kBytesPerBit % kBits); }

  // The first offset from `at` on whose bit is as wanted; the size where there is none.
  uint64_t Next(uint64_t at, bool wanted) const {
    size_t word = Word(at);
    uint64_t bits = (wanted ? words_[word] : ~words_[word]) & ~uint64_t{0} << Bit(at);
    while (bits == 0) {
      if (++word == words_.size()) return size_;
      bits = wanted ? words_[word] : ~words_[word];
    }
    return std::min(size_, word * kBytesPerWord + static_cast<uint64_t>(std::countr_zero(bits)) * kBytesPerBit);
  }

  uint64_t size_;
  std::vector<uint64_t> words_;
};

// The same of a whole flatbuffer, in which one range counts as covered and costs nothing.
class Coverage {
 public:
  Coverage(uint64_t size, ByteRange hole)
      : split_(hole.size == 0 ? size : hole.offset),
        rest_(hole.size == 0 ? size : Behind(hole, size)),
        before_(split_),
        after_(size - rest_) {}

  // Whether the first byte was covered before.
  bool Add(uint64_t begin, uint64_t end) {
    if (begin < split_) return before_.Add(begin, end);
    return begin < rest_ || after_.Add(begin - rest_, end - rest_);
  }

  // visit(begin, end) for each run of bytes that nothing covers, in order.
  template <class Visit>
  void ForEachGap(Visit visit) const {
    before_.ForEachGap(visit);
    after_.ForEachGap([&](uint64_t begin, uint64_t end) { visit(begin + rest_, end + rest_); });
  }

 private:
  // Even, as the offsets of objects are.
  static uint64_t Behind(ByteRange hole, uint64_t size) {
    const uint64_t end = hole.offset + hole.size;
    return std::min(end + end % 2, size);
  }

  uint64_t split_;
  uint64_t rest_;  // where what is behind the hole begins
  CoveredRange before_;
  CoveredRange after_;
};

}  // namespace pte

#endif  // PTE_SRC_VERIFY_COVERAGE_H_
