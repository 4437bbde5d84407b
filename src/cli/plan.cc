#include "src/cli/plan.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"
#include "src/cli/json.h"
#include "src/cli/report.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

// Cloning is the file system's to grant: what would be cloned is shown as copied.
Strategy StrategyFor(const Rope& rope) {
  uint64_t from_files = 0;
  for (const Rope::Piece& piece : rope.pieces()) {
    if (const auto* range = std::get_if<Rope::SourceRange>(&piece)) from_files += range->length;
  }
  return from_files > rope.size() - from_files ? Strategy::kCopy : Strategy::kWrite;
}

Rope JoinedPieces(const SubsegmentList& list) {
  Rope all;
  // Too long for a rope is too long for a plan.
  for (size_t i = 0; i < list.size(); ++i) (void)all.Append(list[i]);
  return all;
}

Rope BytesOf(const PteContents& contents, const PlannedPayload& payload) {
  switch (payload.role) {
    case PayloadRole::kConstants: return JoinedPieces(contents.constants);
    case PayloadRole::kMutableData: return JoinedPieces(contents.mutable_data);
    case PayloadRole::kDelegate: return contents.delegate_payloads[payload.index].bytes();
    case PayloadRole::kNamedData: return contents.named_data.Find(payload.key)->data();
    case PayloadRole::kUnused: break;
  }
  return {};
}

Rope BytesOf(const PtdContents& contents, const PlannedPayload& payload) {
  return payload.role == PayloadRole::kNamedData ? contents.named_data.Find(payload.key)->data() : Rope();
}

// How each payload's bytes would come into the file.
class Strategies {
 public:
  Strategies(const Contents& contents, const MovePlan& plan) : contents_(contents) {
    // Of several at one place, the first is the one that is written.
    for (const SourceOutcome& source : plan.sources) sources_.emplace(source.file_offset, &source);
  }

  Strategy Of(const PlannedPayload& payload) const {
    for (auto at = sources_.lower_bound(payload.file_offset); at != sources_.end() && at->first < payload.file_offset + payload.size;
         ++at) {
      if (at->second->size > payload.size / 2) return at->second->strategy;
    }
    if (payload.is_inline) return Strategy::kWrite;
    // Segments that nothing refers to were read from a file.
    if (payload.role == PayloadRole::kUnused) return payload.size == 0 ? Strategy::kWrite : Strategy::kCopy;
    return StrategyFor(std::visit([&](const auto& each) { return BytesOf(each, payload); }, contents_));
  }

 private:
  const Contents& contents_;
  std::map<uint64_t, const SourceOutcome*> sources_;  // by their places in the file
};

ContainerKind KindOf(const Contents& contents) {
  return std::holds_alternative<PteContents>(contents) ? ContainerKind::kPte : ContainerKind::kPtd;
}

std::string TitleOf(const PlannedPayload& payload) {
  if (payload.role == PayloadRole::kNamedData) return Name(payload.key);
  if (payload.role == PayloadRole::kDelegate) return absl::StrCat("delegate payload ", payload.index);
  return absl::StrCat("segment ", payload.index);
}

struct Row {
  std::string role, segment, offset, size, align, strategy, title;
};

std::string RowText(const Row& row, size_t offset_width, size_t size_width) {
  constexpr size_t kRole = 10;
  constexpr size_t kSegment = 7;
  constexpr size_t kAlign = 5;
  constexpr size_t kStrategy = 8;
  return Column(row.role, kRole) + RightColumn(row.segment, kSegment) + "  " + RightColumn(row.offset, offset_width) + "  " +
         RightColumn(row.size, size_width) + "  " + RightColumn(row.align, kAlign) + "  " + Column(row.strategy, kStrategy) + " " +
         row.title + "\n";
}

Json PayloadJson(const Strategies& strategies, const PlannedPayload& payload) {
  Json json;
  json["role"] = PayloadRoleName(payload.role);
  json["key"] = payload.role == PayloadRole::kNamedData ? Text(payload.key) : Json();
  json["index"] = payload.index;
  json["segment"] = payload.is_inline ? Json() : Json(payload.segment_index);
  json["offset"] = payload.file_offset;
  json["size"] = payload.size;
  json["alignment"] = payload.alignment;
  json["strategy"] = StrategyName(strategies.Of(payload));
  return json;
}

}  // namespace

void PrintPlanText(const std::string& file, const Contents& contents, const MovePlan& plan, bool exact, Output& out) {
  constexpr size_t kLongestSize = 10;  // "1023.9 KiB"
  const size_t offset_width = std::max<size_t>(Hex(plan.layout.file_size).size(), 6);
  const size_t size_width = exact ? std::max<size_t>(std::to_string(plan.layout.file_size).size(), 4) : kLongestSize;
  out.Print(absl::StrCat(Escaped(file), ": ", std::string(KindText(KindOf(contents))), "\n"));
  out.Print(RowText({"ROLE", "SEGMENT", "OFFSET", "SIZE", "ALIGN", "STRATEGY", "NAME"}, offset_width, size_width));
  const Strategies strategies(contents, plan);
  for (size_t i = 0; i < plan.layout.payloads.size() && out.ok(); ++i) {
    const PlannedPayload& payload = plan.layout.payloads[i];
    out.Print(RowText({std::string(PayloadRoleName(payload.role)), payload.is_inline ? "-" : std::to_string(payload.segment_index),
                       Hex(payload.file_offset), SizeText(payload.size, exact), std::to_string(payload.alignment),
                       std::string(StrategyName(strategies.Of(payload))), TitleOf(payload)},
                      offset_width, size_width));
  }
  for (const SourceOutcome& source : plan.sources) {
    const std::string why = source.reason.empty() ? "" : absl::StrCat(": ", source.reason);
    const std::string kept = source.removed ? "" : absl::StrCat("; stays: ", source.why_kept);
    out.Print(absl::StrCat(Escaped(source.path.string()), ": ", std::string(StrategyName(source.strategy)), why, kept, "\n"));
  }
  const std::string of_file = plan.sources.empty() ? "" : absl::StrCat("; file ", SizeText(plan.layout.file_size, exact));
  out.Print(absl::StrCat("extra disk needed: ", SizeText(plan.extra_disk, exact), of_file, ", padding ",
                         SizeText(plan.layout.padding, exact), " of it\n"));
}

void PrintPlanJson(const std::string& file, const Contents& contents, const MovePlan& plan, Output& out) {
  JsonStream json(out);
  json.BeginObject();
  json.Member("pte_json", kJsonVersion);
  json.Member("file", Text(file));
  json.Member("kind", ContainerKindName(KindOf(contents)));
  json.Member("size", plan.layout.file_size);
  json.Member("extra_disk", plan.extra_disk);
  json.Member("padding", plan.layout.padding);
  json.BeginArray("payloads");
  const Strategies strategies(contents, plan);
  for (size_t i = 0; i < plan.layout.payloads.size() && out.ok(); ++i) json.Item(PayloadJson(strategies, plan.layout.payloads[i]));
  json.End();
  PrintSourcesJson(plan.sources, json);
  json.End();
}

}  // namespace pte::cli
