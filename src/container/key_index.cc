#include "src/container/key_index.h"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "src/base/status_macros.h"
#include "src/io/syscalls.h"

namespace pte {

uint64_t KeyIndex::Hash(std::string_view key) const { return XXH3_64bits_withSeed(key.data(), key.size(), seed_); }

// At most half of the slots are taken: few probes, and always a free one to end at.
absl::Status KeyIndex::Reserve(size_t count, const char* keys) {
  if (count == 0) return absl::OkStatus();
  seed_ = sys::Random();
  keys_ = keys;
  const size_t size = std::bit_ceil(count * 2);
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(size));
  PTE_ASSIGN_OR_RETURN(memory_, AllocateZeroed(size * sizeof(Slot)));
  slots_ = {reinterpret_cast<Slot*>(memory_.span.data()), size};
  return absl::OkStatus();
}

std::optional<KeyIndex::Pair> KeyIndex::Finish() {
  for (size_t i = 0; i < pending_count_; ++i) {
    const std::optional<Pair> duplicate = Insert(pending_[i].entry, pending_[i].key, pending_[i].hash);
    if (duplicate) return duplicate;
  }
  pending_count_ = 0;
  return std::nullopt;
}

std::optional<KeyIndex::Pair> KeyIndex::Insert(uint32_t entry, std::string_view key, uint64_t hash) {
  size_t at = Home(hash);
  for (; slots_[at].length_and_1 != 0; at = Next(at)) {
    if (Matches(slots_[at], hash, key)) return Pair(slots_[at].entry, entry);
  }
  slots_[at] = {static_cast<uint32_t>(hash), entry, static_cast<uint32_t>(key.data() - keys_), static_cast<uint32_t>(key.size() + 1)};
  return std::nullopt;
}

}  // namespace pte
