#include "src/container/pte_checks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "src/base/status_macros.h"

namespace pte {
namespace {

using flatbuffers::uoffset_t;

template <class Element>
absl::Status CheckWide(const OpenContainer& container, const flatbuffers::Vector<Element>* vector, std::string_view what) {
  static_assert(sizeof(Element) == sizeof(uint64_t));
  // Exporters have written empty vectors at any multiple of 4: there is no element to be misaligned.
  if (CountOf(vector) == 0 || container.OffsetOf(vector->Data()) % sizeof(Element) == 0) return absl::OkStatus();
  return DataLoss({"F2", container.OffsetOf(vector), std::string(what), "the vector's elements are misaligned", "a multiple of 8",
                   Number(container.OffsetOf(vector->Data()))});
}

absl::Status CheckWideValues(const OpenContainer& container, const fb::ExecutionPlan& plan) {
  if (plan.values() == nullptr) return absl::OkStatus();
  for (const fb::EValue* value : *plan.values()) {
    const fb::KernelTypes type = value->val_type();
    if (type == fb::KernelTypes::IntList && value->val_as_IntList() != nullptr) {
      PTE_RETURN_IF_ERROR(CheckWide(container, value->val_as_IntList()->items(), "values.val.items"));
    } else if (type == fb::KernelTypes::DoubleList && value->val_as_DoubleList() != nullptr) {
      PTE_RETURN_IF_ERROR(CheckWide(container, value->val_as_DoubleList()->items(), "values.val.items"));
    }
  }
  return absl::OkStatus();
}

const flatbuffers::Vector<uint64_t>* OffsetsOf(const fb::SubsegmentOffsets* offsets) {
  return offsets == nullptr ? nullptr : offsets->offsets();
}

// The rules by which constant and mutable offsets are refused.
struct OffsetRules {
  std::string_view path;
  std::string_view segment_index;
  std::string_view beyond_segment;
};

// Offsets must not decrease, nor leave their segment.
absl::Status CheckOffsets(const OpenContainer& container, const flatbuffers::Vector<uint64_t>& offsets, const Segment& segment,
                          const OffsetRules& rules) {
  uint64_t previous = 0;
  for (uoffset_t i = 0; i < offsets.size(); ++i) {
    const uint64_t offset = offsets.Get(i);
    const bool beyond = offset > segment.size;
    if (!beyond && offset >= previous) {
      previous = offset;
      continue;
    }
    const uint64_t at = container.OffsetOf(offsets.Data() + size_t{i} * sizeof(uint64_t));
    const std::string path = absl::StrCat(std::string(rules.path), ".offsets[", i, "]");
    if (beyond) {
      return DataLoss({std::string(rules.beyond_segment), at, path, absl::StrCat("begins beyond segment ", segment.index),
                       absl::StrCat("at most ", Number(segment.size)), Number(offset)});
    }
    return DataLoss({"S15", at, path, "the offsets decrease", absl::StrCat("at least ", Number(previous)), Number(offset)});
  }
  return absl::OkStatus();
}

Fault BadSegmentIndex(const OpenContainer& container, const fb::SubsegmentOffsets& table, size_t segments, const OffsetRules& rules) {
  return {std::string(rules.segment_index),
          container.OffsetOf(&table, fb::SubsegmentOffsets::VT_SEGMENT_INDEX),
          absl::StrCat(std::string(rules.path), ".segment_index"),
          "no such segment",
          absl::StrCat("below ", segments),
          absl::StrCat(table.segment_index())};
}

absl::Status CheckInlineDelegate(OpenContainer& container, const fb::Program& program, const fb::BackendDelegateDataReference& reference,
                                 const std::string& path) {
  const auto* entries = program.backend_delegate_data();
  if (reference.index() >= CountOf(entries)) {
    return DataLoss({"P16", container.OffsetOf(&reference, fb::BackendDelegateDataReference::VT_INDEX), path + ".index",
                     "no such entry in backend_delegate_data", absl::StrCat("below ", CountOf(entries)), absl::StrCat(reference.index())});
  }
  const fb::BackendDelegateInlineData* entry = entries->Get(reference.index());
  if (entry->data() == nullptr) {
    container.Note(Severity::kWarning,
                   {"P16", container.OffsetOf(entry), absl::StrCat("backend_delegate_data[", reference.index(), "].data"),
                    "the delegate's entry holds no data; taken as empty", "", ""});
  }
  return absl::OkStatus();
}

absl::Status CheckDelegate(OpenContainer& container, const fb::Program& program, const fb::BackendDelegate& delegate, size_t segments,
                           const std::string& path) {
  const fb::BackendDelegateDataReference* reference = delegate.processed();
  if (reference == nullptr)
    return DataLoss({"P13", container.OffsetOf(&delegate), path, "the delegate does not say where its bytes are", "", ""});
  switch (reference->location()) {
    case fb::DataLocation::INLINE: return CheckInlineDelegate(container, program, *reference, path);
    case fb::DataLocation::SEGMENT:
      if (reference->index() < segments) return absl::OkStatus();
      return DataLoss({"P17", container.OffsetOf(reference, fb::BackendDelegateDataReference::VT_INDEX), path + ".index", "no such segment",
                       absl::StrCat("below ", segments), absl::StrCat(reference->index())});
  }
  return DataLoss({"P17", container.OffsetOf(reference, fb::BackendDelegateDataReference::VT_LOCATION), path + ".location",
                   "no such location", "0 (INLINE) or 1 (SEGMENT)", absl::StrCat(static_cast<int>(reference->location()))});
}

}  // namespace

bool ConstantsInSegment(const fb::Program& program) {
  const size_t offsets = CountOf(OffsetsOf(program.constant_segment()));
  return offsets > 1 || CountOf(program.constant_buffer()) == 0;
}

absl::Status CheckWideVectors(const OpenContainer& container, const fb::Program& program) {
  PTE_RETURN_IF_ERROR(CheckWide(container, OffsetsOf(program.constant_segment()), "constant_segment.offsets"));
  if (program.mutable_data_segments() != nullptr) {
    for (const fb::SubsegmentOffsets* segment : *program.mutable_data_segments()) {
      PTE_RETURN_IF_ERROR(CheckWide(container, segment->offsets(), "mutable_data_segments.offsets"));
    }
  }
  if (program.execution_plan() == nullptr) return absl::OkStatus();
  for (const fb::ExecutionPlan* plan : *program.execution_plan()) {
    PTE_RETURN_IF_ERROR(CheckWide(container, plan->non_const_buffer_sizes(), "execution_plan.non_const_buffer_sizes"));
    PTE_RETURN_IF_ERROR(CheckWideValues(container, *plan));
  }
  return absl::OkStatus();
}

absl::Status CheckConstants(OpenContainer& container, const fb::Program& program, std::span<const Segment> segments) {
  static constexpr OffsetRules kRules{"constant_segment", "S13", "S16"};
  const fb::SubsegmentOffsets* table = program.constant_segment();
  const flatbuffers::Vector<uint64_t>* offsets = OffsetsOf(table);
  if (CountOf(offsets) == 0) return absl::OkStatus();
  if (offsets->size() > 1 && CountOf(program.constant_buffer()) > 0) {
    return DataLoss({"S19", container.OffsetOf(program.constant_buffer()), "constant_buffer",
                     "constants inside the flatbuffer and in a segment at the same time", "one of them empty",
                     absl::StrCat(CountOf(program.constant_buffer()), " inside, ", offsets->size(), " in the segment")});
  }
  if (table->segment_index() >= segments.size()) {
    const Fault fault = BadSegmentIndex(container, *table, segments.size(), kRules);
    if (offsets->size() > 1) return DataLoss(fault);
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
  if (first.segment_index() >= segments.size()) return DataLoss(BadSegmentIndex(container, first, segments.size(), kRules));
  return CheckOffsets(container, *first.offsets(), segments[first.segment_index()], kRules);
}

absl::Status CheckDelegates(OpenContainer& container, const fb::Program& program, std::span<const Segment> segments) {
  if (program.execution_plan() == nullptr) return absl::OkStatus();
  for (uoffset_t p = 0; p < program.execution_plan()->size(); ++p) {
    const auto* delegates = program.execution_plan()->Get(p)->delegates();
    for (uoffset_t d = 0; d < CountOf(delegates); ++d) {
      const std::string path = absl::StrCat("execution_plan[", p, "].delegates[", d, "].processed");
      PTE_RETURN_IF_ERROR(CheckDelegate(container, program, *delegates->Get(d), segments.size(), path));
    }
  }
  return absl::OkStatus();
}

void NoteSegments(OpenContainer& container, std::span<const Segment> segments) {
  const ContainerHeader& header = container.header;
  if (!header.has_extended_header) return;
  bool has_bytes = false;
  for (const Segment& segment : segments) has_bytes = has_bytes || segment.size > 0;
  if (!has_bytes && header.segment_base_offset != 0) {
    container.Note(Severity::kWarning, {"H18", std::nullopt, "header.segment_base_offset", "a segment base, but no segment has bytes", "0",
                                        Number(header.segment_base_offset)});
  }
  if (has_bytes && header.segment_data_size == uint64_t{0}) {
    container.Note(Severity::kWarning, {"H17", std::nullopt, "header.segment_data_size",
                                        "no segment data declared, although segments have bytes", "the end of the last segment", "0"});
  }
}

}  // namespace pte
