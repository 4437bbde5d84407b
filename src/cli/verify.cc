#include "pte/verify.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte verify model.pte weights.ptd
  pte verify --strict *.pte             warnings count as errors
  pte verify -q model.pte && deploy     the answer is the exit code only

Exit code 0: no file has an error; 1: one has; 2: one could not be read.)";

struct VerifyVerbOptions {
  std::vector<std::string> files;
  bool json = false;
  bool strict = false;
  bool quiet = false;
};

std::string FindingText(const Finding& finding) {
  constexpr size_t kSeverity = 8;
  std::string text = absl::StrCat("  ", Column(std::string(SeverityName(finding.severity)), kSeverity));
  if (finding.file_offset) absl::StrAppend(&text, "offset ", Hex(*finding.file_offset), ": ");
  if (!finding.rule.empty()) absl::StrAppend(&text, finding.rule, ": ");
  if (!finding.path.empty()) absl::StrAppend(&text, finding.path, ": ");
  text += finding.message;
  if (!finding.expected.empty()) absl::StrAppend(&text, "; wanted ", finding.expected);
  if (!finding.actual.empty()) absl::StrAppend(&text, finding.expected.empty() ? "; found " : ", found ", finding.actual);
  return Escaped(text) + "\n";
}

void PrintText(const std::string& file, const VerifyReport& report, Output& out) {
  out.Print(Escaped(file) + ": " + std::string(VerdictName(report.verdict)) + "\n");
  for (const Finding& finding : report.findings) out.Print(FindingText(finding));
}

Json FindingJson(const Finding& finding) {
  Json json;
  json["rule"] = TextOrNull(finding.rule);
  json["severity"] = SeverityName(finding.severity);
  json["offset"] = NumberOrNull(finding.file_offset);
  json["path"] = TextOrNull(finding.path);
  json["message"] = Text(finding.message);
  json["expected"] = TextOrNull(finding.expected);
  json["actual"] = TextOrNull(finding.actual);
  return json;
}

void PrintJson(const std::string& file, const VerifyReport& report, JsonStream& json) {
  json.BeginObject();
  json.Member("pte_json", kJsonVersion);
  json.Member("file", Text(file));
  json.Member("kind", report.kind ? Json(ContainerKindName(*report.kind)) : Json());
  json.Member("verdict", VerdictName(report.verdict));
  json.BeginArray("findings");
  for (const Finding& finding : report.findings) json.Item(FindingJson(finding));
  json.End();
  json.End();
}

// An error of one file does not keep the others from being judged.
ExitCode JudgeFile(const std::string& file, const VerifyVerbOptions& options, Output& out, JsonStream& json) {
  const absl::StatusOr<VerifyReport> report = VerifyFile(file, VerifyOptions{});
  const bool prints_json = options.json && !options.quiet;
  if (!report.ok()) {
    if (!options.quiet) PrintError(report.status());
    if (prints_json) json.Item(ErrorJson(report.status()));
    return kTrouble;
  }
  if (prints_json) {
    PrintJson(file, *report, json);
  } else if (!options.quiet) {
    PrintText(file, *report, out);
  }
  const Verdict refused = options.strict ? Verdict::kWarning : Verdict::kError;
  return report->verdict >= refused ? kNo : kYes;
}

absl::StatusOr<ExitCode> RunVerify(const VerifyVerbOptions& options, Output& out) {
  const bool is_list = options.files.size() > 1 && options.json && !options.quiet;
  JsonStream json(out);
  if (is_list) json.BeginArray();
  ExitCode worst = kYes;
  for (const std::string& file : options.files) worst = std::max(worst, JudgeFile(file, options, out, json));
  if (is_list) json.End();
  return worst;
}

}  // namespace

Verb AddVerify(CLI::App& app) {
  auto options = std::make_shared<VerifyVerbOptions>();
  CLI::App* command = app.add_subcommand("verify", "Judge whether files are sound, and say what is wrong and where");
  command->add_option("FILE", options->files, "Files of any kind; recognised by their content")->required();
  command->add_flag("--strict", options->strict, "Warnings count as errors");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing");
  command->add_flag("--json", options->json, "JSON for programs: an object for one file, an array for several");
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunVerify(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
