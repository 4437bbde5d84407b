#include "src/format/write_header.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "src/base/little_endian.h"
#include "src/base/math.h"
#include "src/format/wire.h"

namespace pte {
namespace {

std::string_view IdentifierOf(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kPte: return wire::kPteIdentifier;
    case ContainerKind::kPtd: return wire::kPtdIdentifier;
    case ContainerKind::kBpte: return wire::kBpteIdentifier;
  }
  return {};
}

void StoreText(std::span<std::byte> head, size_t at, std::string_view text) {
  std::transform(text.begin(), text.end(), head.data() + at, [](char c) { return static_cast<std::byte>(c); });
}

void StorePteFields(const ContainerHeader& header, std::span<std::byte> head) {
  StoreText(head, wire::kExtendedHeaderOffset, wire::kPteMagic);
  StoreU64(head.data() + wire::kPteProgramSizeOffset, header.program_size);
  StoreU64(head.data() + wire::kPteSegmentBaseOffset, header.segment_base_offset);
  StoreU64(head.data() + wire::kPteSegmentDataSizeOffset, header.segment_data_size.value_or(0));
}

void StorePtdFields(const ContainerHeader& header, std::span<std::byte> head) {
  StoreText(head, wire::kExtendedHeaderOffset, wire::kPtdMagic);
  StoreU64(head.data() + wire::kPtdFlatbufferOffsetOffset, header.flatbuffer_offset);
  StoreU64(head.data() + wire::kPtdFlatbufferSizeOffset, header.flatbuffer_size);
  StoreU64(head.data() + wire::kPtdSegmentBaseOffset, header.segment_base_offset);
  StoreU64(head.data() + wire::kPtdSegmentDataSizeOffset, header.segment_data_size.value_or(0));
}

}  // namespace

absl::StatusOr<ContainerHeader> MakeHeader(ContainerKind kind, uint64_t program_size, uint64_t slot, uint32_t root_offset,
                                           const SegmentLayout& segments) {
  ContainerHeader header;
  header.kind = kind;
  const std::string_view identifier = IdentifierOf(kind);
  std::copy(identifier.begin(), identifier.end(), header.identifier.begin());
  header.root_offset = root_offset;
  header.program_size = program_size;
  header.file_size = program_size;
  if (slot == 0) return header;
  header.has_extended_header = true;
  header.header_length = kind == ContainerKind::kPte ? wire::kPteHeaderLength : wire::kPtdHeaderLength;
  if (kind == ContainerKind::kPtd) {
    header.flatbuffer_offset = slot;
    header.flatbuffer_size = program_size - slot;
  }
  const std::optional<uint64_t> base = AlignUp(program_size, segments.base_alignment);
  const std::optional<uint64_t> end = base ? CheckedAdd(*base, segments.data_size) : std::nullopt;
  if (!end) return absl::InvalidArgumentError("file: larger than any file; wanted less than 2^64 bytes");
  header.segment_base_offset = *base;
  header.segment_data_size = segments.data_size;
  header.file_size = *end;
  return header;
}

void StoreHeader(const ContainerHeader& header, std::span<std::byte> head) {
  StoreU32(head.data() + wire::kRootOffset, header.root_offset);
  StoreText(head, wire::kIdentifierOffset, {header.identifier.data(), header.identifier.size()});
  if (!header.has_extended_header) return;
  StoreU32(head.data() + wire::kHeaderLengthOffset, header.header_length);
  if (header.kind == ContainerKind::kPte) {
    StorePteFields(header, head);
  } else {
    StorePtdFields(header, head);
  }
}

}  // namespace pte
