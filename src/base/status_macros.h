// Early returns on errors. The Abseil of Debian 12 has no such macros.
#ifndef PTE_SRC_BASE_STATUS_MACROS_H_
#define PTE_SRC_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define PTE_RETURN_IF_ERROR(expr)                               \
  do {                                                          \
    if (absl::Status pte_status_ = (expr); !pte_status_.ok()) { \
      return pte_status_;                                       \
    }                                                           \
  } while (false)

#define PTE_CONCAT_INNER_(a, b) a##b
#define PTE_CONCAT_(a, b) PTE_CONCAT_INNER_(a, b)

#define PTE_ASSIGN_OR_RETURN(lhs, expr) PTE_ASSIGN_OR_RETURN_IMPL_(PTE_CONCAT_(pte_or_, __LINE__), lhs, expr)
#define PTE_ASSIGN_OR_RETURN_IMPL_(tmp, lhs, expr) \
  auto tmp = (expr);                               \
  if (!tmp.ok()) return std::move(tmp).status();   \
  lhs = *std::move(tmp)

#endif  // PTE_SRC_BASE_STATUS_MACROS_H_
