// The payloads of a container against what `extract` wrote down of them.
#ifndef PTE_SRC_CLI_PAYLOAD_CHECK_H_
#define PTE_SRC_CLI_PAYLOAD_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/finding.h"

namespace pte::cli {

struct PayloadFindings {
  std::vector<Finding> findings;
  uint64_t omitted = 0;
};

// Reads every payload of `file` that `manifest` (a manifest.json, or its folder) lists, and finds those whose bytes are others or that are
// not there; a payload that the manifest does not list is a warning. The findings name no rule: it is two files that disagree.
// More than Limits::max_findings of a severity are counted only.
// Of a file that is known to be damaged, and does not open for it, nothing is said.
//   kDataLoss           the manifest cannot be understood, or the file does not open
//   kResourceExhausted  payloads overlap so that reading them would take longer than the file is long
//   kUnimplemented      a manifest of another version
//   kCancelled          see CheckInterrupted
//   others              from reading
absl::StatusOr<PayloadFindings> CheckPayloads(const std::string& file, const std::string& manifest, bool is_damaged);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_PAYLOAD_CHECK_H_
