// The tables as a whole: no rule is forgotten, sound files have no finding, and findings are bounded.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/law/verify_rows.h"

namespace pte::test {
namespace {

// How many rules each part has; they are numbered from 1.
const std::map<std::string, int> kRules = {{"H", 25}, {"F", 11}, {"S", 30}, {"P", 25}, {"T", 25}, {"D", 26}, {"B", 10}};

// Legal whatever the file says.
const std::set<std::string> kNeverFound = {"P22", "T25"};
// No single file shows them: F4 is a bomb (verify_flatbuffer_test.cc), the others are how the API behaves (verify_ptd_test.cc).
const std::set<std::string> kNoRow = {"F4", "D17", "D23"};

std::vector<Row> AllRows() {
  return Joined(
      {HeaderRows(), FlatbufferRows(), SegmentRows(), NamedDataRows(), PlanRows(), ValueRows(), PtdRows(), BundleRows(), PairingRows()});
}

std::set<std::string> AllRules() {
  std::set<std::string> rules;
  for (const auto& [letter, count] : kRules) {
    for (int i = 1; i <= count; ++i) rules.insert(letter + std::to_string(i));
  }
  return rules;
}

std::set<std::string> RulesIn(bool broken) {
  std::set<std::string> rules;
  for (const Row& row : AllRows()) {
    if ((row.kind == Row::Kind::kBreaks) == broken) rules.insert(row.id);
  }
  return rules;
}

std::set<std::string> Without(std::set<std::string> rules, const std::set<std::string>& exceptions) {
  for (const std::string& rule : exceptions) rules.erase(rule);
  return rules;
}

TEST(VerifyRulesTest, EveryRuleIsBrokenByARow) { EXPECT_EQ(RulesIn(true), Without(Without(AllRules(), kNoRow), kNeverFound)); }

TEST(VerifyRulesTest, EveryRuleHasANeighbourThatKeepsIt) { EXPECT_EQ(RulesIn(false), Without(AllRules(), kNoRow)); }

TEST(VerifyRulesTest, RowsHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Row& row : AllRows()) EXPECT_TRUE(names.insert(NameOf(row)).second) << NameOf(row);
}

TEST(VerifyRulesTest, BaseFilesHaveNoFinding) {
  const std::pair<ContainerKind, Recipe> kBases[] = {{ContainerKind::kPte, A()}, {ContainerKind::kPte, B()}, {ContainerKind::kPte, C()},
                                                     {ContainerKind::kPte, D()}, {ContainerKind::kPte, E()}, {ContainerKind::kPte, M()},
                                                     {ContainerKind::kPte, X()}, {ContainerKind::kPtd, P()}, {ContainerKind::kBpte, Q()}};
  for (const auto& [kind, recipe] : kBases) {
    const VerifyReport report = ReportOf(recipe.File());
    EXPECT_EQ(Describe(report), "");
    EXPECT_EQ(report.verdict, Verdict::kOk);
    EXPECT_EQ(report.omitted, 0U);
    EXPECT_EQ(report.kind, kind);
  }
}

// --- What many faults come to.

// A with ten lists whose item is no value (T22), ten tensors of an odd layout (T18), and five fields that nobody knows (F10).
Recipe ManyFaults() {
  Recipe recipe = A().Model([](BaseProgram& base) {
    for (int i = 0; i < 10; ++i) {
      fb::IntListT list;
      list.items = {99};
      auto value = std::make_unique<fb::EValueT>();
      value->val.Set(std::move(list));
      base.program.execution_plan[0]->values.push_back(std::move(value));
    }
    for (int i = 0; i < 10; ++i) {
      AddInput(base, {2, 2});
      base.program.execution_plan[0]->values.back()->val.AsTensor()->layout = 9;
    }
  });
  for (int i = 0; i < 5; ++i) recipe.Extra("execution_plan[0].values[" + std::to_string(i) + "]");
  return recipe;
}

VerifyReport ReportWithAtMost(uint32_t findings) {
  VerifyOptions options;
  options.limits.max_findings = findings;
  return ReportOf(ManyFaults().File(), options);
}

size_t CountOf(const VerifyReport& report, Severity severity) {
  return static_cast<size_t>(
      std::count_if(report.findings.begin(), report.findings.end(), [=](const Finding& f) { return f.severity == severity; }));
}

TEST(VerifyRulesTest, AllFindingsAreKeptWithinTheLimit) {
  const VerifyReport report = ReportWithAtMost(10);
  EXPECT_EQ(CountOf(report, kError), 10U);
  EXPECT_EQ(CountOf(report, kWarning), 10U);
  EXPECT_EQ(CountOf(report, kInfo), 5U);
  EXPECT_EQ(report.omitted, 0U);
}

TEST(VerifyRulesTest, TheLimitIsThatOfEachSeverity) {
  const VerifyReport report = ReportWithAtMost(3);
  EXPECT_EQ(CountOf(report, kError), 3U);
  EXPECT_EQ(CountOf(report, kWarning), 3U);
  EXPECT_EQ(CountOf(report, kInfo), 3U);
  EXPECT_EQ(report.omitted, 7U + 7U + 2U);
  EXPECT_EQ(report.verdict, Verdict::kError);
}

TEST(VerifyRulesTest, TheVerdictCountsWhatIsNotListed) {
  const VerifyReport report = ReportWithAtMost(0);
  EXPECT_THAT(report.findings, testing::IsEmpty());
  EXPECT_EQ(report.omitted, 25U);
  EXPECT_EQ(report.verdict, Verdict::kError);
}

// Ten million bytes that are no truth value, and their texts made for a thousand.
TEST(VerifyRulesTest, WhatIsNotListedCostsNoText) {
  constexpr size_t kFaults = 10'000'000;
  BaseProgram base = ProgramA();
  base.program.execution_plan[0]->values[11]->val.AsBoolList()->items.assign(kFaults, true);
  FlatImage image(Pack(base.program), *fb::Program::MiniReflectTypeTable());
  const size_t first = image.At("execution_plan[0].values[11].val.items[0]");
  std::fill_n(image.bytes.begin() + static_cast<std::ptrdiff_t>(first), kFaults, '\2');
  const auto start = std::chrono::steady_clock::now();
  const VerifyReport report = ReportOf(image.bytes);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  const uint64_t listed = CountOf(report, kError);
  EXPECT_EQ(listed, uint64_t{Limits().max_findings});
  EXPECT_GE(report.omitted + listed, kFaults);
}

// Those without an offset first, then by offset.
TEST(VerifyRulesTest, FindingsAreSortedByOffset) {
  const VerifyReport report = ReportWithAtMost(10);
  EXPECT_TRUE(std::is_sorted(report.findings.begin(), report.findings.end(),
                             [](const Finding& a, const Finding& b) { return a.file_offset < b.file_offset; }));
}

}  // namespace
}  // namespace pte::test
