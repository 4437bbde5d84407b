// A source that remembers which ranges were read and viewed.
#ifndef PTE_TESTS_SUPPORT_COUNTING_SOURCE_H_
#define PTE_TESTS_SUPPORT_COUNTING_SOURCE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "pte/byte_source.h"

namespace pte::test {

struct ReadRange {
  uint64_t offset = 0;
  uint64_t length = 0;
  bool operator==(const ReadRange&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const ReadRange& range) {
    return out << "{" << range.offset << ", " << range.length << "}";
  }
};

class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

  uint64_t size() const override { return source_->size(); }
  std::string name() const override { return source_->name(); }

  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    Remember({offset, out.size()});
    return source_->ReadAt(offset, out);
  }
  absl::StatusOr<Bytes> View(uint64_t offset, uint64_t length) const override {
    Remember({offset, length});
    return source_->View(offset, length);
  }

  // In the order of the calls.
  std::vector<ReadRange> ranges() const {
    const std::lock_guard lock(mutex_);
    return ranges_;
  }
  uint64_t bytes_read() const {
    uint64_t sum = 0;
    for (const ReadRange& range : ranges()) sum += range.length;
    return sum;
  }
  void Forget() {
    const std::lock_guard lock(mutex_);
    ranges_.clear();
  }

 private:
  void Remember(ReadRange range) const {
    const std::lock_guard lock(mutex_);
    ranges_.push_back(range);
  }

  std::shared_ptr<const ByteSource> source_;
  mutable std::mutex mutex_;
  mutable std::vector<ReadRange> ranges_;
};

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_COUNTING_SOURCE_H_
