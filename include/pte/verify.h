// Verify: judges a container of any kind.
//
//   absl::StatusOr<pte::VerifyReport> report = pte::VerifyFile("model.pte", pte::VerifyOptions{});
//   if (!report.ok()) return report.status();                          // nothing could be judged: not found, not readable
//   for (const pte::Finding& f : report->findings) Print(f.rule, f.message);
//   return report->verdict == pte::Verdict::kError ? 1 : 0;
//
// The report holds every rule that the file violates, not the first one: its header and geometry, the flatbuffer, segments and named data,
// each method with its values, and across files, the program against its .ptd files and the test cases of a .bpte against its program.
// schema/FORMAT.md explains the rules' ids.
//
// Ownership: a plain value; sources are borrowed or shared for the call alone.  Thread rule: calls are independent.
// Cost: linear in the flatbuffers, whatever they say. Reads heads, flatbuffers and the padding between segments, no payload.
#ifndef PTE_VERIFY_H_
#define PTE_VERIFY_H_

#include <cstdint>
#include <filesystem>
#include <memory>
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

  // The .ptd files that a program is used with, in the order in which the runtime gets them. Each is judged by itself (VerifyReport::data)
  // and against the program. Empty: nothing is said about external tensors. kInvalidArgument beside a source that is itself a .ptd.
  std::vector<std::shared_ptr<const ByteSource>> data = {};
};

struct VerifyReport {
  std::optional<ContainerKind> kind;  // nullopt where the head does not tell
  Verdict verdict = Verdict::kOk;     // the worst severity, here and in `data`; information alone is ok
  std::vector<Finding> findings;      // sorted by offset, those without one first
  uint64_t omitted = 0;               // findings beyond Limits::max_findings of their severity, which are not listed
  std::vector<VerifyReport> data;     // of each of VerifyOptions::data; its offsets count from that file's first byte
};

// Not OK only where nothing could be judged: the source could not be read.
PTE_EXPORT absl::StatusOr<VerifyReport> Verify(const ByteSource& source, const VerifyOptions& options = {});
PTE_EXPORT absl::StatusOr<VerifyReport> VerifyFile(const std::filesystem::path& path, const VerifyOptions& options = {});

}  // namespace pte

#endif  // PTE_VERIFY_H_
