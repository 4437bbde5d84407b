#include "src/container/pte_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/flatbuffer/verify.h"
#include "src/format/wire.h"

namespace pte {
namespace {

using flatbuffers::uoffset_t;

// `path` is asked for where the vector is misaligned.
template <class Element, class Path>
absl::Status CheckWide(const OpenContainer& container, const flatbuffers::Vector<Element>* vector, Path path) {
  static_assert(sizeof(Element) == sizeof(uint64_t));
  // Exporters have written empty vectors at any multiple of 4: there is no element to be misaligned.
  if (CountOf(vector) == 0 || container.OffsetOf(vector->Data()) % sizeof(Element) == 0) return absl::OkStatus();
  return DataLoss({"F2", container.OffsetOf(vector), path(), "the vector's elements are misaligned", "a multiple of 8",
                   Number(container.OffsetOf(vector->Data()))});
}

absl::Status CheckWideValues(const OpenContainer& container, const fb::ExecutionPlan& plan, uoffset_t plan_index) {
  for (uoffset_t i = 0; i < CountOf(plan.values()); ++i) {
    const fb::EValue* value = plan.values()->Get(i);
    const auto path = [&] { return absl::StrCat("execution_plan[", plan_index, "].values[", i, "].val.items"); };
    if (const fb::IntList* list = value->val_as_IntList()) {
      PTE_RETURN_IF_ERROR(CheckWide(container, list->items(), path));
    } else if (const fb::DoubleList* doubles = value->val_as_DoubleList()) {
      PTE_RETURN_IF_ERROR(CheckWide(container, doubles->items(), path));
    }
  }
  return absl::OkStatus();
}

const flatbuffers::Vector<uint64_t>* OffsetsOf(const fb::SubsegmentOffsets* offsets) {
  return offsets == nullptr ? nullptr : offsets->offsets();
}

// An index is out of range for another reason where the whole list is missing.
std::string SegmentIndexRule(const fb::Program& program, std::string_view rule) {
  return std::string(program.segments() == nullptr ? "S3" : rule);
}

// The rules by which constant and mutable offsets are refused.
struct OffsetRules {
  std::string_view path;
  std::string_view segment_index;
  std::string_view beyond_segment;
};

// Offsets must not decrease, nor leave their segment.
absl::Status CheckOffsets(OpenContainer& container, const flatbuffers::Vector<uint64_t>& offsets, const Segment& segment,
                          const OffsetRules& rules) {
  uint64_t previous = 0;
  for (uoffset_t i = 0; i < offsets.size(); ++i) {
    const uint64_t offset = offsets.Get(i);
    const bool beyond = offset > segment.size;
    const uint64_t least = std::exchange(previous, offset);
    if (!beyond && offset >= least) continue;
    const uint64_t at = container.OffsetOf(offsets.Data() + size_t{i} * sizeof(uint64_t));
    const std::string path = absl::StrCat(ToAbsl(rules.path), ".offsets[", i, "]");
    if (beyond) {
      PTE_RETURN_IF_ERROR(
          container.Refuse({std::string(rules.beyond_segment), at, path, absl::StrCat("begins beyond segment ", segment.index),
                            absl::StrCat("at most ", Number(segment.size)), Number(offset)}));
    } else {
      PTE_RETURN_IF_ERROR(
          container.Refuse({"S15", at, path, "the offsets decrease", absl::StrCat("at least ", Number(least)), Number(offset)}));
    }
  }
  return absl::OkStatus();
}

Fault BadSegmentIndex(const OpenContainer& container, const fb::Program& program, const fb::SubsegmentOffsets& table, size_t segments,
                      const OffsetRules& rules) {
  return {SegmentIndexRule(program, rules.segment_index),
          container.OffsetOf(&table, fb::SubsegmentOffsets::VT_SEGMENT_INDEX),
          absl::StrCat(ToAbsl(rules.path), ".segment_index"),
          "no such segment",
          absl::StrCat("below ", segments),
          absl::StrCat(table.segment_index())};
}

// Names what is wrong with a reference that is not sound.
absl::Status RefuseReference(OpenContainer& container, const fb::Program& program, const fb::BackendDelegateDataReference& reference,
                             size_t segments, const std::string& path) {
  using Reference = fb::BackendDelegateDataReference;
  Fault fault{"P17", container.OffsetOf(&reference, Reference::VT_INDEX), path + ".index", "", "", absl::StrCat(reference.index())};
  switch (reference.location()) {
    case fb::DataLocation::INLINE:
      fault.rule = "P16";
      fault.what = "no such entry in backend_delegate_data";
      fault.expected = absl::StrCat("below ", CountOf(program.backend_delegate_data()));
      return container.Refuse(fault);
    case fb::DataLocation::SEGMENT:
      fault.rule = SegmentIndexRule(program, "P17");
      fault.what = "no such segment";
      fault.expected = absl::StrCat("below ", segments);
      return container.Refuse(fault);
  }
  return container.Refuse({"P17", container.OffsetOf(&reference, Reference::VT_LOCATION), path + ".location", "no such location",
                           "0 (INLINE) or 1 (SEGMENT)", absl::StrCat(static_cast<int>(reference.location()))});
}

// Whether the reference leads to bytes, without making a text of its path.
bool IsSound(const fb::BackendDelegateDataReference* reference, size_t inline_entries, size_t segments) {
  if (reference == nullptr) return false;
  if (reference->location() == fb::DataLocation::SEGMENT) return reference->index() < segments;
  return reference->location() == fb::DataLocation::INLINE && reference->index() < inline_entries;
}

void NoteEmptyEntries(OpenContainer& container, const fb::Program& program) {
  for (uoffset_t i = 0; i < CountOf(program.backend_delegate_data()); ++i) {
    const fb::BackendDelegateInlineData* entry = program.backend_delegate_data()->Get(i);
    if (entry->data() != nullptr) continue;
    container.Note(Severity::kWarning, {"P16", container.OffsetOf(entry), absl::StrCat("backend_delegate_data[", i, "].data"),
                                        "the entry holds no data; taken as empty", "a vector", "nothing"});
  }
}

}  // namespace

bool ConstantsInSegment(const fb::Program& program) {
  const size_t offsets = CountOf(OffsetsOf(program.constant_segment()));
  return offsets > 1 || CountOf(program.constant_buffer()) == 0;
}

absl::Status VerifyProgram(const OpenContainer& container) {
  return VerifyFlatbuffer(container.flatbuffer.span(), SchemaOf<fb::Program>("F1", "F3"), container.options.limits);
}

absl::Status CheckWideVectors(const OpenContainer& container, const fb::Program& program) {
  PTE_RETURN_IF_ERROR(CheckWide(container, OffsetsOf(program.constant_segment()), [] { return std::string("constant_segment.offsets"); }));
  for (uoffset_t i = 0; i < CountOf(program.mutable_data_segments()); ++i) {
    PTE_RETURN_IF_ERROR(CheckWide(container, program.mutable_data_segments()->Get(i)->offsets(),
                                  [&] { return absl::StrCat("mutable_data_segments[", i, "].offsets"); }));
  }
  for (uoffset_t i = 0; i < CountOf(program.execution_plan()); ++i) {
    const fb::ExecutionPlan* plan = program.execution_plan()->Get(i);
    PTE_RETURN_IF_ERROR(CheckWide(container, plan->non_const_buffer_sizes(),
                                  [&] { return absl::StrCat("execution_plan[", i, "].non_const_buffer_sizes"); }));
    PTE_RETURN_IF_ERROR(CheckWideValues(container, *plan, i));
  }
  return absl::OkStatus();
}

absl::Status CheckConstants(OpenContainer& container, const fb::Program& program, std::span<const Segment> segments) {
  static constexpr OffsetRules kRules{"constant_segment", "S13", "S16"};
  const fb::SubsegmentOffsets* table = program.constant_segment();
  const flatbuffers::Vector<uint64_t>* offsets = OffsetsOf(table);
  if (CountOf(offsets) == 0) return absl::OkStatus();
  if (offsets->size() > 1 && CountOf(program.constant_buffer()) > 0) {
    return container.Refuse({"S19", container.OffsetOf(program.constant_buffer()), "constant_buffer",
                             "constants inside the flatbuffer and in a segment at the same time", "one of them empty",
                             absl::StrCat(CountOf(program.constant_buffer()), " inside, ", offsets->size(), " in the segment")});
  }
  if (table->segment_index() >= segments.size()) {
    Fault fault = BadSegmentIndex(container, program, *table, segments.size(), kRules);
    if (offsets->size() > 1) return container.Refuse(fault);
    fault.rule = kRules.segment_index;  // a placeholder asks for no segment
    container.Note(Severity::kWarning, fault);
    return absl::OkStatus();
  }
  if (offsets->Get(0) != 0) {
    container.Note(Severity::kWarning, {"S14", container.OffsetOf(offsets->Data()), "constant_segment.offsets[0]",
                                        "the placeholder's offset is not 0", "0", Number(offsets->Get(0))});
  }
  return CheckOffsets(container, *offsets, segments[table->segment_index()], kRules);
}

absl::Status CheckMutableData(OpenContainer& container, const fb::Program& program, std::span<const Segment> segments) {
  static constexpr OffsetRules kRules{"mutable_data_segments[0]", "S21", "S21"};
  const auto* tables = program.mutable_data_segments();
  if (CountOf(tables) == 0) return absl::OkStatus();
  if (tables->size() > 1) {
    container.Note(Severity::kWarning, {"S21", container.OffsetOf(tables), "mutable_data_segments", "only the first entry is ever used",
                                        "1", absl::StrCat(tables->size())});
  }
  const fb::SubsegmentOffsets& first = *tables->Get(0);
  if (CountOf(first.offsets()) == 0) return absl::OkStatus();
  if (first.segment_index() >= segments.size()) {
    return container.Refuse(BadSegmentIndex(container, program, first, segments.size(), kRules));
  }
  return CheckOffsets(container, *first.offsets(), segments[first.segment_index()], kRules);
}

absl::Status CheckDelegates(OpenContainer& container, const fb::Program& program, std::span<const Segment> segments) {
  NoteEmptyEntries(container, program);
  for (uoffset_t p = 0; p < CountOf(program.execution_plan()); ++p) {
    const auto* delegates = program.execution_plan()->Get(p)->delegates();
    for (uoffset_t d = 0; d < CountOf(delegates); ++d) {
      const fb::BackendDelegate* delegate = delegates->Get(d);
      if (IsSound(delegate->processed(), CountOf(program.backend_delegate_data()), segments.size())) continue;
      const std::string path = absl::StrCat("execution_plan[", p, "].delegates[", d, "].processed");
      if (delegate->processed() != nullptr) {
        PTE_RETURN_IF_ERROR(RefuseReference(container, program, *delegate->processed(), segments.size(), path));
      } else {
        PTE_RETURN_IF_ERROR(container.Refuse(
            {"P13", container.OffsetOf(delegate), path, "the delegate does not say where its bytes are", "a reference", "nothing"}));
      }
    }
  }
  return absl::OkStatus();
}

void NoteSegments(OpenContainer& container, std::span<const Segment> segments) {
  const ContainerHeader& header = container.header;
  if (!header.has_extended_header) return;
  uint64_t end = std::max<uint64_t>(header.program_size, header.segment_base_offset);
  bool has_bytes = false;
  bool has_unplaced = false;
  for (const Segment& segment : segments) {
    has_unplaced = has_unplaced || segment.file_offset == kUnplaced;
    has_bytes = has_bytes || segment.size > 0;
    if (segment.size > 0 && segment.file_offset != kUnplaced)
      end = std::max(end, segment.file_offset - container.file_offset + segment.size);
  }
  if (!has_bytes && header.segment_base_offset != 0) {
    container.Note(Severity::kWarning, {"H18", wire::kPteSegmentBaseOffset, "header.segment_base_offset",
                                        "a segment base, but no segment has bytes", "0", Number(header.segment_base_offset)});
  }
  if (has_bytes && header.segment_base_offset != 0 && header.segment_data_size == uint64_t{0}) {
    container.Note(Severity::kWarning,
                   {"H17", wire::kPteSegmentDataSizeOffset, "header.segment_data_size",
                    "no segment data declared, although segments have bytes", Number(end - header.segment_base_offset), "0"});
  }
  if (header.segment_data_size.value_or(0) == 0 && end < header.file_size && !has_unplaced) {
    container.Note(Severity::kWarning, {"H20", end, "file size", "bytes follow the last segment", Number(end), Number(header.file_size)});
  }
}

}  // namespace pte
