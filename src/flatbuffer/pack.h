// From the object API back to bytes.
//
// flatc's own Pack decides alone whether an empty list is written, and aligns byte vectors as the schema says. Here what the format leaves
// out when empty is left out, and byte vectors inside the flatbuffer may be files: they stand behind everything else, and only their
// lengths and places are in memory.
#ifndef PTE_SRC_FLATBUFFER_PACK_H_
#define PTE_SRC_FLATBUFFER_PACK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/schema.h"
#include "pte/segment.h"

namespace pte {

// What stands in the places of the object API's own payload lists.
struct PayloadLists {
  struct Row {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  struct Cut {
    uint32_t segment_index = 0;
    std::vector<uint64_t> offsets;
  };
  struct Named {
    std::string_view key;
    uint32_t segment_index = 0;
    std::optional<TensorLayout> tensor_layout = std::nullopt;  // of a .ptd
  };
  struct Reference {
    bool is_inline = false;
    uint32_t index = 0;
  };

  std::vector<Row> segments;
  std::vector<Named> named_data;

  // Of a .pte alone.
  std::vector<uint64_t> inline_sizes;  // of backend_delegate_data
  std::vector<Reference> delegates;    // by the index that BackendDelegate::processed has in the object API
  Cut constants;
  std::optional<Cut> mutable_data;
};

struct PackOptions {
  std::string_view identifier;
  uint64_t header_slot = 0;       // bytes left free from byte 8
  uint64_t inline_alignment = 1;  // of inline bytes in the file
};

struct PackedFlatbuffer {
  // Up to the first inline bytes, the header's slot filled with zeros.
  std::vector<std::byte> head;

  // Where each of PayloadLists::inline_sizes has its bytes, from the start of the file: behind the head, in order, each with the four
  // bytes of its length in front and zeros before them. Empty ones are inside the head.
  std::vector<uint64_t> inline_offsets;

  uint64_t program_size = 0;
  uint32_t root_offset = 0;
};

// Without null where the object API needs an object, and small enough for a flatbuffer.
//   kInvalidArgument    a null pointer, or a delegate that refers to no payload; the message has the path
//   kResourceExhausted  2^31 - 1 bytes or more; the message names the largest contributors
absl::Status CheckProgram(const fb::ProgramT& program, const PayloadLists& lists);

// The program must have been checked.
//   kResourceExhausted  2^31 - 1 bytes or more
absl::StatusOr<PackedFlatbuffer> PackProgram(const fb::ProgramT& program, const PayloadLists& lists, const PackOptions& options);

//   kResourceExhausted  2^31 - 1 bytes or more
absl::StatusOr<PackedFlatbuffer> PackFlatTensor(const PayloadLists& lists, const PackOptions& options);

// "path[i]: ..." of the largest parts, when all together are too large for a flatbuffer.
struct Contribution {
  std::string_view path;
  std::optional<size_t> index;
  uint64_t size = 0;
};
absl::Status CheckFlatbufferSize(std::vector<Contribution> parts);

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_PACK_H_
