#include "src/cli/report.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "src/cli/json.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

Json PayloadJson(const ReportedPayload& payload) {
  Json json;
  json["role"] = payload.role;
  json["key"] = payload.key ? Text(*payload.key) : Json();
  if (payload.path) json["path"] = *payload.path;
  json["offset"] = payload.offset;
  json["size"] = payload.size;
  json["strategy"] = StrategyName(payload.strategy);
  return json;
}

}  // namespace

void WriteReport::Add(const SaveReport& saved) {
  bytes_written += saved.bytes_written;
  bytes_copied += saved.bytes_copied;
  bytes_cloned += saved.bytes_cloned;
  bytes_moved += saved.bytes_moved;
  sources.insert(sources.end(), saved.sources.begin(), saved.sources.end());
  for (const SavedPayload& payload : saved.payloads) {
    const bool is_named = payload.role == PayloadRole::kNamedData;
    payloads.push_back({PayloadRoleName(payload.role), is_named ? std::optional(payload.key) : std::nullopt, std::nullopt,
                        payload.file_offset, payload.size, payload.strategy});
  }
}

void PrintSourcesJson(const std::vector<SourceOutcome>& sources, JsonStream& json) {
  if (sources.empty()) return;
  json.BeginArray("sources");
  for (const SourceOutcome& source : sources) {
    Json item;
    item["path"] = Text(source.path.string());
    item["offset"] = source.file_offset;
    item["size"] = source.size;
    item["strategy"] = StrategyName(source.strategy);
    item["reason"] = source.reason;
    item["removed"] = source.removed;
    item["why_kept"] = source.why_kept;
    json.Item(std::move(item));
  }
  json.End();
}

void PrintKeptSources(const WriteReport& report) {
  for (const SourceOutcome& source : report.sources) {
    if (source.removed) continue;
    const std::string line = absl::StrCat("pte: ", Escaped(report.file), ": written; ", Escaped(source.path.string()),
                                          " was not removed: ", source.why_kept, "\n");
    std::fputs(line.c_str(), stderr);
  }
}

void PrintReportJson(const WriteReport& report, Output& out) {
  JsonStream json(out);
  json.BeginObject();
  json.Member("pte_json", kJsonVersion);
  json.Member("file", Text(report.file));
  json.Member("size", report.size);
  json.Member("bytes_written", report.bytes_written);
  json.Member("bytes_copied", report.bytes_copied);
  json.Member("bytes_cloned", report.bytes_cloned);
  json.Member("bytes_moved", report.bytes_moved);
  json.BeginArray("payloads");
  for (size_t i = 0; i < report.payloads.size() && out.ok(); ++i) json.Item(PayloadJson(report.payloads[i]));
  json.End();
  PrintSourcesJson(report.sources, json);
  json.End();
}

void PrintSummary(const WriteReport& report, bool exact) {
  const auto size = [exact](uint64_t bytes) { return SizeText(bytes, exact); };
  const std::string name = report.file == "-" ? "standard output" : Escaped(report.file);
  const std::string line = absl::StrCat(name, ": ", Count(report.payloads.size(), "payload"), ", ", size(report.size), ": ",
                                        size(report.bytes_written), " written, ", size(report.bytes_copied), " copied, ",
                                        size(report.bytes_cloned), " cloned, ", size(report.bytes_moved), " moved\n");
  std::fputs(line.c_str(), stderr);
}

}  // namespace pte::cli
