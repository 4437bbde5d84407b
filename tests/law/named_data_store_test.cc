// What a NamedDataStore promises of keys and entries: order, what a key added again may be, and that a failing call changes nothing.
#include "pte/named_data_store.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;

std::vector<std::string> KeysOf(const NamedDataStore& store) {
  std::vector<std::string> keys;
  for (const NamedDataEntry& entry : store.entries()) keys.push_back(entry.key());
  return keys;
}

constexpr int32_t kTwoByTwo[] = {2, 2};
constexpr uint8_t kRowMajor[] = {0, 1};
constexpr uint8_t kColumnMajor[] = {1, 0};

TensorLayout FloatMatrix(std::span<const uint8_t> dim_order = kRowMajor) { return {fb::ScalarType::FLOAT, kTwoByTwo, dim_order}; }

NamedDataStore StoreOf(const std::vector<std::string>& keys) {
  NamedDataStore store;
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_THAT(store.Add(keys[i], Copy(Bytewise(10 + i, static_cast<unsigned>(i)))), IsOk());
  return store;
}

TEST(NamedDataStoreTest, EntriesStandInTheOrderOfTheirAdding) {
  NamedDataStore store = StoreOf({"zebra", "apple", "mango"});
  EXPECT_THAT(KeysOf(store), ElementsAre("zebra", "apple", "mango"));
  EXPECT_THAT(store.Add("zebra", Copy(Bytewise(10, 0))), IsOk());
  EXPECT_THAT(KeysOf(store), ElementsAre("zebra", "apple", "mango"));
  EXPECT_THAT(store.Rename("apple", "zoo"), IsOk());
  EXPECT_THAT(KeysOf(store), ElementsAre("zebra", "zoo", "mango"));
  EXPECT_THAT(store.Replace("zebra", Copy("other")), IsOk());
  EXPECT_THAT(KeysOf(store), ElementsAre("zebra", "zoo", "mango"));
  EXPECT_THAT(store.Remove("zebra"), IsOk());
  EXPECT_THAT(store.Add("zebra", Copy("last")), IsOk());
  EXPECT_THAT(KeysOf(store), ElementsAre("zoo", "mango", "zebra"));
  EXPECT_EQ(store.size(), 3u);
}

TEST(NamedDataStoreTest, AKeyAddedAgainWithEqualBytesJoinsItsAlignments) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("key", Copy("bytes"), {.alignment = 4}), IsOk());
  ASSERT_THAT(store.Add("key", InPieces("bytes", {2, 1}), {.alignment = 6}), IsOk());
  EXPECT_EQ(store.size(), 1u);
  EXPECT_EQ(store.Find("key")->alignment(), 12u);
  ASSERT_THAT(store.Add("key", Copy("bytes"), {.alignment = 1}), IsOk());
  EXPECT_EQ(store.Find("key")->alignment(), 12u);
}

TEST(NamedDataStoreTest, AKeyAddedAgainMayJoinAlignmentsBeyondWhatOneMayAsk) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("key", Copy("bytes"), {.alignment = 65536}), IsOk());
  ASSERT_THAT(store.Add("key", Copy("bytes"), {.alignment = 3}), IsOk());
  EXPECT_EQ(store.Find("key")->alignment(), 3 * 65536u);
  NamedDataStore merged;
  ASSERT_THAT(merged.Merge(store), IsOk());
  EXPECT_EQ(merged.Find("key")->alignment(), 3 * 65536u);
  EXPECT_THAT(store.Add("key", Copy("bytes"), {.alignment = 7}),
              HasCodeAndMessage(StatusCode::kInvalidArgument, "7 (key \"key\") and 196608"));
  EXPECT_EQ(store.Find("key")->alignment(), 3 * 65536u);
  const NamedDataStore copy = store;
  EXPECT_EQ(copy.Find("key")->alignment(), 3 * 65536u);
}

TEST(NamedDataStoreTest, AKeyAddedAgainDifferentlyIsRefused) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("key", Copy(Bytewise(16)), {.alignment = 8, .tensor_layout = FloatMatrix(), .external_tag = "tag"}), IsOk());
  const struct {
    std::string bytes;
    std::optional<TensorLayout> layout;
    std::string tag;
    std::string what;
  } cases[] = {{Bytewise(16, 1), FloatMatrix(), "tag", "content"},
               {Bytewise(16), FloatMatrix(), "", "external tag"},
               {Bytewise(16), FloatMatrix(), "other", "external tag"},
               {Bytewise(16), FloatMatrix(kColumnMajor), "tag", "tensor layout"},
               {Bytewise(16), std::nullopt, "tag", "tensor layout"}};
  for (const auto& c : cases) {
    EXPECT_THAT(store.Add("key", Copy(c.bytes), {.alignment = 3, .tensor_layout = c.layout, .external_tag = c.tag}),
                HasCodeAndMessage(StatusCode::kAlreadyExists, c.what));
    ASSERT_EQ(store.size(), 1u);
    const NamedDataEntry& entry = store.entries().front();
    EXPECT_EQ(TextOf(entry.data()), Bytewise(16));
    EXPECT_EQ(entry.alignment(), 8u);
    EXPECT_EQ(entry.external_tag(), "tag");
    ASSERT_TRUE(entry.tensor_layout());
    EXPECT_THAT(entry.tensor_layout()->dim_order, ElementsAre(0, 1));
  }
}

TEST(NamedDataStoreTest, AKeyAddedAgainInAnotherSizeIsRefusedWithBothSizes) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("key", Copy("four")), IsOk());
  EXPECT_THAT(store.Add("key", Copy("seventy")), HasCodeAndMessage(StatusCode::kAlreadyExists, "4 bytes there, 7 given"));
  EXPECT_THAT(store.Add("key", Rope()), HasCode(StatusCode::kAlreadyExists));
  EXPECT_EQ(TextOf(store.Find("key")->data()), "four");
}

TEST(NamedDataStoreTest, AlignmentsAreFrom1To65536) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("there", Copy("bytes")), IsOk());
  for (const uint64_t bad : {uint64_t{0}, uint64_t{65537}, UINT64_MAX}) {
    EXPECT_THAT(store.Add("key", Copy("a"), {.alignment = bad}), HasCodeAndMessage(StatusCode::kInvalidArgument, "\"key\""));
    EXPECT_THAT(store.Add("key", Copy("bytes"), {.alignment = bad}), HasCode(StatusCode::kInvalidArgument));
    EXPECT_THAT(store.Add("there", Copy("bytes"), {.alignment = bad}), HasCode(StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(KeysOf(store), ElementsAre("there"));
  EXPECT_EQ(store.Find("there")->alignment(), 1u);
  EXPECT_THAT(store.Add("most", Copy("a"), {.alignment = 65536}), IsOk());
}

TEST(NamedDataStoreTest, WhatIsNotThereIsNotFound) {
  NamedDataStore store = StoreOf({"a"});
  EXPECT_THAT(store.Remove("b"), HasCodeAndMessage(StatusCode::kNotFound, "\"b\""));
  EXPECT_THAT(store.Replace("b", Copy("x")), HasCodeAndMessage(StatusCode::kNotFound, "\"b\""));
  EXPECT_THAT(store.Rename("b", "c"), HasCodeAndMessage(StatusCode::kNotFound, "\"b\""));
  EXPECT_EQ(store.Find("b"), nullptr);
  EXPECT_THAT(KeysOf(store), ElementsAre("a"));
}

TEST(NamedDataStoreTest, RenamingKeepsEverythingElse) {
  NamedDataStore store = StoreOf({"a", "b"});
  const NamedDataEntry* entry = store.Find("a");
  EXPECT_THAT(store.Rename("a", "b"), HasCodeAndMessage(StatusCode::kAlreadyExists, "\"b\""));
  EXPECT_THAT(store.Rename("a", "a"), IsOk());
  EXPECT_EQ(store.Find("a"), entry);
  EXPECT_THAT(store.Rename("a", std::string(10'000, 'x')), IsOk());
  EXPECT_EQ(store.Find("a"), nullptr);
  EXPECT_EQ(store.Find(std::string(10'000, 'x')), entry);
  EXPECT_EQ(TextOf(entry->data()), Bytewise(10, 0));
  EXPECT_THAT(store.Add("a", Copy("free again")), IsOk());
  // The new name may be a view of the old one.
  EXPECT_THAT(store.Rename(entry->key(), std::string_view(entry->key()).substr(0, 3)), IsOk());
  EXPECT_EQ(store.Find("xxx"), entry);
  EXPECT_THAT(store.Rename("xxx", "z"), IsOk());
  EXPECT_EQ(store.Find("xxx"), nullptr);
}

TEST(NamedDataStoreTest, ReplacingKeepsTheLayoutTrue) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("key", Copy(Bytewise(16)), {.alignment = 8, .tensor_layout = FloatMatrix(), .external_tag = "tag"}), IsOk());
  EXPECT_THAT(store.Replace("key", Copy(Bytewise(15, 2))), HasCode(StatusCode::kInvalidArgument));
  EXPECT_EQ(TextOf(store.Find("key")->data()), Bytewise(16));
  EXPECT_THAT(store.Replace("key", Copy(Bytewise(16, 2))), IsOk());
  EXPECT_EQ(TextOf(store.Find("key")->data()), Bytewise(16, 2));
  EXPECT_EQ(store.Find("key")->alignment(), 8u);
  EXPECT_EQ(store.Find("key")->external_tag(), "tag");
  EXPECT_TRUE(store.Find("key")->tensor_layout());
}

TEST(NamedDataStoreTest, AKeyMayBeRemovedByItsOwnName) {
  NamedDataStore store = StoreOf({"a", "b"});
  EXPECT_THAT(store.Remove(store.entries().front().key()), IsOk());
  EXPECT_THAT(KeysOf(store), ElementsAre("b"));
}

TEST(NamedDataStoreTest, KeysMayHoldAnyBytes) {
  const std::vector<std::string> keys = {
      "", std::string("a\0b", 3), std::string("a\0c", 3), "a", "\xff\xfe\x80", std::string(100'000, 'k'), std::string(100'000, 'k') + "1"};
  PteContents contents;
  contents.program = OneMethod();
  contents.named_data = StoreOf(keys);
  EXPECT_THAT(KeysOf(contents.named_data), testing::ElementsAreArray(keys));
  const PteFile file = OpenPte(Written(contents));
  ASSERT_EQ(file.named_data().size(), keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(file.named_data()[i].key, keys[i]);
    EXPECT_EQ(TextOf(file.FindNamedData(keys[i])), Bytewise(10 + i, static_cast<unsigned>(i)));
  }
}

TEST(NamedDataStoreTest, PayloadsMayBeEmpty) {
  PtdContents contents;
  ASSERT_THAT(contents.named_data.Add("none", Rope()), IsOk());
  ASSERT_THAT(contents.named_data.Add("some", Copy("x"), {.alignment = 64}), IsOk());
  ASSERT_THAT(contents.named_data.Add("none too", Copy(""), {.alignment = 4096}), IsOk());
  EXPECT_TRUE(contents.named_data.Find("none")->SharesPayloadWith(*contents.named_data.Find("none too")));
  const PtdFile file = OpenPtd(Written(contents));
  EXPECT_EQ(file.segments().size(), 2u);
  EXPECT_EQ(TextOf(file.Find("none")), "");
  EXPECT_EQ(TextOf(file.Find("some")), "x");
  EXPECT_EQ(TextOf(file.Find("none too")), "");
}

TEST(NamedDataStoreTest, CopiesAreIndependent) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("a", Copy("shared"), {.alignment = 4}), IsOk());
  ASSERT_THAT(store.Add("b", Copy("shared"), {.alignment = 3}), IsOk());
  NamedDataStore copy = store;
  EXPECT_TRUE(copy.Find("a")->SharesPayloadWith(*copy.Find("b")));
  ASSERT_THAT(copy.Add("a", Copy("shared"), {.alignment = 32}), IsOk());
  ASSERT_THAT(copy.Remove("b"), IsOk());
  ASSERT_THAT(copy.Add("c", Copy("more")), IsOk());
  EXPECT_THAT(KeysOf(store), ElementsAre("a", "b"));
  EXPECT_EQ(store.Find("a")->alignment(), 4u);
  ASSERT_THAT(store.Rename("a", "x"), IsOk());
  EXPECT_THAT(KeysOf(copy), ElementsAre("a", "c"));
  EXPECT_EQ(copy.Find("a")->key(), "a");
  // A request that only the copy lost is still the original's.
  EXPECT_THAT(store.Add("d", Copy("shared"), {.alignment = 65521}), HasCode(StatusCode::kOk));
  EXPECT_THAT(store.Add("e", Copy("shared"), {.alignment = 32749}), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(copy.Add("e", Copy("shared"), {.alignment = 32749}), IsOk());
  copy = std::move(store);
  EXPECT_THAT(KeysOf(copy), ElementsAre("x", "b", "d"));
  store = copy;
  EXPECT_THAT(KeysOf(store), ElementsAre("x", "b", "d"));
}

TEST(NamedDataStoreTest, AStoreThatWasMovedFromIsEmptyAndOfUse) {
  NamedDataStore store = StoreOf({"a"});
  const NamedDataStore taken = std::move(store);
  EXPECT_TRUE(store.empty());  // NOLINT: what is tested
  EXPECT_THAT(store.Add("b", Copy("x")), IsOk());
  EXPECT_THAT(KeysOf(taken), ElementsAre("a"));
}

}  // namespace
}  // namespace pte::test
