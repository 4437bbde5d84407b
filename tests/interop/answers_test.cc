// The judge itself: what it forgives and what not, and that a crash is told. Needs no runtime.
#include "tests/interop/answers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/interop/oracle.h"

namespace pte::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

json Tensor(const char* dtype, const json& first, const char* sha256) {
  return {{"dtype", dtype}, {"sizes", {first.size()}}, {"dim_order", {0}}, {"sha256", sha256}, {"first", first}};
}

json Forward(const json& output) { return {{"forward", {{"outputs", {output}}}}}; }

TEST(AnswersTest, LastBitsOfFloatsAreForgivenInTheRecordOnly) {
  const json recorded = Forward(Tensor("FLOAT", {1.0, 1000.0, "nan"}, "aa"));
  const json found = Forward(Tensor("FLOAT", {1.000001, 1000.001, "nan"}, "bb"));
  EXPECT_THAT(DifferencesFromRecord(recorded, found), IsEmpty());
  EXPECT_FALSE(SameOutputs(recorded, found));
  EXPECT_TRUE(SameOutputs(recorded, recorded));
}

TEST(AnswersTest, OtherFloatsAreDifferences) {
  const json recorded = Forward(Tensor("FLOAT", {1.0, 2.0}, "aa"));
  EXPECT_THAT(DifferencesFromRecord(recorded, Forward(Tensor("FLOAT", {1.0, 2.001}, "bb"))),
              ElementsAre("forward.outputs[0].first[1]: wanted 2.0, found 2.001"));
  EXPECT_THAT(DifferencesFromRecord(recorded, Forward(Tensor("FLOAT", {1.0, "nan"}, "bb"))),
              ElementsAre("forward.outputs[0].first[1]: wanted 2.0, found \"nan\""));
  EXPECT_FALSE(DifferencesFromRecord(recorded, Forward(Tensor("FLOAT", {1.0}, "bb"))).empty());
  EXPECT_FALSE(DifferencesFromRecord(recorded, Forward(Tensor("HALF", {1.0, 2.0}, "aa"))).empty());
}

TEST(AnswersTest, IntegersAreExact) {
  const json recorded = Forward(Tensor("LONG", {1, 2}, "aa"));
  EXPECT_THAT(DifferencesFromRecord(recorded, recorded), IsEmpty());
  EXPECT_THAT(DifferencesFromRecord(recorded, Forward(Tensor("LONG", {1, 2}, "bb"))),
              ElementsAre("forward.outputs[0].sha256: wanted \"aa\", found \"bb\""));
}

TEST(AnswersTest, MethodsSecondCallsAndReasonsMustBeThereOnBothSides) {
  const json answer = Forward(Tensor("FLOAT", {1.0}, "aa"));
  json stateful = answer;
  stateful["forward"]["second_call"] = stateful["forward"]["outputs"];
  const json none = {{"forward", {{"outputs", nullptr}, {"reason", "executing: error 0x12"}}}};
  EXPECT_FALSE(DifferencesFromRecord(answer, stateful).empty());
  EXPECT_FALSE(DifferencesFromRecord(stateful, answer).empty());
  EXPECT_FALSE(DifferencesFromRecord(answer, none).empty());
  EXPECT_FALSE(DifferencesFromRecord(none, answer).empty());
  EXPECT_FALSE(DifferencesFromRecord(answer, json::object()).empty());
  EXPECT_FALSE(DifferencesFromRecord(json::object(), answer).empty());
}

TEST(AnswersTest, ReasonsAreComparedByErrorCode) {
  EXPECT_EQ(ErrorCode("RuntimeError: Failed to load program, error: 0x:23"), "0x23");
  EXPECT_EQ(ErrorCode("executing: error 0x12"), "0x12");
  EXPECT_EQ(ErrorCode(nullptr), "none");
  EXPECT_EQ(ErrorCode("no code"), "none");
  const json recorded = {{"forward", {{"outputs", nullptr}, {"reason", "RuntimeError: method->execute() failed with error 0x12"}}}};
  EXPECT_THAT(DifferencesFromRecord(recorded, {{"forward", {{"outputs", nullptr}, {"reason", "executing: error 0x12"}}}}), IsEmpty());
  EXPECT_EQ(DifferencesFromRecord(recorded, {{"forward", {{"outputs", nullptr}, {"reason", "executing: error 0x13"}}}}).size(), 1);
}

TEST(OracleTest, TellsHowAChildEnded) {
  const ChildResult fine = RunChild("/bin/sh", {"-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(fine.ending, "exit code 3");
  EXPECT_EQ(fine.out, "out\n");
  EXPECT_EQ(fine.err, "err\n");
  EXPECT_EQ(RunChild("/bin/sh", {"-c", "kill -ABRT $$"}).ending, "signal 6 (Aborted)");
}

}  // namespace
}  // namespace pte::test
