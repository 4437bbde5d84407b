#include "tests/fuzz/save_laws.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "pte/save.h"
#include "pte/verify.h"
#include "tests/fuzz/require.h"
#include "tests/support/build_file.h"
#include "tests/support/contents.h"

namespace pte::test {
namespace {

MemorySource SourceOf(const std::string& bytes) { return MemorySource(Bytes::Borrow(bytes)); }

void RequireNoError(const std::string& bytes) {
  const absl::StatusOr<VerifyReport> report = Verify(SourceOf(bytes));
  RequireOk(report, "what was written can be judged");
  for (const Finding& finding : report->findings) {
    if (finding.severity == Severity::kError) std::cerr << finding.rule << ": " << finding.path << ": " << finding.message << "\n";
  }
  Require(report->verdict != Verdict::kError, "no rule finds an error in what was written");
}

std::string Loaded(const absl::StatusOr<Payload>& payload) {
  RequireOk(payload, "a payload that was written is there");
  return TextOf(payload->AsRope());
}

// Segments without any byte have no base to be aligned.
void RequireSegmentAlignment(const auto& file, const LayoutOptions& layout) {
  if (!file.header().has_extended_header) return;
  for (const Segment& segment : file.segments()) {
    Require(segment.file_offset % layout.segment_alignment == 0, "a segment is aligned");
    const bool is_large = segment.size > 0 && segment.size >= layout.large_segment_threshold;
    Require(!is_large || segment.file_offset % layout.large_segment_alignment == 0, "a large segment is aligned as one");
  }
}

// Each piece, and the padding behind it.
void RequirePieces(const SubsegmentList& wanted, uint64_t alignment, size_t count, const auto& piece) {
  Require(count == (wanted.empty() ? count : wanted.size() + 1), "as many pieces as were written, and the placeholder");
  for (size_t i = 0; i < wanted.size(); ++i) {
    const absl::StatusOr<Payload> found = piece(i + 1);
    const std::string bytes = Loaded(found);
    const std::string text = TextOf(wanted[i]);
    Require(bytes.substr(0, text.size()) == text, "a piece has its bytes");
    Require(bytes.find_first_not_of('\0', text.size()) == std::string::npos, "behind it are zeros");
    Require(found->size() == 0 || found->file_offset() % alignment == 0, "a piece is aligned");
  }
}

bool HasBytes(const SubsegmentList& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].empty()) return true;
  }
  return false;
}

bool IsInline(const DelegatePayload& payload, const LayoutOptions& layout) {
  using Placement = DelegatePayload::Placement;
  if (payload.bytes().empty() || payload.placement() == Placement::kInline) return true;
  return payload.placement() == Placement::kByOptions && layout.inline_delegates;
}

void RequireDelegates(const PteContents& contents, const LayoutOptions& layout, const PteFile& file) {
  for (size_t p = 0; p < contents.program.execution_plan.size(); ++p) {
    const auto& delegates = contents.program.execution_plan[p]->delegates;
    for (size_t d = 0; d < delegates.size(); ++d) {
      const DelegatePayload& wanted = contents.delegate_payloads[delegates[d]->processed->index];
      const absl::StatusOr<Payload> found = file.DelegatePayload(p, d);
      Require(Loaded(found) == TextOf(wanted.bytes()), "a delegate has its bytes");
      const bool is_inside = found->file_offset() < file.header().program_size;
      const bool is_inline = IsInline(wanted, layout);
      Require(found->size() == 0 || is_inside == is_inline, "a delegate's bytes are inside the flatbuffer or outside, as asked for");
      Require(!is_inline || found->size() == 0 || found->file_offset() % layout.delegate_alignment == 0, "inline bytes are aligned");
    }
  }
}

void RequireNamedData(const NamedDataStore& wanted, size_t found, const auto& find) {
  Require(found == wanted.size(), "as many keys as were written");
  for (const NamedDataEntry& entry : wanted.entries()) {
    const absl::StatusOr<Payload> payload = find(entry.key());
    Require(Loaded(payload) == TextOf(entry.data()), "a key has its bytes");
    Require(payload->size() == 0 || payload->file_offset() % entry.alignment() == 0, "a key's bytes are aligned");
  }
}

size_t CountDistinct(const NamedDataStore& store) {
  std::set<std::string> distinct;
  for (const NamedDataEntry& entry : store.entries()) distinct.insert(TextOf(entry.data()));
  return distinct.size();
}

// Equal payloads of one role share a segment; roles share none.
size_t WantedSegments(const PteContents& contents, const LayoutOptions& layout) {
  std::set<std::string> delegates;
  for (const DelegatePayload& payload : contents.delegate_payloads) {
    if (!IsInline(payload, layout)) delegates.insert(TextOf(payload.bytes()));
  }
  constexpr size_t kConstants = 1;  // there with the placeholder alone, too
  return kConstants + (HasBytes(contents.mutable_data) ? 1 : 0) + delegates.size() + CountDistinct(contents.named_data);
}

// Delegates may have been numbered anew; whose bytes they have was compared before.
void UseNumbersOf(const fb::ProgramT& written, fb::ProgramT& read) {
  Require(read.execution_plan.size() == written.execution_plan.size(), "as many methods as were written");
  for (size_t p = 0; p < written.execution_plan.size(); ++p) {
    const auto& delegates = written.execution_plan[p]->delegates;
    Require(read.execution_plan[p]->delegates.size() == delegates.size(), "as many delegates as were written");
    for (size_t d = 0; d < delegates.size(); ++d) {
      read.execution_plan[p]->delegates[d]->processed->index = delegates[d]->processed->index;
    }
  }
}

template <class File>
auto ReadAgain(const File& file) {
  auto contents = file.ToContents();
  RequireOk(contents, "what was written can be changed and saved");
  return *std::move(contents);
}

// The head apart, since the segment base keeps no alignment above a page. `keeps_inline`: bytes inside the flatbuffer are aligned as a
// rewrite aligns them, which is at 16 at least.
template <class File>
void RequireSameFile(const File& file, const std::string& bytes, const std::string& again, bool keeps_inline) {
  const absl::StatusOr<File> rewritten = File::Open(SourceOf(again));
  RequireOk(rewritten, "what was written again opens");
  constexpr size_t kLongestHead = 48;
  const ContainerHeader& before = file.header();
  const ContainerHeader& after = rewritten->header();
  const size_t head = std::min<size_t>(kLongestHead, before.program_size);
  const size_t flatbuffer = before.program_size - head;
  Require(!keeps_inline || (before.program_size == after.program_size && bytes.compare(head, flatbuffer, again, head, flatbuffer) == 0),
          "writing what was read gives the same flatbuffer");
  if (before.segment_base_offset == 0) return Require(after.segment_base_offset == 0, "a file without data stays one");
  Require(bytes.compare(before.segment_base_offset, std::string::npos, again, after.segment_base_offset) == 0,
          "writing what was read gives the same data");
  constexpr uint64_t kPage = 4096;
  Require(after.segment_base_offset % std::gcd(before.segment_base_offset, kPage) == 0, "the base keeps its alignment, up to a page");
}

template <class File>
File Open(const std::string& bytes) {
  absl::StatusOr<File> file = File::Open(SourceOf(bytes));
  RequireOk(file, "what was written opens");
  return *std::move(file);
}

void RequireLayout(const NamedDataEntry& wanted, const PtdEntry& found) {
  const std::optional<TensorLayout> layout = wanted.tensor_layout();
  Require(layout.has_value() == found.tensor_layout.has_value(), "a key has a layout, or none, as written");
  if (!layout) return;
  Require(layout->scalar_type == found.tensor_layout->scalar_type && std::ranges::equal(layout->sizes, found.tensor_layout->sizes) &&
              std::ranges::equal(layout->dim_order, found.tensor_layout->dim_order),
          "a key has its layout");
}

}  // namespace

void RequireLaws(const PteContents& contents, const LayoutOptions& layout, const std::string& bytes) {
  const auto file = Open<PteFile>(bytes);
  RequireNoError(bytes);
  RequireSegmentAlignment(file, layout);
  RequirePieces(contents.constants, layout.constant_alignment, file.constant_count(), [&](size_t i) { return file.Constant(i); });
  if (HasBytes(contents.mutable_data)) {
    RequirePieces(contents.mutable_data, 1, file.mutable_data_count(), [&](size_t i) { return file.MutableData(i); });
  }
  RequireDelegates(contents, layout, file);
  RequireNamedData(contents.named_data, file.named_data().size(), [&](const std::string& key) { return file.FindNamedData(key); });
  Require(file.segments().size() == WantedSegments(contents, layout), "equal payloads of a role share a segment, others do not");
}

void RequireLaws(const PtdContents& contents, const LayoutOptions& layout, const std::string& bytes) {
  const auto file = Open<PtdFile>(bytes);
  RequireNoError(bytes);
  RequireSegmentAlignment(file, layout);
  RequireNamedData(contents.named_data, file.entries().size(), [&](const std::string& key) { return file.Find(key); });
  Require(file.segments().size() == CountDistinct(contents.named_data), "equal payloads share a segment, others do not");
  for (const NamedDataEntry& entry : contents.named_data.entries()) RequireLayout(entry, *file.FindEntry(entry.key()));
}

void RequirePlan(const LayoutPlan& plan, const std::string& bytes) {
  Require(plan.file_size == bytes.size(), "the file has the planned size");
  for (const PlannedPayload& payload : plan.payloads) {
    Require(payload.file_offset <= bytes.size() && payload.size <= bytes.size() - payload.file_offset, "a planned payload is in the file");
    // Without any segment byte there is no base; without bytes, no place.
    const bool is_placed = payload.size > 0 && (payload.is_inline || plan.header.has_extended_header);
    Require(!is_placed || payload.file_offset % payload.alignment == 0, "a payload stands where it was asked to");
  }
}

void RequireRoundTrip(const PteContents& contents, const LayoutOptions& layout, const std::string& bytes) {
  const auto file = Open<PteFile>(bytes);
  PteContents again = ReadAgain(file);
  constexpr uint64_t kInlineAlignment = 16;
  RequireSameFile(file, bytes, Written(again, layout), layout.delegate_alignment >= kInlineAlignment);
  UseNumbersOf(contents.program, again.program);
  Require(Pack(again.program) == Pack(contents.program), "the program is what was written");
}

void RequireRoundTrip(const PtdContents&, const LayoutOptions& layout, const std::string& bytes) {
  const auto file = Open<PtdFile>(bytes);
  RequireSameFile(file, bytes, Written(ReadAgain(file), layout), true);
}

}  // namespace pte::test
