#include "src/format/header.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "src/base/checked.h"
#include "src/base/fault.h"
#include "src/base/little_endian.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/format/wire.h"

namespace pte {
namespace {

absl::Status Damaged(const Fault& fault) { return FaultStatus(absl::StatusCode::kDataLoss, fault); }
absl::Status TooShort(const Fault& fault) { return FaultStatus(absl::StatusCode::kOutOfRange, fault); }

std::string AtLeast(uint64_t value) { return absl::StrCat("at least ", Number(value)); }
std::string AtMost(uint64_t value) { return absl::StrCat("at most ", Number(value)); }

// Where what is legal, but unusual, is noted.
struct Notes {
  std::vector<Finding>* list;
  void Add(Severity severity, const Fault& fault) const {
    if (list != nullptr) list->push_back(FindingOf(severity, fault));
  }
};

// The head with what every judgement needs beside it.
struct Head {
  std::span<const std::byte> bytes;
  uint64_t file_size;
  Notes notes;

  uint32_t U32(size_t at) const { return LoadU32(bytes.data() + at); }
  uint64_t U64(size_t at) const { return LoadU64(bytes.data() + at); }
  std::string_view Text(size_t at, size_t length) const {
    if (at >= bytes.size()) return {};
    return {reinterpret_cast<const char*>(bytes.data()) + at, std::min(length, bytes.size() - at)};
  }
  std::string_view Identifier() const { return Text(wire::kIdentifierOffset, wire::kIdentifierLength); }

  void Note(Severity severity, const Fault& fault) const { notes.Add(severity, fault); }
};

std::string_view ForeignName(const Head& head) {
  for (const wire::Foreign& foreign : wire::kForeign) {
    if (head.Text(foreign.offset, foreign.magic.size()) == foreign.magic) return foreign.name;
  }
  const bool zeros = std::all_of(head.bytes.begin(), head.bytes.end(), [](std::byte b) { return b == std::byte{0}; });
  return zeros ? "a file of zeros, as an interrupted copy leaves it" : "";
}

// The kind with this identifier, or with another version of it.
std::optional<ContainerKind> FamilyOf(std::string_view identifier) {
  const auto same_letters = [&](std::string_view known) {
    return identifier.substr(0, wire::kIdentifierFamilyLength) == known.substr(0, wire::kIdentifierFamilyLength);
  };
  if (same_letters(wire::kPteIdentifier)) return ContainerKind::kPte;
  if (same_letters(wire::kPtdIdentifier)) return ContainerKind::kPtd;
  if (same_letters(wire::kBpteIdentifier)) return ContainerKind::kBpte;
  return std::nullopt;
}

std::string_view IdentifierOf(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kPte: return wire::kPteIdentifier;
    case ContainerKind::kPtd: return wire::kPtdIdentifier;
    case ContainerKind::kBpte: break;
  }
  return wire::kBpteIdentifier;
}

// The letters of a known identifier followed by two other digits or letters: a version, not damage.
bool LooksLikeVersion(std::string_view identifier) {
  return std::all_of(identifier.begin(), identifier.end(), [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); });
}

absl::StatusOr<ContainerKind> ParseIdentifier(const Head& head) {
  const std::string_view identifier = head.Identifier();
  for (const ContainerKind kind : {ContainerKind::kPte, ContainerKind::kPtd, ContainerKind::kBpte}) {
    if (identifier == IdentifierOf(kind)) return kind;
  }
  Fault fault{"H2", wire::kIdentifierOffset, "identifier", "", "", ShowBytes(identifier)};
  const std::optional<ContainerKind> family = FamilyOf(identifier);
  if (family && LooksLikeVersion(identifier)) {
    if (*family == ContainerKind::kPtd) fault.rule = "D2";
    fault.what = absl::StrCat("another version of a .", ToAbsl(ContainerKindName(*family)), " file");
    fault.expected = ShowBytes(IdentifierOf(*family));
    return FaultStatus(absl::StatusCode::kUnimplemented, fault);
  }
  const std::string_view foreign = ForeignName(head);
  fault.what = foreign.empty() ? "not an ExecuTorch file" : absl::StrCat("not an ExecuTorch file: this is ", ToAbsl(foreign));
  fault.expected = absl::StrCat(ToAbsl(wire::kPteIdentifier), ", ", ToAbsl(wire::kPtdIdentifier), " or ", ToAbsl(wire::kBpteIdentifier));
  return Damaged(fault);
}

// The root table must begin after the head and before the end of the flatbuffer.
absl::Status CheckRoot(const ContainerHeader& header, std::string_view rule) {
  const uint64_t lowest = header.has_extended_header ? wire::kExtendedHeaderOffset + uint64_t{header.header_length} : wire::kPlainHeadSize;
  const bool inside = header.root_offset >= lowest && RangeInside(header.root_offset, wire::kSmallestRootTable, header.program_size);
  if (inside) return absl::OkStatus();
  return Damaged({std::string(rule), wire::kRootOffset, "root", "the root table begins outside the flatbuffer",
                  absl::StrCat("from ", Number(lowest), " to ", Number(header.program_size), " less ", wire::kSmallestRootTable),
                  Number(header.root_offset)});
}

absl::Status CheckFlatbufferLimit(uint64_t size, std::optional<uint64_t> field, std::string_view path) {
  if (size < wire::kFlatbufferLimit) return absl::OkStatus();
  return FaultStatus(absl::StatusCode::kResourceExhausted, {"H10", field, std::string(path), "a flatbuffer this large cannot be addressed",
                                                            AtMost(wire::kFlatbufferLimit - 1), Number(size)});
}

// A header that the file is too short to hold.
absl::Status CheckHeaderPresent(const Head& head, std::string_view rule, uint64_t length) {
  const uint64_t needed = wire::kExtendedHeaderOffset + length;
  if (head.bytes.size() >= needed) return absl::OkStatus();
  return TooShort({std::string(rule), head.file_size, "header", "the file ends inside its extended header", AtLeast(needed) + " bytes",
                   Number(head.file_size)});
}

absl::StatusOr<ContainerHeader> ParsePlain(const Head& head, ContainerHeader header, std::string_view rule) {
  header.program_size = head.file_size;
  PTE_RETURN_IF_ERROR(CheckFlatbufferLimit(header.program_size, std::nullopt, "file size"));
  PTE_RETURN_IF_ERROR(CheckRoot(header, rule));
  return header;
}

absl::StatusOr<ContainerHeader> ParseHeaderlessPte(const Head& head, ContainerHeader header) {
  const std::string_view magic = head.Text(wire::kExtendedHeaderOffset, wire::kMagicLength);
  if (magic.substr(0, wire::kPteMagicFamilyLength) == wire::kPteMagic.substr(0, wire::kPteMagicFamilyLength)) {
    head.Note(Severity::kWarning, {"H3", wire::kExtendedHeaderOffset, "header.magic", "almost the magic of an extended header",
                                   ShowBytes(wire::kPteMagic), ShowBytes(magic)});
  }
  return ParsePlain(head, header, "H23");
}

absl::Status CheckPteLength(const Head& head, uint32_t length) {
  // What follows is read only where the header can be one: the magic has been met in front of a vtable.
  if (!RangeInside(wire::kExtendedHeaderOffset, length, head.file_size) && length > wire::kPteHeaderLength) {
    return Damaged({"H7", wire::kHeaderLengthOffset, "header.length", "the extended header runs past the end of the file",
                    AtMost(head.file_size - wire::kExtendedHeaderOffset), Number(length)});
  }
  Fault fault{
      "H4",          wire::kHeaderLengthOffset, "header.length", "shorter than any extended header", AtLeast(wire::kPteShortHeaderLength),
      Number(length)};
  if (length < wire::kPteShortHeaderLength) return Damaged(fault);
  if (length > wire::kPteShortHeaderLength && length < wire::kPteHeaderLength) {
    fault.rule = "H5";
    fault.what = "cuts segment_data_size, which is taken as absent";
    fault.expected = absl::StrCat(wire::kPteShortHeaderLength, " or ", AtLeast(wire::kPteHeaderLength));
    head.Note(Severity::kWarning, fault);
  }
  if (length > wire::kPteHeaderLength) {
    fault.rule = "H6";
    fault.what = "longer than this library knows; what follows is ignored";
    fault.expected = Number(wire::kPteHeaderLength);
    head.Note(Severity::kInfo, fault);
  }
  return absl::OkStatus();
}

absl::Status CheckPteProgramSize(const Head& head, const ContainerHeader& header) {
  Fault fault{"", wire::kPteProgramSizeOffset, "header.program_size", "", "", Number(header.program_size)};
  if (header.program_size < wire::kPlainHeadSize) {
    fault.rule = "H8";
    fault.what = "smaller than any flatbuffer";
    fault.expected = AtLeast(wire::kPlainHeadSize);
    return Damaged(fault);
  }
  if (header.program_size > head.file_size) {
    fault.rule = "H10";
    fault.what = "the program ends beyond the file";
    fault.expected = AtMost(head.file_size);
    return TooShort(fault);
  }
  const uint64_t header_end = wire::kExtendedHeaderOffset + uint64_t{header.header_length};
  if (header_end > header.program_size) {
    // A length that a known header could have points at the size, any other at the length.
    const bool size_is_wrong = header.header_length <= wire::kPteHeaderLength;
    fault = {size_is_wrong ? "H9" : "H7",
             size_is_wrong ? wire::kPteProgramSizeOffset : wire::kHeaderLengthOffset,
             size_is_wrong ? "header.program_size" : "header.length",
             "the extended header runs past the end of the program",
             size_is_wrong ? AtLeast(header_end) : AtMost(header.program_size - wire::kExtendedHeaderOffset),
             Number(size_is_wrong ? header.program_size : header.header_length)};
    return Damaged(fault);
  }
  return CheckFlatbufferLimit(header.program_size, wire::kPteProgramSizeOffset, "header.program_size");
}

// Where base, data size and the field that holds each differ between .pte and .ptd, with the rules that judge them.
struct SegmentFrameRules {
  size_t base_offset;
  size_t data_size_offset;
  std::string_view inside_program;
  std::string_view base_beyond_file;
  std::string_view wraps;
  std::string_view data_beyond_file;
  std::string_view trailing;
  std::string_view base_unaligned;
};
constexpr SegmentFrameRules kPteFrame{
    wire::kPteSegmentBaseOffset, wire::kPteSegmentDataSizeOffset, "H11", "H13", "H14", "H15", "H20", "H22"};
constexpr SegmentFrameRules kPtdFrame{wire::kPtdSegmentBaseOffset, wire::kPtdSegmentDataSizeOffset, "D5", "D8", "D6", "D8", "D25", "D25"};

// What is legal about a segment frame that has passed, but no writer's default.
void NoteSegmentFrame(const ContainerHeader& header, const SegmentFrameRules& rules, const Notes& notes) {
  const uint64_t base = header.segment_base_offset;
  if (base % wire::kSmallestUsualAlignment != 0) {
    notes.Add(Severity::kWarning,
              {std::string(rules.base_unaligned), rules.base_offset, "header.segment_base_offset",
               "the segments begin at an unaligned offset", absl::StrCat("a multiple of ", wire::kSmallestUsualAlignment), Number(base)});
  }
  // A .pte that declares no data may still have some: its segments tell.
  const bool declared = header.kind == ContainerKind::kPtd || header.segment_data_size.value_or(0) != 0;
  const uint64_t end = base + header.segment_data_size.value_or(0);
  if (declared && end < header.file_size) {
    notes.Add(Severity::kWarning, {std::string(rules.trailing), end, "file size", "bytes follow the declared segment data", Number(end),
                                   Number(header.file_size)});
  }
}

absl::Status CheckFrame(const ContainerHeader& header, const SegmentFrameRules& rules, const Notes& notes) {
  const uint64_t base = header.segment_base_offset;
  if (base < header.program_size) {
    return Damaged({std::string(rules.inside_program), rules.base_offset, "header.segment_base_offset",
                    "the segments begin inside the program", AtLeast(header.program_size), Number(base)});
  }
  if (base > header.file_size) {
    return TooShort({std::string(rules.base_beyond_file), rules.base_offset, "header.segment_base_offset",
                     "the segments begin beyond the file", AtMost(header.file_size), Number(base)});
  }
  if (!header.segment_data_size) {
    NoteSegmentFrame(header, rules, notes);
    return absl::OkStatus();
  }
  Fault fault{"", rules.data_size_offset,          "header.segment_data_size",
              "", AtMost(header.file_size - base), Number(*header.segment_data_size)};
  if (!CheckedAdd(base, *header.segment_data_size)) {
    fault.rule = rules.wraps;
    fault.what = "the end of the segments cannot be expressed in 64 bits";
    return Damaged(fault);
  }
  if (!RangeInside(base, *header.segment_data_size, header.file_size)) {
    fault.rule = rules.data_beyond_file;
    fault.what = "the segments end beyond the file";
    return TooShort(fault);
  }
  NoteSegmentFrame(header, rules, notes);
  return absl::OkStatus();
}

absl::StatusOr<ContainerHeader> ParsePteWithHeader(const Head& head, ContainerHeader header) {
  header.has_extended_header = true;
  PTE_RETURN_IF_ERROR(CheckHeaderPresent(head, "H1", wire::kHeaderLengthOffset + sizeof(uint32_t) - wire::kExtendedHeaderOffset));
  header.header_length = head.U32(wire::kHeaderLengthOffset);
  PTE_RETURN_IF_ERROR(CheckPteLength(head, header.header_length));
  PTE_RETURN_IF_ERROR(CheckHeaderPresent(head, "H1", std::min(header.header_length, wire::kPteHeaderLength)));
  header.program_size = head.U64(wire::kPteProgramSizeOffset);
  header.segment_base_offset = head.U64(wire::kPteSegmentBaseOffset);
  if (header.header_length >= wire::kPteHeaderLength) header.segment_data_size = head.U64(wire::kPteSegmentDataSizeOffset);
  PTE_RETURN_IF_ERROR(CheckPteProgramSize(head, header));
  const uint64_t header_end = wire::kExtendedHeaderOffset + uint64_t{header.header_length};
  const bool in_header = header.root_offset >= wire::kExtendedHeaderOffset && header.root_offset < header_end;
  PTE_RETURN_IF_ERROR(CheckRoot(header, in_header ? "H24" : "H23"));
  return header;
}

absl::StatusOr<ContainerHeader> ParsePte(const Head& head, const ContainerHeader& common) {
  const bool has_header = head.Text(wire::kExtendedHeaderOffset, wire::kMagicLength) == wire::kPteMagic;
  PTE_ASSIGN_OR_RETURN(ContainerHeader header, has_header ? ParsePteWithHeader(head, common) : ParseHeaderlessPte(head, common));
  if (head.file_size < wire::kReferenceHeadSize) {
    head.Note(Severity::kWarning, {"H1", std::nullopt, "file size", "the reference runtime refuses files this short",
                                   AtLeast(wire::kReferenceHeadSize), Number(head.file_size)});
  }
  return header;
}

absl::Status CheckPtdFlatbuffer(const Head& head, const ContainerHeader& header) {
  Fault fault{"D4",
              wire::kPtdFlatbufferOffsetOffset,
              "header.flatbuffer_offset",
              "smaller than the extended header that it stands for",
              AtLeast(header.header_length),
              Number(header.flatbuffer_offset)};
  if (header.flatbuffer_offset > head.file_size) {
    fault.what = "the flatbuffer begins beyond the file";
    fault.expected = AtMost(head.file_size);
    return TooShort(fault);
  }
  const std::optional<uint64_t> end = CheckedAdd(header.flatbuffer_offset, header.flatbuffer_size);
  if (header.header_length > header.flatbuffer_offset && header.header_length > wire::kPtdHeaderLength) {
    return Damaged({"D3", wire::kHeaderLengthOffset, "header.length", "the extended header runs into the flatbuffer",
                    AtMost(header.flatbuffer_offset), Number(header.header_length)});
  }
  if (header.flatbuffer_offset < header.header_length) return Damaged(fault);
  fault.file_offset = wire::kPtdFlatbufferSizeOffset;
  fault.path = "header.flatbuffer_size";
  fault.actual = Number(header.flatbuffer_size);
  fault.expected = AtLeast(wire::kPlainHeadSize);
  fault.what = "smaller than any flatbuffer";
  if (header.flatbuffer_size < wire::kPlainHeadSize) return Damaged(fault);
  fault.expected = AtMost(head.file_size - header.flatbuffer_offset);
  fault.what = "the end of the flatbuffer cannot be expressed in 64 bits";
  if (!end) return Damaged(fault);
  fault.what = "the flatbuffer ends beyond the file";
  if (*end > head.file_size) return TooShort(fault);
  return CheckFlatbufferLimit(*end, wire::kPtdFlatbufferSizeOffset, "header.flatbuffer_size");
}

absl::StatusOr<ContainerHeader> ParsePtd(const Head& head, ContainerHeader header) {
  const std::string_view magic = head.Text(wire::kExtendedHeaderOffset, wire::kMagicLength);
  if (magic.size() == wire::kMagicLength && magic != wire::kPtdMagic) {
    return Damaged({"D2", wire::kExtendedHeaderOffset, "header.magic", "no extended header, which every .ptd has",
                    ShowBytes(wire::kPtdMagic), ShowBytes(magic)});
  }
  PTE_RETURN_IF_ERROR(CheckHeaderPresent(head, "D1", wire::kPtdHeaderLength));
  header.has_extended_header = true;
  header.header_length = head.U32(wire::kHeaderLengthOffset);
  if (header.header_length < wire::kPtdHeaderLength) {
    return Damaged({"D3", wire::kHeaderLengthOffset, "header.length", "shorter than any extended header", AtLeast(wire::kPtdHeaderLength),
                    Number(header.header_length)});
  }
  header.flatbuffer_offset = head.U64(wire::kPtdFlatbufferOffsetOffset);
  header.flatbuffer_size = head.U64(wire::kPtdFlatbufferSizeOffset);
  header.segment_base_offset = head.U64(wire::kPtdSegmentBaseOffset);
  header.segment_data_size = head.U64(wire::kPtdSegmentDataSizeOffset);
  PTE_RETURN_IF_ERROR(CheckPtdFlatbuffer(head, header));
  header.program_size = header.flatbuffer_offset + header.flatbuffer_size;
  PTE_RETURN_IF_ERROR(CheckRoot(header, "D9"));
  return header;
}

}  // namespace

std::string_view ContainerKindName(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kPte: return "pte";
    case ContainerKind::kPtd: return "ptd";
    case ContainerKind::kBpte: break;
  }
  return "bpte";
}

std::optional<ContainerKind> KindOf(std::span<const std::byte> bytes) {
  return FamilyOf(Head{bytes, bytes.size(), {nullptr}}.Identifier());
}

absl::StatusOr<ContainerHeader> ParseHeader(std::span<const std::byte> head, uint64_t file_size, std::vector<Finding>* notes) {
  PTE_ASSIGN_OR_RETURN(ContainerHeader header, ParseFlatbufferFrame(head, file_size, notes));
  PTE_RETURN_IF_ERROR(CheckSegmentFrame(header, notes));
  return header;
}

absl::Status CheckSegmentFrame(const ContainerHeader& header, std::vector<Finding>* notes) {
  if (header.kind == ContainerKind::kPtd) return CheckFrame(header, kPtdFrame, {notes});
  if (!header.has_extended_header) return absl::OkStatus();
  if (header.segment_base_offset != 0) return CheckFrame(header, kPteFrame, {notes});
  if (header.segment_data_size.value_or(0) == 0) return absl::OkStatus();
  return Damaged({"H12", wire::kPteSegmentBaseOffset, "header.segment_base_offset", "no segment base, although there is segment data",
                  AtLeast(header.program_size), "0"});
}

absl::StatusOr<ContainerHeader> ParseFlatbufferFrame(std::span<const std::byte> bytes, uint64_t file_size, std::vector<Finding>* notes) {
  const Head head{bytes, file_size, {notes}};
  if (bytes.size() < wire::kPlainHeadSize) {
    return TooShort({"H1", file_size, "file size", file_size == 0 ? "the file is empty" : "too short for any container",
                     AtLeast(wire::kPlainHeadSize) + " bytes", Number(file_size)});
  }
  ContainerHeader header;
  header.file_size = file_size;
  header.root_offset = head.U32(wire::kRootOffset);
  PTE_ASSIGN_OR_RETURN(header.kind, ParseIdentifier(head));
  std::copy_n(head.Identifier().begin(), header.identifier.size(), header.identifier.begin());
  switch (header.kind) {
    case ContainerKind::kPte: return ParsePte(head, header);
    case ContainerKind::kPtd: return ParsePtd(head, header);
    case ContainerKind::kBpte: break;
  }
  return ParsePlain(head, header, "B2");
}

}  // namespace pte
