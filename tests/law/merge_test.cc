// Merging stores: all or none, every conflict named, and whoever holds a reference to an entry keeps it.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/named_data_store.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;

std::vector<std::string> KeysOf(const NamedDataStore& store) {
  std::vector<std::string> keys;
  for (const NamedDataEntry& entry : store.entries()) keys.push_back(entry.key());
  return keys;
}

NamedDataStore Mine() {
  NamedDataStore store;
  EXPECT_THAT(store.Add("a", Copy("bytes of a"), {.alignment = 4}), IsOk());
  EXPECT_THAT(store.Add("b", Copy("bytes of b"), {.alignment = 4, .external_tag = "tag"}), IsOk());
  return store;
}

TEST(MergeTest, EntriesFollowInTheirOrderAndShareBytes) {
  NamedDataStore store = Mine();
  NamedDataStore other;
  ASSERT_THAT(other.Add("z", Copy("bytes of a"), {.alignment = 3}), IsOk());
  ASSERT_THAT(other.Add("b", Copy("bytes of b"), {.alignment = 6, .external_tag = "tag"}), IsOk());
  ASSERT_THAT(other.Add("y", Copy("bytes of y"), {.alignment = 3, .external_tag = "new"}), IsOk());
  const NamedDataEntry* b = store.Find("b");
  ASSERT_THAT(store.Merge(other), IsOk());
  EXPECT_THAT(KeysOf(store), ElementsAre("a", "b", "z", "y"));
  EXPECT_EQ(store.Find("b"), b);
  EXPECT_EQ(b->alignment(), 12u);
  EXPECT_TRUE(store.Find("a")->SharesPayloadWith(*store.Find("z")));
  EXPECT_EQ(store.Find("y")->external_tag(), "new");
  EXPECT_THAT(KeysOf(other), ElementsAre("z", "b", "y"));
  EXPECT_EQ(other.Find("b")->alignment(), 6u);
}

TEST(MergeTest, EveryConflictIsNamedAndNothingChanges) {
  NamedDataStore store = Mine();
  ASSERT_THAT(store.Add("same", Copy("same bytes"), {.alignment = 4}), IsOk());
  NamedDataStore other;
  ASSERT_THAT(other.Add("new", Copy("new bytes")), IsOk());
  ASSERT_THAT(other.Add("a", Copy("other bytes of a")), IsOk());
  ASSERT_THAT(other.Add("same", Copy("same bytes"), {.alignment = 3}), IsOk());
  ASSERT_THAT(other.Add("b", Copy("bytes of b")), IsOk());
  ASSERT_THAT(other.Add("newer", Copy("same bytes"), {.alignment = 7}), IsOk());
  const NamedDataEntry* a = store.Find("a");
  EXPECT_THAT(store.Merge(other),
              AllOf(HasCodeAndMessage(StatusCode::kAlreadyExists, "\"a\""), HasCodeAndMessage(StatusCode::kAlreadyExists, "\"b\"")));
  EXPECT_THAT(KeysOf(store), ElementsAre("a", "b", "same"));
  EXPECT_EQ(store.Find("a"), a);
  EXPECT_EQ(TextOf(a->data()), "bytes of a");
  EXPECT_EQ(store.Find("same")->alignment(), 4u);
  EXPECT_EQ(store.Find("new"), nullptr);
  // The requests of the refused entries are given back: 4 * 3 * 7 * 32749 would be too much.
  EXPECT_THAT(store.Add("big", Copy("same bytes"), {.alignment = 32749}), IsOk());
}

TEST(MergeTest, ARequestThatCannotBeJoinedChangesNothing) {
  NamedDataStore store = Mine();
  NamedDataStore other;
  ASSERT_THAT(other.Add("new", Copy("new bytes")), IsOk());
  ASSERT_THAT(other.Add("a", Copy("bytes of a"), {.alignment = 65536}), IsOk());
  ASSERT_THAT(other.Add("bad", Copy("bytes of a"), {.alignment = 1}), IsOk());
  ASSERT_THAT(store.Add("odd", Copy("bytes of a"), {.alignment = 65521}), IsOk());
  EXPECT_THAT(store.Merge(other), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(KeysOf(store), ElementsAre("a", "b", "odd"));
  EXPECT_EQ(store.Find("a")->alignment(), 4u);
}

TEST(MergeTest, ASourceThatFailsChangesNothing) {
  NamedDataStore store = Mine();
  NamedDataStore bad;
  ASSERT_THAT(bad.Add("new", Copy("new")), IsOk());
  ASSERT_THAT(bad.Add("bad", Whole(Unreadable(std::string("bytes of b").size()))), IsOk());
  EXPECT_THAT(store.Merge(bad), HasCode(StatusCode::kDataLoss));
  EXPECT_THAT(KeysOf(store), ElementsAre("a", "b"));
}

TEST(MergeTest, WithNothingAndWithItself) {
  NamedDataStore store = Mine();
  ASSERT_THAT(store.Merge(NamedDataStore()), IsOk());
  ASSERT_THAT(store.Merge(store), IsOk());
  EXPECT_THAT(KeysOf(store), ElementsAre("a", "b"));
  NamedDataStore empty;
  ASSERT_THAT(empty.Merge(store), IsOk());
  EXPECT_THAT(KeysOf(empty), ElementsAre("a", "b"));
}

TEST(MergeTest, EntriesOutliveTheStoreTheyCameFrom) {
  NamedDataStore store;
  {
    const NamedDataStore other = Mine();
    ASSERT_THAT(store.Merge(other), IsOk());
  }
  EXPECT_EQ(TextOf(store.Find("a")->data()), "bytes of a");
}

}  // namespace
}  // namespace pte::test
