// Moving entries of a store to data files: which, under which names, and how large the files become.
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::IsEmpty;

bool All(const NamedDataEntry&) { return true; }

std::map<std::string, std::string> TagsOf(const NamedDataStore& store) {
  std::map<std::string, std::string> tags;
  for (const NamedDataEntry& entry : store.entries()) tags[entry.key()] = entry.external_tag();
  return tags;
}

TEST(ExternalizeTest, WhatThePredicatePicksGoesAndTheRestStays) {
  NamedDataStore store;
  for (const char* key : {"a.weight", "_lifted_tensor_constant0", "b.weight"}) ASSERT_THAT(store.Add(key, Copy(key)), IsOk());
  const auto picked = store.Externalize([](const NamedDataEntry& entry) { return entry.key()[0] != '_'; }, {.tag = "weights"});
  ASSERT_THAT(picked, IsOk());
  EXPECT_THAT(*picked, ElementsAre("weights"));
  EXPECT_THAT(TagsOf(store), ElementsAre(testing::Pair("_lifted_tensor_constant0", ""), testing::Pair("a.weight", "weights"),
                                         testing::Pair("b.weight", "weights")));
  // Entries of other files are not asked for.
  ASSERT_OK_AND_ASSIGN(const auto again,
                       store.Externalize([](const NamedDataEntry& entry) { return entry.key()[0] != '_'; }, {.tag = "x"}));
  EXPECT_THAT(again, IsEmpty());
}

TEST(ExternalizeTest, BadTagsAreRefusedAndNothingChanges) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("a", Copy("a")), IsOk());
  for (const std::string& tag :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("/abs"), std::string("nul\0in", 6)}) {
    EXPECT_THAT(store.Externalize(All, {.tag = tag}), HasCode(StatusCode::kInvalidArgument)) << tag;
    EXPECT_EQ(store.Find("a")->external_tag(), "");
  }
}

TEST(ExternalizeTest, KeysOfOnePayloadStayTogether) {
  NamedDataStore store;
  for (const char* key : {"a", "b", "c"}) ASSERT_THAT(store.Add(key, Copy(key[0] == 'b' ? "own" : "shared")), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto tags,
                       store.Externalize([](const NamedDataEntry& entry) { return entry.key() == "c"; }, {.tag = "t", .max_file_size = 1}));
  EXPECT_THAT(tags, ElementsAre("t"));
  EXPECT_EQ(store.Find("a")->external_tag(), "t");
  EXPECT_EQ(store.Find("b")->external_tag(), "");
  EXPECT_EQ(store.Find("c")->external_tag(), "t");
}

TEST(ExternalizeTest, TakenNamesArePassedOver) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("1", Copy("1"), {.external_tag = "t"}), IsOk());
  ASSERT_THAT(store.Add("2", Copy("2"), {.external_tag = "t_2"}), IsOk());
  for (const char* key : {"a", "b", "c"}) ASSERT_THAT(store.Add(key, Copy(key)), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto tags, store.Externalize(All, {.tag = "t", .max_file_size = 1}));
  EXPECT_THAT(tags, ElementsAre("t_1", "t_3", "t_4"));
  EXPECT_EQ(store.Find("1")->external_tag(), "t");
}

// Saves what was dealt out and holds every file against the maximum; one that is larger must hold a single payload.
void ExpectWithin(uint64_t most, const NamedDataStore& store, const LayoutOptions& layout = {}) {
  const TempDir folder;
  PteContents contents;
  contents.program = OneMethod();
  contents.named_data = store;
  ASSERT_THAT(SaveProgramAndData(contents, folder / "model.pte", layout), IsOk());
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    if (file.path().extension() != ".ptd") continue;
    ASSERT_OK_AND_ASSIGN(const PtdFile data, PtdFile::Open(file.path()));
    EXPECT_TRUE(file.file_size() <= most || data.segments().size() == 1) << file.path() << " has " << file.file_size();
  }
}

TEST(ExternalizeTest, NoFileGrowsBeyondTheMaximum) {
  for (const uint64_t most : {uint64_t{6000}, uint64_t{20'000}, uint64_t{100'000}}) {
    NamedDataStore store;
    for (size_t i = 0; i < 60; ++i) {
      const std::string key = std::string(i * 7, 'k') + std::to_string(i);
      const uint64_t alignment = i % 5 == 0 ? 4096 : 1 + i;
      ASSERT_THAT(store.Add(key, Copy(Bytewise(1 + i * 97, static_cast<unsigned>(i))), {.alignment = alignment}), IsOk());
    }
    ASSERT_OK_AND_ASSIGN(const auto tags, store.Externalize(All, {.tag = "t", .max_file_size = most}));
    EXPECT_GT(tags.size(), 1u);
    ExpectWithin(most, store);
  }
}

TEST(ExternalizeTest, AlignmentsThatMultiplyInTheBaseCountAsWell) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("a", Copy("a"), {.alignment = 31}), IsOk());
  ASSERT_THAT(store.Add("b", Copy("b"), {.alignment = 33}), IsOk());
  ASSERT_THAT(store.Externalize(All, {.tag = "t", .max_file_size = 50'000}), IsOk());
  ExpectWithin(50'000, store);
}

TEST(ExternalizeTest, PayloadsThatCannotStandInOneFileGetTwo) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("a", Copy("a"), {.alignment = 8191}), IsOk());
  ASSERT_THAT(store.Add("b", Copy("b"), {.alignment = 8179}), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto tags, store.Externalize(All, {.tag = "t"}));
  EXPECT_THAT(tags, ElementsAre("t", "t_1"));
  ExpectWithin(UINT64_MAX, store);
}

TEST(ExternalizeTest, LargePayloadsGetFilesOfTheirOwn) {
  NamedDataStore store;
  const size_t sizes[] = {100, 3 << 20, 200, 2 << 20, 300};
  for (size_t i = 0; i < std::size(sizes); ++i) {
    Rope zeros = Copy(std::to_string(i));
    ASSERT_THAT(zeros.AppendZeros(sizes[i]), IsOk());
    ASSERT_THAT(store.Add(std::to_string(i), zeros), IsOk());
  }
  ASSERT_OK_AND_ASSIGN(const auto tags, store.Externalize(All, {.tag = "t", .max_file_size = 1 << 20}));
  EXPECT_THAT(tags, ElementsAre("t", "t_1", "t_2", "t_3", "t_4"));
  ExpectWithin(1 << 20, store);
}

TEST(ExternalizeTest, WithoutAMaximumOneFileTakesAll) {
  NamedDataStore store;
  for (int i = 0; i < 50; ++i) ASSERT_THAT(store.Add(std::to_string(i), Copy(std::to_string(i)), {.alignment = 4096}), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto tags, store.Externalize(All, {.tag = "t"}));
  EXPECT_THAT(tags, ElementsAre("t"));
}

TEST(ExternalizeTest, NothingPickedUsesNoName) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("a", Copy("a")), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto tags, store.Externalize([](const NamedDataEntry&) { return false; }, {.tag = "t"}));
  EXPECT_THAT(tags, IsEmpty());
}

}  // namespace
}  // namespace pte::test
