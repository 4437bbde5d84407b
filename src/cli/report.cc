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
  for (const SavedPayload& payload : saved.payloads) {
    const bool is_named = payload.role == PayloadRole::kNamedData;
    payloads.push_back({PayloadRoleName(payload.role), is_named ? std::optional(payload.key) : std::nullopt, std::nullopt,
                        payload.file_offset, payload.size, payload.strategy});
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
  json.End();
}

void PrintSummary(const WriteReport& report, bool exact) {
  const auto size = [exact](uint64_t bytes) { return SizeText(bytes, exact); };
  const std::string name = report.file == "-" ? "standard output" : Escaped(report.file);
  const std::string line =
      absl::StrCat(name, ": ", Count(report.payloads.size(), "payload"), ", ", size(report.size), ": ", size(report.bytes_written),
                   " written, ", size(report.bytes_copied), " copied, ", size(report.bytes_cloned), " cloned\n");
  std::fputs(line.c_str(), stderr);
}

}  // namespace pte::cli
