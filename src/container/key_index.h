// From a key to its entry, in time that does not grow with their number.
#ifndef PTE_SRC_CONTAINER_KEY_INDEX_H_
#define PTE_SRC_CONTAINER_KEY_INDEX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "src/io/memory.h"

namespace pte {

// An open-addressing table over keys that lie in one stretch of memory, the flatbuffer. The hash is seeded anew for each table, so that no
// file can be made whose keys all collide.
class KeyIndex {
 public:
  // The numbers of two entries with equal keys, the earlier first.
  using Pair = std::pair<uint32_t, uint32_t>;

  KeyIndex() = default;

  // Makes room for `count` keys, which will lie at or after `keys`.
  absl::Status Reserve(size_t count, const char* keys);

  // Adds the key of entry `entry`. Keys are put in their slots a batch later, so that the processor fetches many slots at once; a pair of
  // equal keys is returned by the call that meets it, and the index is then of no use.
  std::optional<Pair> Add(uint32_t entry, std::string_view key) {
    const uint64_t hash = Hash(key);
    __builtin_prefetch(&slots_[Home(hash)], 1);
    pending_[pending_count_++] = {key, hash, entry};
    return pending_count_ < kBatch ? std::nullopt : Finish();
  }

  // Puts the last keys in their slots. Find may be called from then on.
  std::optional<Pair> Finish();

  // The number of the entry with this key, or nullopt.
  std::optional<uint32_t> Find(std::string_view key) const {
    if (slots_.empty()) return std::nullopt;
    const uint64_t hash = Hash(key);
    for (size_t at = Home(hash);; at = Next(at)) {
      const Slot& slot = slots_[at];
      if (slot.length_and_1 == 0) return std::nullopt;
      if (Matches(slot, hash, key)) return slot.entry;
    }
  }

 private:
  // What tells a key from all but a few others, and where to compare it in full: a look-up goes to the slot and to the key, no third place.
  struct Slot {
    uint32_t tag;
    uint32_t entry;
    uint32_t position;      // of the key, from keys_
    uint32_t length_and_1;  // 0: the slot is free
  };

  bool Matches(const Slot& slot, uint64_t hash, std::string_view key) const {
    return slot.tag == static_cast<uint32_t>(hash) && std::string_view(keys_ + slot.position, slot.length_and_1 - 1) == key;
  }
  uint64_t Hash(std::string_view key) const;
  // The upper bits of the hash choose the slot, the lower half is the tag.
  size_t Home(uint64_t hash) const { return static_cast<size_t>(hash >> shift_); }
  size_t Next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  std::optional<Pair> Insert(uint32_t entry, std::string_view key, uint64_t hash);

  struct Pending {
    std::string_view key;
    uint64_t hash = 0;
    uint32_t entry = 0;
  };
  static constexpr size_t kBatch = 32;

  uint64_t seed_ = 0;
  unsigned shift_ = 0;
  const char* keys_ = nullptr;
  Memory memory_;
  std::span<Slot> slots_;
  std::array<Pending, kBatch> pending_;
  size_t pending_count_ = 0;
};

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_KEY_INDEX_H_
