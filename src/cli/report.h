// What a verb that writes says when it is done.
#ifndef PTE_SRC_CLI_REPORT_H_
#define PTE_SRC_CLI_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pte/save.h"
#include "src/cli/json.h"
#include "src/cli/output.h"

namespace pte::cli {

struct ReportedPayload {
  std::string_view role;
  std::optional<std::string> key;
  std::optional<std::string> path;  // of the file it was extracted to
  uint64_t offset = 0;
  uint64_t size = 0;
  Strategy strategy = Strategy::kWrite;
};

struct WriteReport {
  std::string file;
  uint64_t size = 0;
  uint64_t bytes_written = 0;
  uint64_t bytes_copied = 0;
  uint64_t bytes_cloned = 0;
  uint64_t bytes_moved = 0;
  std::vector<ReportedPayload> payloads;
  std::vector<SourceOutcome> sources;

  // How a file of it was written, its payloads included.
  void Add(const SaveReport& saved);
};

// {"pte_json": 1, file, size, bytes_written, bytes_copied, bytes_cloned, bytes_moved, payloads[{role, key, offset, size, strategy}]};
// payloads have "path" too where they were extracted; with --move also sources[{path, offset, size, strategy, reason, removed, why_kept}].
void PrintReportJson(const WriteReport& report, Output& out);

// The member "sources", where there are any.
void PrintSourcesJson(const std::vector<SourceOutcome>& sources, JsonStream& json);

// On standard error, a line for each file that was to be moved and is still there.
void PrintKeptSources(const WriteReport& report);

// One line on standard error.
void PrintSummary(const WriteReport& report, bool exact);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_REPORT_H_
