// Between std::string_view and Abseil's own, which in Debian 12 are different types.
#ifndef PTE_SRC_BASE_TEXT_H_
#define PTE_SRC_BASE_TEXT_H_

#include <string_view>

#include "absl/strings/string_view.h"

namespace pte {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace pte

#endif  // PTE_SRC_BASE_TEXT_H_
