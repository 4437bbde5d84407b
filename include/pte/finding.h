// Finding: one thing that a file violates, or that is legal in it but unusual.
//
//   for (const pte::Finding& f : report->findings)
//     std::printf("%s %s: %s\n", std::string(pte::SeverityName(f.severity)).c_str(), f.rule.c_str(), f.message.c_str());
//
// Ownership: a plain value.
#ifndef PTE_FINDING_H_
#define PTE_FINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pte/export.h"

namespace pte {

enum class Severity : uint8_t {
  kInfo,     // legal, worth knowing
  kWarning,  // readable, but not what a writer produces, or not portable
  kError,    // refuse the file
};

// "info", "warning", "error".
PTE_EXPORT std::string_view SeverityName(Severity severity);

// What ExecuTorch's own runtime (1.5, measured) does with a file in which a rule is violated.
enum class RuntimeReaction : uint8_t {
  kRefuses,   // loading or execution ends with an error
  kCrashes,   // memory errors, aborts or null dereferences
  kMisreads,  // goes on with other bytes, values or methods than were meant
  kAccepts,   // the same as if the rule were kept
};

// "refused by the runtime", "would crash it", "accepted and misread", "accepted".
PTE_EXPORT std::string_view RuntimeReactionName(RuntimeReaction reaction);

struct Finding {
  std::string rule;
  Severity severity = Severity::kError;
  std::optional<uint64_t> file_offset;  // in bytes from the start of the outermost file
  std::string path;                     // of the field, from the root of its container; "program" and on, inside a bundle
  std::string message;                  // one clause, without the two values
  std::string expected;
  std::string actual;
  std::optional<RuntimeReaction> runtime = std::nullopt;  // where it is known; the worst of its modes
};

}  // namespace pte

#endif  // PTE_FINDING_H_
