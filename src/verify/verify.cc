#include "pte/verify.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "pte/bpte_file.h"
#include "pte/fault.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/format/header.h"
#include "src/format/wire.h"
#include "src/io/memory.h"
#include "src/io/source.h"

namespace pte {
namespace {

// Collects what opening says: its notes, and its error as a finding. An error that carries no fault is not about the bytes.
class Judge {
 public:
  explicit Judge(VerifyReport& report) : report_(report) {}

  // `head_notes` are what the head alone gave, which a file that opens has among its own.
  template <class File>
  absl::Status Add(const absl::StatusOr<File>& file, std::span<const Finding> head_notes = {}) {
    AddNotes(file.ok() ? file->notes() : head_notes);
    return file.ok() ? absl::OkStatus() : AddError(file.status());
  }

  void AddNotes(std::span<const Finding> notes) { report_.findings.insert(report_.findings.end(), notes.begin(), notes.end()); }

  absl::Status AddError(const absl::Status& status) {
    const std::optional<Fault> fault = FaultOf(status);
    if (!fault) return status;
    report_.findings.push_back(FindingOf(Severity::kError, *fault));
    return absl::OkStatus();
  }

 private:
  VerifyReport& report_;
};

absl::Status JudgeBundle(std::shared_ptr<const ByteSource> source, std::span<const Finding> head_notes, const OpenOptions& options,
                         Judge& judge) {
  const absl::StatusOr<BpteFile> bundle = BpteFile::Open(std::move(source), options);
  PTE_RETURN_IF_ERROR(judge.Add(bundle, head_notes));
  return bundle.ok() ? judge.Add(bundle->program()) : absl::OkStatus();
}

absl::Status JudgeKind(ContainerKind kind, std::shared_ptr<const ByteSource> source, std::span<const Finding> head_notes,
                       const OpenOptions& options, Judge& judge) {
  switch (kind) {
    case ContainerKind::kPte: return judge.Add(PteFile::Open(std::move(source), options), head_notes);
    case ContainerKind::kPtd: return judge.Add(PtdFile::Open(std::move(source), options), head_notes);
    case ContainerKind::kBpte: break;
  }
  return JudgeBundle(std::move(source), head_notes, options, judge);
}

Verdict WorstOf(const std::vector<Finding>& findings) {
  Severity worst = Severity::kInfo;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  if (worst == Severity::kError) return Verdict::kError;
  return worst == Severity::kWarning ? Verdict::kWarning : Verdict::kOk;
}

// The kind that a head which is wrong still names.
absl::StatusOr<std::optional<ContainerKind>> KindOfBadHead(const ByteSource& source) {
  std::array<std::byte, wire::kPlainHeadSize> head{};
  if (source.size() < head.size()) return std::nullopt;
  PTE_RETURN_IF_ERROR(source.ReadAt(0, head));
  return KindOf(head);
}

absl::StatusOr<VerifyReport> JudgeSource(const ByteSource& source, const VerifyOptions& options) {
  OpenOptions open;
  open.limits = options.limits;
  VerifyReport report;
  Judge judge(report);
  std::vector<Finding> head_notes;
  const absl::StatusOr<ContainerHeader> header = ReadContainerHeader(source, &head_notes);
  if (header.ok()) {
    report.kind = header->kind;
    PTE_RETURN_IF_ERROR(JudgeKind(header->kind, Unowned(source), head_notes, open, judge));
  } else {
    judge.AddNotes(head_notes);
    PTE_RETURN_IF_ERROR(judge.AddError(header.status()));
    PTE_ASSIGN_OR_RETURN(report.kind, KindOfBadHead(source));
  }
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.file_offset < b.file_offset; });
  report.verdict = WorstOf(report.findings);
  return report;
}

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kError: break;
  }
  return "error";
}

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk: return "ok";
    case Verdict::kWarning: return "warning";
    case Verdict::kError: break;
  }
  return "error";
}

absl::StatusOr<VerifyReport> Verify(const ByteSource& source, const VerifyOptions& options) {
  return WithoutThrowing([&] { return JudgeSource(source, options); });
}

absl::StatusOr<VerifyReport> VerifyFile(const std::filesystem::path& path, const VerifyOptions& options) {
  PTE_ASSIGN_OR_RETURN(const std::shared_ptr<const ByteSource> source, OpenFileSource(path));
  return Verify(*source, options);
}

}  // namespace pte
