#include "src/verify/report.h"

#include <algorithm>
#include <utility>

#include "src/verify/reference_runtime.h"

namespace pte {

void Report::Add(Finding finding) {
  uint64_t& count = counts_[static_cast<size_t>(finding.severity)];
  ++count;
  if (count > most_) {
    ++report_.omitted;
    return;
  }
  if (!finding.runtime) finding.runtime = ReactionTo(finding.rule, finding.severity);
  report_.findings.push_back(std::move(finding));
}

VerifyReport Report::Take(std::optional<ContainerKind> kind) {
  const bool has_error = counts_[static_cast<size_t>(Severity::kError)] > 0;
  const bool has_warning = counts_[static_cast<size_t>(Severity::kWarning)] > 0;
  report_.kind = kind;
  report_.verdict = has_error ? Verdict::kError : has_warning ? Verdict::kWarning : Verdict::kOk;
  std::stable_sort(report_.findings.begin(), report_.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.file_offset < b.file_offset; });
  return std::move(report_);
}

}  // namespace pte
