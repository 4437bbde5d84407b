// How the tool reports errors, and what it answers with.
#ifndef PTE_SRC_CLI_ERRORS_H_
#define PTE_SRC_CLI_ERRORS_H_

#include "absl/status/status.h"
#include "src/cli/json.h"
#include "src/cli/output.h"

namespace pte::cli {

enum ExitCode : int { kYes = 0, kNo = 1, kTrouble = 2 };

// One line on standard error.
void PrintError(const absl::Status& status);

// That line, and where `json` the error as JSON on standard output, unless part of an answer stands there already.
void ReportError(const absl::Status& status, bool json, Output& out);

// {"pte_json": 1, "error": {code, rule, offset, path, message}}.
Json ErrorJson(const absl::Status& status);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_ERRORS_H_
