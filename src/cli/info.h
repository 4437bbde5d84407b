// The answer of `info`, for people and for programs.
#ifndef PTE_SRC_CLI_INFO_H_
#define PTE_SRC_CLI_INFO_H_

#include <vector>

#include "src/cli/container.h"
#include "src/cli/output.h"
#include "src/cli/summary.h"

namespace pte::cli {

// How many constants and initial states there are, without the placeholder that stands for "no data".
struct Counts {
  uint64_t segments = 0;
  uint64_t named_data = 0;
  uint64_t constants = 0;
  uint64_t mutables = 0;
};
Counts CountsOf(const PteFile& file);
Counts CountsOf(const PtdFile& file);

// `methods` are those of container.program, empty for a .ptd.
void PrintInfoText(const Container& container, const std::vector<Method>& methods, bool exact, Output& out);
void PrintInfoJson(const Container& container, const std::vector<Method>& methods, Output& out);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_INFO_H_
