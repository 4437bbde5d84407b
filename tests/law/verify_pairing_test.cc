// A program against the .ptd files that it is used with.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/law/verify_rows.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

constexpr const char* kKey = "execution_plan[0].values[14].val.extra_tensor_info.fully_qualified_name";
constexpr const char* kType = "execution_plan[0].values[14].val.scalar_type";
constexpr const char* kSizes = "execution_plan[0].values[14].val.sizes";
constexpr const char* kOrder = "execution_plan[0].values[14].val.dim_order";

// P without "weight", whose key is another.
Recipe OtherKeys() {
  return P().Model([](BaseDirectory& base) {
    for (const auto& row : base.directory.named_data) row->key = "other." + row->key;
  });
}

// The same, its first key as it was: only "weight" is in both.
Recipe WeightAgain() {
  return OtherKeys().Model([](BaseDirectory& base) { base.directory.named_data[0]->key = "weight"; });
}

// X with a key of its own on an own segment.
Recipe WithKey(std::string key) {
  return X().Model([=](BaseProgram& base) {
    AddKey(base, key, 256, 16);
    base.data.resize(256, '\0');
    base.data += std::string(16, 'k');
  });
}

// X, whose tensor has another name.
Recipe Named(std::string name) {
  return X().Model([=](BaseProgram& base) {
    base.program.execution_plan[0]->values[14]->val.AsTensor()->extra_tensor_info->fully_qualified_name = name;
  });
}

std::vector<Row> TensorRows() {
  return {
      Breaks("T14", "NoSuchKey", kError, X(), kKey).With({OtherKeys()}).Reference(RuntimeReaction::kRefuses),
      Breaks("T14", "OpaqueEntry", kError, Named("blob"), kKey).With({P()}).Reference(RuntimeReaction::kCrashes),
      Breaks("T14", "OtherElements", kError, X().Set(kType, 3), kType).With({P()}),
      Breaks("T14", "OtherSizes", kError, X().Items(kSizes, {2, 8}), kSizes).With({P()}),
      Breaks("T14", "OtherRank", kError, X().Items(kSizes, {16}).Items(kOrder, {0}), kSizes).With({P()}),
      Breaks("T14", "OtherOrder", kError, X().Items(kOrder, {1, 0}), kOrder).With({P()}),
      Keeps("T14", "TheSame", X()).With({P()}),
      Keeps("T14", "TheSameInTheSecondFile", X()).With({OtherKeys(), P()}),
      // Without data nothing is said about it.
      Keeps("T14", "NoDataGiven", X()),
  };
}

std::vector<Row> KeyRows() {
  return {
      Breaks("S25", "InBoth", kError, WithKey("weight"), "named_data[0].key").With({P()}).Reference(RuntimeReaction::kMisreads),
      Keeps("S25", "InTheProgramAlone", WithKey("own")).With({P()}),
  };
}

VerifyOptions WithData(const std::vector<Recipe>& files) {
  VerifyOptions options;
  for (const Recipe& file : files) options.data.push_back(MakeSource(SourceKind::kMemory, file.File()));
  return options;
}

}  // namespace

std::vector<Row> PairingRows() { return Joined({TensorRows(), KeyRows()}); }

PTE_TEST_JUDGE_ROWS(VerifyPairing, PairingRows());

// D13: the second file is the one that repeats a key.
TEST(VerifyPairingTest, AKeyInTwoFilesIsReportedInTheSecond) {
  const VerifyReport report = ReportOf(X().File(), WithData({P(), WeightAgain()}));
  SCOPED_TRACE(Describe(report));
  EXPECT_EQ(report.verdict, Verdict::kError);
  ASSERT_THAT(report.data, testing::SizeIs(2));
  EXPECT_THAT(report.findings, testing::IsEmpty());
  EXPECT_THAT(report.data[0].findings, testing::IsEmpty());
  ASSERT_THAT(report.data[1].findings, testing::SizeIs(1));
  const Finding& finding = report.data[1].findings[0];
  EXPECT_EQ(finding.rule, "D13");
  EXPECT_EQ(finding.severity, kError);
  EXPECT_EQ(finding.file_offset, WeightAgain().Build().At("named_data[0].key[0]"));
  // Of one file by itself, the runtime would take the first.
  EXPECT_EQ(finding.runtime, RuntimeReaction::kRefuses);
}

// What a tensor and its entry agree on, the segment may be too small for: D22 of the file by itself.
TEST(VerifyPairingTest, ASegmentThatIsTooSmallIsTheDataFilesFault) {
  const Recipe data = P().Items("named_data[0].tensor_layout.sizes", {5, 4});
  const VerifyReport report = ReportOf(X().Items(kSizes, {5, 4}).File(), WithData({data}));
  SCOPED_TRACE(Describe(report));
  EXPECT_EQ(report.verdict, Verdict::kError);
  ASSERT_THAT(report.data, testing::SizeIs(1));
  ASSERT_THAT(report.data[0].findings, testing::SizeIs(1));
  EXPECT_EQ(report.data[0].findings[0].rule, "D22");
}

// Each file is judged by itself, its offsets counting from its own first byte; its errors are in the verdict of the whole.
TEST(VerifyPairingTest, DamagedDataIsReportedInItsOwnReport) {
  const VerifyReport report = ReportOf(X().File(), WithData({OtherKeys().Poke32(12, 39), P()}));
  SCOPED_TRACE(Describe(report));
  EXPECT_EQ(report.verdict, Verdict::kError);
  EXPECT_EQ(report.kind, ContainerKind::kPte);
  ASSERT_THAT(report.data, testing::SizeIs(2));
  ASSERT_THAT(report.data[0].findings, testing::SizeIs(1));
  EXPECT_EQ(report.data[0].findings[0].rule, "D3");
  EXPECT_EQ(report.data[0].findings[0].file_offset, 12U);
  EXPECT_EQ(report.data[0].verdict, Verdict::kError);
  EXPECT_EQ(report.data[1].verdict, Verdict::kOk);
  EXPECT_EQ(report.data[1].kind, ContainerKind::kPtd);
}

TEST(VerifyPairingTest, ALongLayoutIsShownInPart) {
  const Recipe data = P().Model([](BaseDirectory& base) {
    auto& layout = *base.directory.named_data[0]->tensor_layout;
    layout.sizes.assign(10'000, 1);
    layout.dim_order.assign(10'000, 0);
  });
  const VerifyReport report = ReportOf(X().File(), WithData({data}));
  ASSERT_THAT(report.findings, testing::SizeIs(1));
  EXPECT_EQ(report.findings[0].rule, "T14");
  EXPECT_LT(report.findings[0].actual.size(), 100U);
}

TEST(VerifyPairingTest, DataBesideDataIsTheCallersFault) {
  EXPECT_THAT(Verify(*MakeSource(SourceKind::kMemory, P().File()), WithData({P()})), HasCode(absl::StatusCode::kInvalidArgument));
}

}  // namespace pte::test
