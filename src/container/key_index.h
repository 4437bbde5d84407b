// From a key to its entry, in time that does not grow with their number.
#ifndef PTE_SRC_CONTAINER_KEY_INDEX_H_
#define PTE_SRC_CONTAINER_KEY_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace pte {

// An open-addressing table of 8-byte slots over keys that its owner keeps. The hash is seeded anew for each table, so that no file can be
// made whose keys all collide.
class KeyIndex {
 public:
  KeyIndex() = default;

  // Indexes the keys key_of(0) .. key_of(count - 1). Returns the first pair of equal keys, the earlier first; the index is then of no use.
  template <class KeyOf>
  std::optional<std::pair<uint32_t, uint32_t>> Build(uint32_t count, KeyOf key_of);

  // The number of the entry with this key, or nullopt.
  template <class KeyOf>
  std::optional<uint32_t> Find(std::string_view key, KeyOf key_of) const {
    if (slots_.empty()) return std::nullopt;
    const uint64_t hash = Hash(key);
    const uint32_t tag = Tag(hash);
    for (size_t at = Home(hash);; at = Next(at)) {
      const Slot slot = slots_[at];
      if (slot.entry == kNone) return std::nullopt;
      if (slot.tag == tag && key_of(slot.entry) == key) return slot.entry;
    }
  }

 private:
  struct Slot {
    uint32_t tag = 0;
    uint32_t entry = kNone;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t Hash(std::string_view key) const;
  static uint32_t Tag(uint64_t hash) { return static_cast<uint32_t>(hash); }
  size_t Home(uint64_t hash) const { return static_cast<size_t>(hash >> shift_); }
  size_t Next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void Resize(uint32_t count);

  uint64_t seed_ = 0;
  unsigned shift_ = 0;
  std::vector<Slot> slots_;
};

template <class KeyOf>
std::optional<std::pair<uint32_t, uint32_t>> KeyIndex::Build(uint32_t count, KeyOf key_of) {
  Resize(count);
  if (slots_.empty()) return std::nullopt;
  // Keys are hashed a batch ahead of their slots, so that the processor fetches many slots at once.
  constexpr uint32_t kBatch = 32;
  uint64_t hashes[kBatch];
  for (uint32_t begin = 0; begin < count; begin += kBatch) {
    const uint32_t batch = count - begin < kBatch ? count - begin : kBatch;
    for (uint32_t i = 0; i < batch; ++i) {
      hashes[i] = Hash(key_of(begin + i));
      __builtin_prefetch(&slots_[Home(hashes[i])], 1);
    }
    for (uint32_t i = 0; i < batch; ++i) {
      const uint32_t entry = begin + i;
      size_t at = Home(hashes[i]);
      for (; slots_[at].entry != kNone; at = Next(at)) {
        const Slot other = slots_[at];
        if (other.tag == Tag(hashes[i]) && key_of(other.entry) == key_of(entry)) return std::pair(other.entry, entry);
      }
      slots_[at] = {Tag(hashes[i]), entry};
    }
  }
  return std::nullopt;
}

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_KEY_INDEX_H_
