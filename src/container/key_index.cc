#include "src/container/key_index.h"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "src/io/syscalls.h"

namespace pte {

uint64_t KeyIndex::Hash(std::string_view key) const { return XXH3_64bits_withSeed(key.data(), key.size(), seed_); }

// At most half of the slots are taken: few probes, and always a free one to end at.
void KeyIndex::Resize(uint32_t count) {
  slots_.clear();
  if (count == 0) return;
  seed_ = sys::Random();
  const size_t size = std::bit_ceil(size_t{count} * 2);
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(size));
  slots_.resize(size);
}

}  // namespace pte
