// What --dry-run shows: where everything in a file would stand.
#ifndef PTE_SRC_CLI_PLAN_H_
#define PTE_SRC_CLI_PLAN_H_

#include <string>

#include "src/cli/writing.h"

namespace pte::cli {

// `plan` is that of `contents`.
void PrintPlanText(const std::string& file, const Contents& contents, const MovePlan& plan, bool exact, Output& out);

// {"pte_json": 1, file, kind, size, extra_disk, padding, payloads[{role, key, index, segment, offset, size, alignment, strategy}],
// sources[{path, offset, size, strategy, reason, removed, why_kept}]}.
void PrintPlanJson(const std::string& file, const Contents& contents, const MovePlan& plan, Output& out);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_PLAN_H_
