// C.7: .bpte files, and the program inside.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "tests/law/verify_rows.h"

namespace pte::test {
namespace {

using Bundle = fb::bundled::BundledProgramT;

fb::bundled::BundledMethodTestCaseT& CaseOf(Bundle& bundle) { return *bundle.method_test_suites[0]->test_cases[0]; }
fb::bundled::TensorT& InputOf(Bundle& bundle) { return *CaseOf(bundle).inputs[0]->val.AsTensor(); }

void AddSuite(Bundle& bundle, std::string method) {
  bundle.method_test_suites.push_back(std::make_unique<fb::bundled::BundledMethodTestSuiteT>());
  bundle.method_test_suites.back()->method_name = std::move(method);
}

// Q with a second suite; its program has methods "forward" and "another".
Recipe SecondSuite(std::string method) {
  const Recipe program = A().Model([](BaseProgram& base) { AddMethod(base, "another"); });
  return BundleOf(program).Model([=](Bundle& bundle) { AddSuite(bundle, method); });
}

// Q with as many outputs expected of the `outputs` that its method has.
Recipe Expecting(size_t expected, std::vector<int32_t> outputs) {
  const Recipe program = A().Model([=](BaseProgram& base) { base.program.execution_plan[0]->outputs = outputs; });
  return BundleOf(program).Model([=](Bundle& bundle) {
    for (size_t i = 0; i < expected; ++i) CaseOf(bundle).expected_outputs.push_back(TestTensor(4));
  });
}

// Q, whose method has its input twice.
Recipe TwoInputs() {
  return BundleOf(A().Model([](BaseProgram& base) { base.program.execution_plan[0]->inputs = {4, 4}; }));
}

// Q, whose input has one row alone.
Recipe OneRow() {
  const Recipe program = A().Model([](BaseProgram& base) { base.program.execution_plan[0]->values[4]->val.AsTensor()->sizes = {1, 4}; });
  return BundleOf(program).Model([](Bundle& bundle) { InputOf(bundle).sizes = {1, 4}; });
}

Recipe WithProgram(std::string bytes) {
  return Q().Model([=](Bundle& bundle) { bundle.program.assign(bytes.begin(), bytes.end()); });
}

Recipe WithData(size_t size) {
  return Q().Model([=](Bundle& bundle) { InputOf(bundle).data.resize(size, 3); });
}

// Makes room before the program, which stands between the root table and everything else.
void MoveProgram(FlatImage& image, uint32_t distance) {
  const size_t program = image.At("program");
  for (const char* field : {"program", "method_test_suites"}) {
    image.Set(field, Peek32(image.bytes, image.StoredAt(field)) + distance);
  }
  image.bytes.insert(program, distance, '\0');
}

constexpr const char* kVal = "method_test_suites[0].test_cases[0].inputs[0].val";
constexpr const char* kValType = "method_test_suites[0].test_cases[0].inputs[0].val_type";
constexpr const char* kData = "method_test_suites[0].test_cases[0].inputs[0].val.data";
constexpr const char* kSizes = "method_test_suites[0].test_cases[0].inputs[0].val.sizes";
constexpr const char* kOrder = "method_test_suites[0].test_cases[0].inputs[0].val.dim_order";
constexpr const char* kOutputType = "method_test_suites[0].test_cases[0].expected_outputs[0].val.scalar_type";
constexpr const char* kType = "method_test_suites[0].test_cases[0].inputs[0].val.scalar_type";

std::vector<Row> HeadRows() {
  const FlatImage q = Q().Build();
  const size_t program = q.At("program[0]");
  return {
      // A file this short is no .bpte yet.
      Breaks("B1", "SevenBytes", kError, Q().Cut(7), 7).As("H1").Reference(RuntimeReaction::kRefuses),
      Keeps("B1", "Whole", Q()),
      Breaks("B2", "Root0", kError, Q().Poke32(0, 0), 0).Reference(RuntimeReaction::kCrashes),
      Breaks("B2", "RootMax", kError, Q().Poke32(0, UINT32_MAX), 0),
      Breaks("B2", "IdentifierAlone", kError, Q().Cut(8), 0),
      Breaks("B2", "HugeVector", kError, Q().Vlen("method_test_suites", 0x40000000), "method_test_suites"),
      Breaks("B2", "OffsetOutOfTheBuffer", kError, Q().Set("method_test_suites[0].method_name", 0x7fffff00),
             "&method_test_suites[0].method_name"),
      Breaks("B2", "ProgramBeyondTheFile", kError, Q().Vlen("program", 0x40000000), "program"),
      Keeps("B2", "Sound", Q()),
      Breaks("B3", "NoProgram", kError, Q().Slot("program"), "root").Reference(RuntimeReaction::kCrashes),
      Breaks("B3", "EmptyProgram", kError, Q().Clear("program"), "program"),
      Breaks("B3", "OtherKind", kError, WithProgram(P().File()), "program[4]"),
      Breaks("B3", "OtherBytes", kError, WithProgram(std::string(128, 'x')), "program[4]"),
      Keeps("B3", "Program", Q()),
      // A rule of the program, at its place in the bundle.
      Breaks("B4", "HeaderOfTheProgram", kError, Q().Poke32(program + 12, 23), program + 12).As("H4"),
      Breaks("B4", "ValueOfTheProgram", kError, BundleOf(A().Set("execution_plan[0].values[4].val.storage_offset", 1)),
             program + A().Build().At("execution_plan[0].values[4].val.storage_offset"))
          .As("T10"),
      Breaks("B4", "BytesBehindTheProgram", kWarning, BundleOf(A().Append(std::string(5, 'x'))), program + A().File().size())
          .As("H20")
          .Reference(RuntimeReaction::kAccepts),
      // Nothing says where a bundle ends.
      Breaks("B4", "BytesBehindTheBundle", kInfo, Q().Append(std::string(16, 'x')), Q().File().size())
          .As("H20")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("B4", "ProgramWithoutHeader", BundleOf(M()).Model([](Bundle& bundle) { bundle.method_test_suites.clear(); })),
  };
}

std::vector<Row> SuiteRows() {
  return {
      Breaks("B5", "NoSuites", kError, Q().Slot("method_test_suites"), "root").Reference(RuntimeReaction::kCrashes),
      Breaks("B5", "NoMethodName", kError, Q().Slot("method_test_suites[0].method_name"), "method_test_suites[0]"),
      Breaks("B5", "TwiceTheSame", kError, Q().Model([](Bundle& bundle) { AddSuite(bundle, "forward"); }),
             "method_test_suites[1].method_name")
          .Reference(RuntimeReaction::kMisreads),
      Breaks("B5", "NoSuchMethod", kError, Q().Text("method_test_suites[0].method_name", "forwarD"), "method_test_suites[0].method_name")
          .Reference(RuntimeReaction::kAccepts),
      Breaks("B5", "NotSorted", kWarning, SecondSuite("another"), "method_test_suites[1].method_name").Reference(RuntimeReaction::kAccepts),
      Keeps("B5", "Sorted",
            SecondSuite("another").Model([](Bundle& bundle) { std::swap(bundle.method_test_suites[0], bundle.method_test_suites[1]); })),
      Breaks("B6", "OneInputTooMany", kError, Q().Model([](Bundle& bundle) { CaseOf(bundle).inputs.push_back(TestTensor(4)); }),
             "method_test_suites[0].test_cases[0].inputs")
          .Reference(RuntimeReaction::kCrashes),
      Breaks("B6", "NoInput", kError, Q().Clear("method_test_suites[0].test_cases[0].inputs"),
             "method_test_suites[0].test_cases[0].inputs"),
      Breaks("B6", "OneOutputTooFew", kError, Expecting(1, {4, 4}), "method_test_suites[0].test_cases[0].expected_outputs"),
      Breaks("B6", "OneInputTooFew", kError, TwoInputs(), "method_test_suites[0].test_cases[0].inputs"),
      Keeps("B6", "NoOutputs", Expecting(0, {4, 4})),
      Keeps("B6", "AllOutputs", Expecting(2, {4, 4})),
  };
}

std::vector<Row> TensorRows() {
  return {
      Breaks("B7", "DataTooShort", kError, WithData(15), kData).Reference(RuntimeReaction::kCrashes),
      Breaks("B7", "NoData", kError, Q().Slot(kData), kVal),
      Breaks("B7", "NoSizes", kError, Q().Slot(kSizes), kVal),
      Breaks("B7", "NoOrder", kError, Q().Slot(kOrder), kVal),
      Breaks("B7", "OrderTooShort", kError, Q().Items(kOrder, {0}), kOrder),
      Breaks("B7", "OrderTwiceTheSame", kError, Q().Items(kOrder, {0, 0}), kOrder),
      Breaks("B7", "Rank17", kError, Q().Model([](Bundle& bundle) {
        InputOf(bundle).sizes = {2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        InputOf(bundle).dim_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
      }),
             kSizes),
      Breaks("B7", "NegativeSize", kError, Q().Items(kSizes, {2, -2}), "method_test_suites[0].test_cases[0].inputs[0].val.sizes[1]"),
      Breaks("B7", "DataLonger", kWarning, WithData(17), kData).Reference(RuntimeReaction::kAccepts),
      Keeps("B7", "DataAsLong", WithData(16)),
      Breaks("B8", "None", kError, Q().Set(kValType, 0), kValType).Reference(RuntimeReaction::kRefuses),
      Breaks("B8", "UnknownType", kError, Q().Set(kValType, 9), kValType),
      Breaks("B8", "OtherType", kError, Q().Model([](Bundle& bundle) { CaseOf(bundle).inputs[0]->val.Set(fb::bundled::IntT()); }),
             kValType),
      // INT, which is as large as FLOAT.
      Breaks("B8", "OtherElements", kError, Q().Set(kType, 3), kType),
      Breaks("B8", "OtherElementsOfAnOutput", kError, Expecting(1, {4}).Set(kOutputType, 3), kOutputType),
      // The runtime takes the bytes as they are.
      Breaks("B8", "OtherOrder", kWarning, Q().Items(kOrder, {1, 0}), kOrder).Reference(RuntimeReaction::kMisreads),
      Keeps("B8", "OtherOrderOfOneRow", OneRow().Items(kOrder, {1, 0})),
      Keeps("B8", "AsInTheMethod", Q()),
  };
}

std::vector<Row> VersionRows() {
  return {
      Breaks("B9", "ProgramAtAnOddMultipleOf16", kWarning, Q().Bytewise([](FlatImage& image) { MoveProgram(image, 16); }), "program")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("B9", "ProgramAtAMultipleOf32", Q().Bytewise([](FlatImage& image) { MoveProgram(image, 32); })),
      Breaks("B10", "Version3", kWarning, Q().Set("version", 3), "version").Reference(RuntimeReaction::kAccepts),
      Breaks("B10", "Version0", kWarning, Q().Set("version", 0), "version"),
      Keeps("B10", "Version2", Q().Set("version", 2)),
  };
}

}  // namespace

std::vector<Row> BundleRows() { return Joined({HeadRows(), SuiteRows(), TensorRows(), VersionRows()}); }

PTE_TEST_JUDGE_ROWS(VerifyBundle, BundleRows());

std::vector<std::string> PathsOf(const Recipe& recipe) {
  std::vector<std::string> paths;
  for (const Finding& finding : ReportOf(recipe.File()).findings) paths.push_back(finding.path);
  return paths;
}

TEST(VerifyBundleTest, PathsInsideTheProgramSayThatTheyAre) {
  const size_t program = Q().Build().At("program[0]");
  EXPECT_THAT(PathsOf(Q().Poke32(program + 12, 23)), testing::ElementsAre("program.header.length"));
  EXPECT_THAT(PathsOf(BundleOf(A().Set("execution_plan[0].values[4].val.storage_offset", 1))),
              testing::ElementsAre("program.execution_plan[0].values[4].val.storage_offset"));
}

}  // namespace pte::test
