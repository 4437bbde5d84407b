// Verify: judges a container of any kind.
//
//   absl::StatusOr<pte::VerifyReport> report = pte::VerifyFile("model.pte", pte::VerifyOptions{});
//   if (!report.ok()) return report.status();                          // nothing could be judged: not found, not readable
//   for (const pte::Finding& f : report->findings) Print(f.rule, f.message);
//   return report->verdict == pte::Verdict::kError ? 1 : 0;
//
// Today the report holds what opening the file checks (see the headers of the readers): at most one error a container, the program inside a
// .bpte included, with everything that opening found legal but unusual.
//
// Ownership: a plain value.  Thread rule: calls are independent.
// Cost: reads heads and flatbuffers, no payload.
#ifndef PTE_VERIFY_H_
#define PTE_VERIFY_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/byte_source.h"
#include "pte/export.h"
#include "pte/finding.h"
#include "pte/header.h"
#include "pte/options.h"

namespace pte {

enum class Verdict : uint8_t { kOk, kWarning, kError };

// "ok", "warning", "error".
PTE_EXPORT std::string_view VerdictName(Verdict verdict);

struct VerifyOptions {
  Limits limits = {};
};

struct VerifyReport {
  std::optional<ContainerKind> kind;  // nullopt where the head does not tell
  Verdict verdict = Verdict::kOk;     // the worst severity; information alone is ok
  std::vector<Finding> findings;      // sorted by offset, those without one first
};

// Not OK only where nothing could be judged: the source could not be read.
PTE_EXPORT absl::StatusOr<VerifyReport> Verify(const ByteSource& source, const VerifyOptions& options = {});
PTE_EXPORT absl::StatusOr<VerifyReport> VerifyFile(const std::filesystem::path& path, const VerifyOptions& options = {});

}  // namespace pte

#endif  // PTE_VERIFY_H_
