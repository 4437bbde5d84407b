// Matchers for statuses: assert which error, never just that there is one.
//
//   EXPECT_THAT(PteFile::Open(path), IsFault(absl::StatusCode::kDataLoss, "H15", 32));
//   ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(path));
#ifndef PTE_TESTS_SUPPORT_STATUS_H_
#define PTE_TESTS_SUPPORT_STATUS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/fault.h"

namespace pte::test {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <class T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

MATCHER_P(HasCode, code, std::string("has code ") + absl::StatusCodeToString(code)) {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code;
}

MATCHER_P2(HasCodeAndMessage, code, text,
           std::string("has code ") + absl::StatusCodeToString(code) + " and a message with \"" + text + "\"") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code && StatusOf(arg).ToString().find(text) != std::string::npos;
}

// `offset` is what Fault::file_offset must hold: a number, or std::nullopt.
MATCHER_P3(IsFault, code, rule, offset, std::string("is ") + absl::StatusCodeToString(code) + " by rule " + rule) {
  *result_listener << StatusOf(arg).ToString();
  const std::optional<Fault> fault = FaultOf(StatusOf(arg));
  return StatusOf(arg).code() == code && fault && fault->rule == rule && fault->file_offset == std::optional<uint64_t>(offset);
}

#define PTE_TEST_CONCAT_INNER(a, b) a##b
#define PTE_TEST_CONCAT(a, b) PTE_TEST_CONCAT_INNER(a, b)
#define ASSERT_OK_AND_ASSIGN(lhs, expr) ASSERT_OK_AND_ASSIGN_IMPL(PTE_TEST_CONCAT(result_, __LINE__), lhs, expr)
#define ASSERT_OK_AND_ASSIGN_IMPL(result, lhs, expr) \
  auto result = (expr);                              \
  ASSERT_TRUE(result.ok()) << result.status();       \
  lhs = *std::move(result)

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_STATUS_H_
