// Loads and stores of little-endian numbers in unaligned bytes, on hosts of either byte order.
#ifndef PTE_SRC_BASE_LITTLE_ENDIAN_H_
#define PTE_SRC_BASE_LITTLE_ENDIAN_H_

#include <cstddef>
#include <cstdint>

namespace pte {

inline uint16_t LoadU16(const std::byte* p) {
  return static_cast<uint16_t>(std::to_integer<uint32_t>(p[0]) | std::to_integer<uint32_t>(p[1]) << 8);
}

inline uint32_t LoadU32(const std::byte* p) { return LoadU16(p) | static_cast<uint32_t>(LoadU16(p + 2)) << 16; }

inline uint64_t LoadU64(const std::byte* p) { return LoadU32(p) | static_cast<uint64_t>(LoadU32(p + 4)) << 32; }

inline void StoreU32(std::byte* p, uint32_t value) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<std::byte>(value >> (8 * i));
}

inline void StoreU64(std::byte* p, uint64_t value) {
  StoreU32(p, static_cast<uint32_t>(value));
  StoreU32(p + 4, static_cast<uint32_t>(value >> 32));
}

}  // namespace pte

#endif  // PTE_SRC_BASE_LITTLE_ENDIAN_H_
