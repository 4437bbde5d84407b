// The entries of a container's directory, as PteFile and PtdFile list them.
//
//   for (const pte::Segment& s : file->segments()) total += s.size;
//   for (const pte::NamedEntry& e : file->named_data()) keys.emplace_back(e.key);
//
// Ownership: views into the file object they came from, or into a copy of it; valid while one of those lives.
#ifndef PTE_SEGMENT_H_
#define PTE_SEGMENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "pte/schema.h"

namespace pte {

// One segment, checked against the declared data and the file when it was opened.
struct Segment {
  uint32_t index = 0;
  uint64_t file_offset = 0;  // of its first byte, in bytes from the start of the outermost file
  uint64_t size = 0;         // in bytes, without padding
};

// One named payload of a .pte. Keys are compared by full length and may hold any byte, NUL included.
struct NamedEntry {
  std::string_view key;
  uint32_t segment_index = 0;
};

// How the bytes of a tensor are laid out. dim_order lists the dimensions from the outermost in memory to the innermost. As stored: sizes
// may be negative, and the two lists may differ in length, in a file that was not verified.
struct TensorLayout {
  fb::ScalarType scalar_type = fb::ScalarType::BYTE;
  std::span<const int32_t> sizes;
  std::span<const uint8_t> dim_order;
};

// One entry of a .ptd; tensor_layout is nullopt for an opaque blob.
struct PtdEntry {
  std::string_view key;
  uint32_t segment_index = 0;
  std::optional<TensorLayout> tensor_layout;
};

}  // namespace pte

#endif  // PTE_SEGMENT_H_
