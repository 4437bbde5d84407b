#include "pte/verify.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "pte/fault.h"
#include "pte/header.h"
#include "src/cli/arguments.h"
#include "src/cli/payload_check.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte verify model.pte weights.ptd
  pte verify --strict *.pte             warnings count as errors
  pte verify model.pte --data *.ptd     the program, its data, and one against the other
  pte verify model.pte --payloads DIR   the payloads against the manifest that extract wrote in DIR
  pte verify -q model.pte && deploy     the answer is the exit code only

Exit code 0: no file has an error; 1: one has; 2: one could not be read.)";

struct VerifyVerbOptions {
  std::vector<std::string> files;
  bool json = false;
  bool strict = false;
  bool quiet = false;
  std::vector<std::string> data;
  std::string payloads;
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
  if (finding.runtime && finding.severity == Severity::kError)
    absl::StrAppend(&text, " (", std::string(RuntimeReactionName(*finding.runtime)), ")");
  return Escaped(text) + "\n";
}

// Of the file alone: a report's verdict is also that of the data files, which are printed by themselves.
Verdict OwnVerdict(const VerifyReport& report) {
  Verdict worst = Verdict::kOk;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::kError) return Verdict::kError;
    if (finding.severity == Severity::kWarning) worst = Verdict::kWarning;
  }
  return worst;
}

void PrintText(const std::string& file, const VerifyReport& report, Output& out) {
  out.Print(Escaped(file) + ": " + std::string(VerdictName(OwnVerdict(report))) + "\n");
  for (const Finding& finding : report.findings) out.Print(FindingText(finding));
  if (report.omitted > 0) out.Print(absl::StrCat("  and ", report.omitted, " more\n"));
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
  json["runtime"] = finding.runtime ? Json(RuntimeReactionName(*finding.runtime)) : Json();
  return json;
}

void PrintJson(const std::string& file, const VerifyReport& report, JsonStream& json) {
  json.BeginObject();
  json.Member("pte_json", kJsonVersion);
  json.Member("file", Text(file));
  json.Member("kind", report.kind ? Json(ContainerKindName(*report.kind)) : Json());
  json.Member("verdict", VerdictName(OwnVerdict(report)));
  json.BeginArray("findings");
  for (const Finding& finding : report.findings) json.Item(FindingJson(finding));
  json.End();
  if (report.omitted > 0) json.Member("omitted", report.omitted);
  json.End();
}

// The .ptd files of --data, which stay open for as long as their sources live.
absl::StatusOr<VerifyOptions> WithData(const VerifyVerbOptions& options) {
  VerifyOptions verify;
  for (const std::string& path : options.data) {
    absl::StatusOr<std::shared_ptr<const ByteSource>> source = OpenFileSource(path);
    if (!source.ok()) return source.status();
    verify.data.push_back(*std::move(source));
  }
  return verify;
}

absl::Status AddPayloads(const std::string& file, const std::string& manifest, VerifyReport& report) {
  absl::StatusOr<PayloadFindings> findings = CheckPayloads(file, manifest, OwnVerdict(report) == Verdict::kError);
  if (!findings.ok()) return findings.status();
  report.omitted += findings->omitted;
  for (Finding& finding : findings->findings) {
    const Verdict verdict = finding.severity == Severity::kError ? Verdict::kError : Verdict::kWarning;
    report.verdict = std::max(report.verdict, verdict);
    report.findings.push_back(std::move(finding));
  }
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.file_offset < b.file_offset; });
  return absl::OkStatus();
}

absl::StatusOr<VerifyReport> Judge(const std::string& file, const VerifyVerbOptions& options) {
  const absl::StatusOr<VerifyOptions> verify = WithData(options);
  if (!verify.ok()) return verify.status();
  absl::StatusOr<VerifyReport> report = VerifyFile(file, *verify);
  if (!report.ok() || options.payloads.empty()) return report;
  const absl::Status added = AddPayloads(file, options.payloads, *report);
  if (!added.ok()) return added;
  return report;
}

void Print(const std::string& file, const VerifyReport& report, bool as_json, Output& out, JsonStream& json) {
  if (as_json) {
    PrintJson(file, report, json);
  } else {
    PrintText(file, report, out);
  }
}

// An error of one file does not keep the others from being judged. Data files are listed once, behind the program.
ExitCode JudgeFile(const std::string& file, const VerifyVerbOptions& options, Output& out, JsonStream& json) {
  const absl::StatusOr<VerifyReport> report = Judge(file, options);
  if (!report.ok()) {
    if (!options.quiet) PrintError(report.status());
    if (options.json && !options.quiet) json.Item(ErrorJson(report.status()));
    return kTrouble;
  }
  if (!options.quiet) {
    Print(file, *report, options.json, out, json);
    for (size_t i = 0; i < report->data.size(); ++i) Print(options.data[i], report->data[i], options.json, out, json);
  }
  const Verdict refused = options.strict ? Verdict::kWarning : Verdict::kError;
  return report->verdict >= refused ? kNo : kYes;
}

// Also where its head is damaged: the D rules are those of .ptd files.
bool IsData(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<const ByteSource>> source = OpenFileSource(path);
  if (!source.ok()) return false;
  const absl::StatusOr<ContainerHeader> header = ReadContainerHeader(**source);
  if (header.ok()) return header->kind == ContainerKind::kPtd;
  const std::optional<Fault> fault = FaultOf(header.status());
  return fault && fault->rule.starts_with('D');
}

// .ptd files beside the program are more of --data, so that "--data *.ptd" says what it seems to say.
void TakeDataFiles(VerifyVerbOptions& options) {
  if (options.data.empty() || options.files.size() == 1) return;
  const auto data =
      std::stable_partition(options.files.begin(), options.files.end(), [](const std::string& path) { return !IsData(path); });
  if (data == options.files.begin()) return;
  options.data.insert(options.data.end(), data, options.files.end());
  options.files.erase(data, options.files.end());
}

absl::StatusOr<ExitCode> RunVerify(VerifyVerbOptions options, Output& out) {
  TakeDataFiles(options);
  const bool has_one = options.files.size() == 1;
  if (!has_one && !(options.data.empty() && options.payloads.empty())) {
    return absl::InvalidArgumentError("--data and --payloads are for one FILE");
  }
  const bool is_list = (!has_one || !options.data.empty()) && options.json && !options.quiet;
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
  Repeatable(command->add_option("--data", options->data, "The .ptd files that the program is used with"));
  command->add_option("--payloads", options->payloads, "Also compare the payloads' SHA-256 with a manifest that extract wrote");
  command->add_flag("--strict", options->strict, "Warnings count as errors");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing");
  command->add_flag("--json", options->json, "JSON for programs: an object for one file, an array for several");
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunVerify(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
