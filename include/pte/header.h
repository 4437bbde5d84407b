// ContainerHeader: what the first 48 bytes of a .pte, .ptd or .bpte say, and the one helper that reads them.
//
//   absl::StatusOr<pte::ContainerHeader> header = pte::ReadContainerHeader(*source);
//   if (!header.ok()) return header.status();
//   if (header->kind == pte::ContainerKind::kPte && header->has_extended_header)
//     std::printf("segments from %llu\n", (unsigned long long)header->segment_base_offset);
//
// Every reader and tool of the library goes through this helper; nothing else parses a magic.
// Source of the facts: schema/FORMAT.md, sections "Head of a .pte", "Head of a .ptd", "Head of a .bpte".
//
// Ownership: a plain value.  Cost: one read of at most 48 bytes, whatever the file's size.
#ifndef PTE_HEADER_H_
#define PTE_HEADER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/byte_source.h"
#include "pte/export.h"
#include "pte/finding.h"

namespace pte {

enum class ContainerKind : uint8_t { kPte, kPtd, kBpte };

// "pte", "ptd", "bpte".
PTE_EXPORT std::string_view ContainerKindName(ContainerKind kind);

// All offsets and sizes are in bytes and count from the start of this container.
struct ContainerHeader {
  ContainerKind kind = ContainerKind::kPte;
  std::array<char, 4> identifier = {};  // bytes 4 to 7, such as "ET12"
  uint64_t file_size = 0;               // of the source; the lengths below have been checked against it

  // A .pte whose segments hold no byte, and every .bpte, is a plain flatbuffer without extended header.
  bool has_extended_header = false;
  uint32_t header_length = 0;  // as stored, counted from byte 8; 0 without extended header

  uint32_t root_offset = 0;  // of the root table, from byte 0

  // The flatbuffer is bytes [0, program_size), the extended header inside it included. .pte: as stored, or file_size without extended
  // header. .ptd: flatbuffer_offset + flatbuffer_size. .bpte: file_size.
  uint64_t program_size = 0;

  // As stored, .ptd only. Despite its name flatbuffer_offset is the number of bytes that the extended header takes up from byte 8;
  // flatbuffer_size counts the flatbuffer without them.
  uint64_t flatbuffer_offset = 0;
  uint64_t flatbuffer_size = 0;

  uint64_t segment_base_offset = 0;           // 0: the container has no segment bytes
  std::optional<uint64_t> segment_data_size;  // nullopt where the header is too short to say it (24 bytes, files before ExecuTorch 1.0)
};

// Reads and judges the head of any container. What is legal but unusual is appended to `notes` where given.
//   kOutOfRange         shorter than 8 bytes, than the header it announces, or than the sizes in its header
//   kDataLoss           not a container (the message names what it looks like), or the header contradicts itself
//   kUnimplemented      another version of a container, such as "ET13"
//   kResourceExhausted  a flatbuffer of 2^31 - 1 bytes or more, which no reader of the format can address
//   others              from source.ReadAt
PTE_EXPORT absl::StatusOr<ContainerHeader> ReadContainerHeader(const ByteSource& source, std::vector<Finding>* notes = nullptr);

}  // namespace pte

#endif  // PTE_HEADER_H_
