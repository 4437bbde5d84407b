// What the rules have found so far: bounded, whatever the file says.
#ifndef PTE_SRC_VERIFY_REPORT_H_
#define PTE_SRC_VERIFY_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "pte/finding.h"
#include "pte/header.h"
#include "pte/options.h"
#include "pte/verify.h"

namespace pte {

class Report {
 public:
  explicit Report(const Limits& limits) : most_(limits.max_findings) {}

  // `finding` counts its offset from the start of the outermost file.
  void Add(Finding finding);

  // Whether one of that severity would only be counted; then it is. Asked first where findings may be as many as bytes, since their texts
  // take longer to make than what they are about takes to read.
  bool Omits(Severity severity) {
    uint64_t& count = counts_[static_cast<size_t>(severity)];
    if (count < most_) return false;
    ++count;
    ++report_.omitted;
    return true;
  }

  // Hands over what was found, sorted, with the verdict on it.
  VerifyReport Take(std::optional<ContainerKind> kind);

 private:
  static constexpr size_t kSeverities = 3;

  uint32_t most_;
  std::array<uint64_t, kSeverities> counts_{};
  VerifyReport report_;
};

}  // namespace pte

#endif  // PTE_SRC_VERIFY_REPORT_H_
