// Alignments of named data: every key's request holds in the file, for bytes that several keys share too.
#include <cstdint>
#include <numeric>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::AllOf;

uint64_t OffsetIn(const PteFile& file, std::string_view key) {
  const absl::StatusOr<Payload> payload = file.FindNamedData(key);
  EXPECT_THAT(payload, IsOk());
  return payload->file_offset();
}

TEST(NamedDataAlignmentTest, SharedBytesStandAtTheLeastCommonMultiple) {
  for (const auto& [a, b] : {std::pair<uint64_t, uint64_t>{3, 4}, {16, 4096}, {4096, 16}, {128, 128}, {5, 7}, {65536, 3}, {640, 384}}) {
    PteContents contents;
    contents.program = OneMethod();
    ASSERT_THAT(contents.named_data.Add("before", Copy("x")), IsOk());
    ASSERT_THAT(contents.named_data.Add("one", Copy(Bytewise(250)), {.alignment = a}), IsOk());
    ASSERT_THAT(contents.named_data.Add("two", Copy(Bytewise(250)), {.alignment = b}), IsOk());
    const PteFile file = OpenPte(Written(contents));
    const uint64_t wanted = std::lcm(uint64_t{128}, std::lcm(a, b));
    EXPECT_EQ(OffsetIn(file, "one") % wanted, 0u) << a << " " << b;
    EXPECT_EQ(OffsetIn(file, "two"), OffsetIn(file, "one"));
    EXPECT_EQ(file.FindNamedData("one")->size(), 250u);
    EXPECT_EQ(file.segments().back().size, 250u);
  }
}

// The rule of the exporter's documentation: 3 and 4 and 128 make 384, and the size stays the true one.
TEST(NamedDataAlignmentTest, ThreeAndFourAndTheSegmentsMake384) {
  PtdContents contents;
  ASSERT_THAT(contents.named_data.Add("one", Copy(Bytewise(250)), {.alignment = 3}), IsOk());
  ASSERT_THAT(contents.named_data.Add("two", Copy(Bytewise(250)), {.alignment = 4}), IsOk());
  ASSERT_THAT(contents.named_data.Add("next", Copy("n"), {.alignment = 3}), IsOk());
  const PtdFile file = OpenPtd(Written(contents, ReferenceLayout()));
  EXPECT_EQ(file.Find("one")->file_offset() % 384, 0u);
  EXPECT_EQ(file.Find("one")->size(), 250u);
  EXPECT_EQ(file.Find("next")->file_offset(), file.Find("one")->file_offset() + 384);
}

TEST(NamedDataAlignmentTest, RequestsWithoutACommonMultipleAreRefusedByBothNames) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("one", Copy("bytes"), {.alignment = 65536}), IsOk());
  EXPECT_THAT(store.Add("two", Copy("bytes"), {.alignment = 65521}),
              AllOf(HasCodeAndMessage(StatusCode::kInvalidArgument, "65521"), HasCodeAndMessage(StatusCode::kInvalidArgument, "65536")));
  EXPECT_EQ(store.Find("two"), nullptr);
  EXPECT_THAT(store.Add("one", Copy("bytes"), {.alignment = 65521}),
              AllOf(HasCodeAndMessage(StatusCode::kInvalidArgument, "65521"), HasCodeAndMessage(StatusCode::kInvalidArgument, "65536")));
  EXPECT_EQ(store.Find("one")->alignment(), 65536u);
  // Exactly 1 MiB and just above it.
  EXPECT_THAT(store.Add("sixteen", Copy("bytes"), {.alignment = 16}), IsOk());
  EXPECT_THAT(store.Add("fifteen", Copy("bytes"), {.alignment = 15}), IsOk());
  EXPECT_THAT(store.Add("seventeen", Copy("bytes"), {.alignment = 17}), HasCode(StatusCode::kInvalidArgument));
}

TEST(NamedDataAlignmentTest, KeysOfDifferentFilesDoNotShareRequests) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("one", Copy("bytes"), {.alignment = 65536}), IsOk());
  ASSERT_THAT(store.Add("two", Copy("bytes"), {.alignment = 65521, .external_tag = "tag"}), IsOk());
  EXPECT_TRUE(store.Find("one")->SharesPayloadWith(*store.Find("two")));
  EXPECT_THAT(store.Add("three", Copy("bytes"), {.alignment = 65536, .external_tag = "tag"}), HasCode(StatusCode::kInvalidArgument));
}

TEST(NamedDataAlignmentTest, ARequestIsGivenBackWithItsKey) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("keeper", Copy("bytes")), IsOk());
  ASSERT_THAT(store.Add("asker", Copy("bytes"), {.alignment = 65536}), IsOk());
  ASSERT_THAT(store.Add("asker 2", Copy("bytes"), {.alignment = 65536}), IsOk());
  ASSERT_THAT(store.Remove("asker"), IsOk());
  EXPECT_THAT(store.Add("other", Copy("bytes"), {.alignment = 65521}), HasCode(StatusCode::kInvalidArgument));
  ASSERT_THAT(store.Replace("asker 2", Copy("elsewhere")), IsOk());
  EXPECT_THAT(store.Add("other", Copy("bytes"), {.alignment = 65521}), IsOk());
  // And it comes along to the new bytes.
  EXPECT_THAT(store.Add("again", Copy("elsewhere"), {.alignment = 65521}), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(store.Replace("asker 2", Copy("bytes")), HasCode(StatusCode::kInvalidArgument));
  EXPECT_EQ(TextOf(store.Find("asker 2")->data()), "elsewhere");
}

TEST(NamedDataAlignmentTest, WhatIsGivenBackNoLongerHoldsInTheFile) {
  PteContents contents;
  contents.program = OneMethod();
  ASSERT_THAT(contents.named_data.Add("first", Copy("f")), IsOk());
  ASSERT_THAT(contents.named_data.Add("keeper", Copy("bytes")), IsOk());
  ASSERT_THAT(contents.named_data.Add("asker", Copy("bytes"), {.alignment = 4096}), IsOk());
  EXPECT_EQ(OffsetIn(OpenPte(Written(contents)), "keeper") % 4096, 0u);
  ASSERT_THAT(contents.named_data.Remove("asker"), IsOk());
  const PteFile file = OpenPte(Written(contents));
  EXPECT_EQ(OffsetIn(file, "keeper"), OffsetIn(file, "first") + 128);
}

TEST(NamedDataAlignmentTest, PayloadsThatCannotStandInOneFileAreNamedWhenItIsPlanned) {
  PteContents contents;
  contents.program = OneMethod();
  ASSERT_THAT(contents.named_data.Add("one", Copy("a"), {.alignment = 65536}), IsOk());
  ASSERT_THAT(contents.named_data.Add("two", Copy("b"), {.alignment = 8191}), IsOk());
  EXPECT_THAT(PlanPte(contents), AllOf(HasCodeAndMessage(StatusCode::kInvalidArgument, "65536 (one)"),
                                       HasCodeAndMessage(StatusCode::kInvalidArgument, "8191 (two)")));
}

}  // namespace
}  // namespace pte::test
