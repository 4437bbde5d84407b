// The tables of rows, one for each part of the rules; each is judged in the file named for it, and verify_rules_test.cc sees to it that no
// rule is in none.
#ifndef PTE_TESTS_LAW_VERIFY_ROWS_H_
#define PTE_TESTS_LAW_VERIFY_ROWS_H_

#include <vector>

#include "gtest/gtest.h"
#include "tests/support/rule_row.h"

namespace pte::test {

std::vector<Row> HeaderRows();      // C.1
std::vector<Row> FlatbufferRows();  // C.2
std::vector<Row> SegmentRows();     // C.3, segments and what is cut out of them
std::vector<Row> NamedDataRows();   // C.3, keys, and what a program must have
std::vector<Row> PlanRows();        // C.4
std::vector<Row> ValueRows();       // C.5
std::vector<Row> PtdRows();         // C.6
std::vector<Row> BundleRows();      // C.7
std::vector<Row> PairingRows();     // across files

inline std::vector<Row> Joined(std::initializer_list<std::vector<Row>> tables) {
  std::vector<Row> all;
  for (const std::vector<Row>& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

}  // namespace pte::test

// Judges each row of a table in a test of its own.
#define PTE_TEST_JUDGE_ROWS(Suite, rows)                  \
  class Suite : public testing::TestWithParam<Row> {};    \
  TEST_P(Suite, IsJudgedByItsRule) { Judge(GetParam()); } \
  INSTANTIATE_TEST_SUITE_P(Table, Suite, testing::ValuesIn(rows), [](const auto& row) { return NameOf(row.param); })

#endif  // PTE_TESTS_LAW_VERIFY_ROWS_H_
