#include "src/container/open.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/checked.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/format/header.h"
#include "src/format/wire.h"

namespace pte {
namespace {

absl::StatusOr<std::vector<std::byte>> HeadOf(const ByteSource& source) {
  std::vector<std::byte> head(static_cast<size_t>(std::min<uint64_t>(wire::kHeadSize, source.size())));
  PTE_RETURN_IF_ERROR(source.ReadAt(0, head));
  return head;
}

std::string_view LongName(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kPte: return "a program (.pte)";
    case ContainerKind::kPtd: return "tensor data (.ptd)";
    case ContainerKind::kBpte: break;
  }
  return "a bundled program (.bpte)";
}

absl::Status WrongKind(ContainerKind wanted, ContainerKind found) {
  const std::string_view hint =
      wanted == ContainerKind::kPte && found == ContainerKind::kBpte ? "; open the bundle and take its program" : "";
  return FaultStatus(absl::StatusCode::kInvalidArgument,
                     {"H2", wire::kIdentifierOffset, "identifier", absl::StrCat("another kind of container was asked for", ToAbsl(hint)),
                      std::string(LongName(wanted)), std::string(LongName(found))});
}

}  // namespace

absl::StatusOr<ContainerHeader> ReadContainerHeader(const ByteSource& source, std::vector<Finding>* notes) {
  return WithoutThrowing([&]() -> absl::StatusOr<ContainerHeader> {
    PTE_ASSIGN_OR_RETURN(const std::vector<std::byte> head, HeadOf(source));
    absl::StatusOr<ContainerHeader> header = ParseHeader(head, source.size(), notes);
    if (!header.ok()) return OpeningError(header.status(), source.name(), 0);
    return header;
  });
}

absl::Status ReadHead(OpenContainer& container) {
  PTE_ASSIGN_OR_RETURN(container.head, HeadOf(*container.source));
  return absl::OkStatus();
}

absl::Status OpenHead(std::shared_ptr<const ByteSource> source, uint64_t file_offset, ContainerKind wanted, const OpenOptions& options,
                      OpenContainer& container) {
  container.source = std::move(source);
  container.file_offset = file_offset;
  container.options = options;
  PTE_RETURN_IF_ERROR(ReadHead(container));
  PTE_ASSIGN_OR_RETURN(container.header, ParseHeader(container.head, container.source->size(), &container.notes));
  return container.header.kind == wanted ? absl::OkStatus() : WrongKind(wanted, container.header.kind);
}

absl::Status ReadFlatbuffer(OpenContainer& container, std::optional<ByteRange> skip) {
  const uint64_t size = container.header.program_size;
  PTE_ASSIGN_OR_RETURN(const Memory memory, skip ? ReserveZeroed(size) : AllocateMemory(size));
  const auto head = static_cast<size_t>(std::min<uint64_t>(container.head.size(), size));
  std::memcpy(memory.span.data(), container.head.data(), head);
  const ByteRange hole = skip.value_or(ByteRange{size, 0});
  if (hole.offset < head) {
    std::memset(memory.span.data() + hole.offset, 0, static_cast<size_t>(std::min(head - hole.offset, hole.size)));
  }
  const auto read = [&](uint64_t begin, uint64_t end) {
    if (begin >= end) return absl::OkStatus();
    return container.source->ReadAt(begin, memory.span.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  };
  PTE_RETURN_IF_ERROR(read(head, hole.offset));
  PTE_RETURN_IF_ERROR(read(std::max<uint64_t>(head, hole.offset + hole.size), size));
  container.flatbuffer = Bytes::WithOwner(memory.owner, memory.span);
  container.unread = hole;
  container.flatbuffer_source = std::make_shared<MemorySource>(container.flatbuffer);
  return absl::OkStatus();
}

absl::Status CheckVersion(OpenContainer& container, std::string_view rule, uint32_t version, uint32_t known, uint64_t field) {
  if (version <= known || container.options.allow_newer) return absl::OkStatus();
  return container.Refuse(absl::StatusCode::kUnimplemented,
                          {std::string(rule), field, "version", "a newer schema version than this library knows",
                           absl::StrCat("at most ", known), absl::StrCat(version)});
}

absl::Status NoSuchIndex(const OpenContainer& container, std::string_view what, size_t index, size_t count) {
  return absl::InvalidArgumentError(
      absl::StrCat(container.source->name(), ": no such ", ToAbsl(what), "; wanted an index below ", count, ", found ", index));
}

absl::Status OpeningError(const absl::Status& status, std::string_view name, uint64_t file_offset) {
  if (!FaultOf(status)) return status;
  return WithName(AtFileOffset(status, file_offset), name);
}

absl::Status OpenContainer::Refuse(absl::StatusCode code, const Fault& fault) {
  if (!judge) return FaultStatus(code, fault);
  judge(Severity::kError, fault);
  return absl::OkStatus();
}

void OpenContainer::Note(Severity severity, const Fault& fault) {
  if (judge) return judge(severity, fault);
  if (notes.size() >= options.limits.max_notes) return;
  notes.push_back(FindingOf(severity, fault));
}

void OpenContainer::FinishNotes() {
  for (Finding& note : notes) {
    if (note.file_offset) *note.file_offset += file_offset;
  }
}

uint64_t OpenContainer::OffsetOf(const void* address) const {
  return static_cast<uint64_t>(static_cast<const std::byte*>(address) - flatbuffer.data());
}

uint64_t OpenContainer::OffsetOf(const void* table, flatbuffers::voffset_t field) const {
  const uint8_t* address = static_cast<const flatbuffers::Table*>(table)->GetAddressOf(field);
  return OffsetOf(address == nullptr ? table : address);
}

absl::StatusOr<Payload> OpenContainer::SegmentPayload(uint32_t index) const {
  if (index >= segments.size()) return NoSuchIndex(*this, "segment", index, segments.size());
  return SegmentAt(index);
}

Payload OpenContainer::InlinePayload(const flatbuffers::Vector<uint8_t>* bytes) const {
  if (bytes == nullptr) return {flatbuffer_source, 0, 0, file_offset};
  const uint64_t offset = OffsetOf(bytes->Data());
  return {flatbuffer_source, offset, bytes->size(), file_offset + offset};
}

}  // namespace pte
