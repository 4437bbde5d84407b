// How many bytes of a flatbuffer may still be visited, counted per visit: tables and vectors may be aliased without number.
#ifndef PTE_SRC_FLATBUFFER_VISIT_BUDGET_H_
#define PTE_SRC_FLATBUFFER_VISIT_BUDGET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/text.h"

namespace pte {

class VisitBudget {
 public:
  // `how` is what makes it grow, such as "unpacked".
  VisitBudget(uint64_t bytes, std::string_view how) : most_(bytes), left_(bytes), how_(how) {}

  // Whether so much was left.
  bool TrySpend(uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  //   kResourceExhausted  more than was allowed
  absl::Status Spend(uint64_t bytes) {
    if (TrySpend(bytes)) return absl::OkStatus();
    return FaultStatus(absl::StatusCode::kResourceExhausted,
                       {"F4", std::nullopt, "", absl::StrCat(ToAbsl(how_), ", the flatbuffer would grow beyond Limits::max_unpacked_bytes"),
                        absl::StrCat("at most ", Number(most_)), "more"});
  }

 private:
  uint64_t most_;
  uint64_t left_;
  std::string_view how_;
};

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_VISIT_BUDGET_H_
