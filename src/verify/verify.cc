#include "pte/verify.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "pte/bpte_file.h"
#include "pte/fault.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "src/base/status_macros.h"
#include "src/io/source.h"

namespace pte {
namespace {

// Collects what one open says: its notes, or its error as a finding. An error that carries no fault is not about the bytes.
class Judge {
 public:
  explicit Judge(VerifyReport& report) : report_(report) {}

  template <class File>
  absl::Status Add(const absl::StatusOr<File>& file) {
    if (!file.ok()) return AddError(file.status());
    report_.findings.insert(report_.findings.end(), file->notes().begin(), file->notes().end());
    return absl::OkStatus();
  }

  absl::Status AddError(const absl::Status& status) {
    const std::optional<Fault> fault = FaultOf(status);
    if (!fault) return status;
    report_.findings.push_back(
        {fault->rule, Severity::kError, fault->file_offset, fault->path, fault->what, fault->expected, fault->actual});
    return absl::OkStatus();
  }

 private:
  VerifyReport& report_;
};

absl::Status JudgeBundle(std::shared_ptr<const ByteSource> source, const OpenOptions& options, Judge& judge) {
  const absl::StatusOr<BpteFile> bundle = BpteFile::Open(std::move(source), options);
  PTE_RETURN_IF_ERROR(judge.Add(bundle));
  return bundle.ok() ? judge.Add(bundle->program(options)) : absl::OkStatus();
}

absl::Status JudgeKind(ContainerKind kind, std::shared_ptr<const ByteSource> source, const OpenOptions& options, Judge& judge) {
  switch (kind) {
    case ContainerKind::kPte: return judge.Add(PteFile::Open(std::move(source), options));
    case ContainerKind::kPtd: return judge.Add(PtdFile::Open(std::move(source), options));
    case ContainerKind::kBpte: break;
  }
  return JudgeBundle(std::move(source), options, judge);
}

Verdict WorstOf(const std::vector<Finding>& findings) {
  Severity worst = Severity::kInfo;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  if (worst == Severity::kError) return Verdict::kError;
  return worst == Severity::kWarning ? Verdict::kWarning : Verdict::kOk;
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
  OpenOptions open;
  open.limits = options.limits;
  VerifyReport report;
  Judge judge(report);
  const absl::StatusOr<ContainerHeader> header = ReadContainerHeader(source);
  if (header.ok()) {
    report.kind = header->kind;
    PTE_RETURN_IF_ERROR(JudgeKind(header->kind, Unowned(source), open, judge));
  } else {
    PTE_RETURN_IF_ERROR(judge.AddError(header.status()));
  }
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.file_offset < b.file_offset; });
  report.verdict = WorstOf(report.findings);
  return report;
}

absl::StatusOr<VerifyReport> VerifyFile(const std::filesystem::path& path, const VerifyOptions& options) {
  PTE_ASSIGN_OR_RETURN(const std::shared_ptr<const ByteSource> source, OpenFileSource(path));
  return Verify(*source, options);
}

}  // namespace pte
