// What ExecuTorch's own runtime does with files that violate a rule, as measured with its release 1.5.
#ifndef PTE_SRC_VERIFY_REFERENCE_RUNTIME_H_
#define PTE_SRC_VERIFY_REFERENCE_RUNTIME_H_

#include <optional>
#include <string_view>

#include "pte/finding.h"

namespace pte {

// The worst that is known of any of its modes and builds, for the usual case of the rule; nullopt where nothing is known.
std::optional<RuntimeReaction> ReactionTo(std::string_view rule, Severity severity);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_REFERENCE_RUNTIME_H_
