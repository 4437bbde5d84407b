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

struct Finding {
  std::string rule;
  Severity severity = Severity::kError;
  std::optional<uint64_t> file_offset;  // in bytes from the start of the outermost file
  std::string path;
  std::string message;  // one clause, without the two values
  std::string expected;
  std::string actual;
};

}  // namespace pte

#endif  // PTE_FINDING_H_
