// Memory may run out at any allocation of a call on a store: a status, and the store is what it was.
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/named_data_store.h"
#include "tests/support/allocations.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

const std::string kLong(100, 'l');  // longer than a string holds in place

NamedDataStore Store() {
  NamedDataStore store;
  EXPECT_THAT(store.Add(kLong + "a", Copy(Bytewise(100)), {.alignment = 4}), IsOk());
  EXPECT_THAT(store.Add(kLong + "b", Copy(Bytewise(100)), {.alignment = 3, .external_tag = kLong}), IsOk());
  EXPECT_THAT(store.Add(kLong + "c", Copy(Bytewise(100, 1)), {.alignment = 2}), IsOk());
  EXPECT_THAT(store.Add(kLong + "d", Copy(Bytewise(300, 2)), {.alignment = 2}), IsOk());
  return store;
}

std::vector<std::string> Show(const NamedDataStore& store) {
  std::vector<std::string> lines;
  for (const NamedDataEntry& entry : store.entries()) {
    lines.push_back(absl::StrCat(entry.key(), " ", entry.alignment(), " ", entry.external_tag(), " ", TextOf(entry.data())));
    EXPECT_EQ(store.Find(entry.key()), &entry);
  }
  return lines;
}

// What only a store in good order does.
void ExpectOfUse(NamedDataStore& store) {
  const std::string first = store.entries().front().key();
  const Rope bytes = store.entries().front().data();
  EXPECT_THAT(store.Add("extra", Copy(TextOf(bytes))), IsOk());
  EXPECT_TRUE(store.Find("extra")->SharesPayloadWith(*store.Find(first)));
  EXPECT_THAT(store.Add("extra 2", Copy(Bytewise(100, 7))), IsOk());
  EXPECT_THAT(store.Add("extra 3", Copy(Bytewise(300, 7))), IsOk());
  while (!store.empty()) EXPECT_THAT(store.Remove(std::string(store.entries().front().key())), IsOk());
  EXPECT_THAT(store.Add("a", Copy(Bytewise(100)), {.alignment = 65521}), IsOk());
}

void ExpectAllOrNothing(const std::function<absl::Status(NamedDataStore&)>& work) {
  bool refused = true;
  for (int64_t nth = 1; refused; ++nth) {
    NamedDataStore store = Store();
    const std::vector<std::string> before = Show(store);
    RefuseAllocation(nth);
    absl::Status status;
    try {
      status = work(store);
    } catch (const std::bad_alloc&) {  // of the caller's own, who copies a rope to hand it over
      status = absl::ResourceExhaustedError("no memory for an argument");
    }
    refused = StopRefusing();
    ASSERT_TRUE(status.ok() || (refused && absl::IsResourceExhausted(status))) << nth << ": " << status;
    ASSERT_TRUE(status.ok() || Show(store) == before) << nth;
    ExpectOfUse(store);
  }
}

TEST(NamedDataMemoryTest, RunningOutInAddChangesNothing) {
  const Rope bytes = InPieces(Bytewise(100), {7});
  const Rope other = Copy(Bytewise(100, 5));
  const Rope lonely = Copy(Bytewise(1000));
  const std::string key = kLong + "new";
  const NamedDataOptions options{.alignment = 6, .external_tag = kLong + "t"};
  const std::string there = kLong + "a";
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Add(key, bytes, options); });
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Add(key, other, options); });
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Add(key, lonely); });
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Add(there, bytes, {.alignment = 6}); });
}

TEST(NamedDataMemoryTest, RunningOutInAChangeChangesNothing) {
  const Rope shared = InPieces(Bytewise(100, 1), {7});
  const Rope other = Copy(Bytewise(300, 9));
  const std::string a = kLong + "a";
  const std::string d = kLong + "d";
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Replace(a, shared); });
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Replace(d, other); });
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Rename(a, "something new, and longer than a string holds in place"); });
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Remove(a); });
}

TEST(NamedDataMemoryTest, RunningOutInMergeChangesNothing) {
  NamedDataStore other;
  ASSERT_THAT(other.Add(kLong + "x", Copy(Bytewise(100)), {.alignment = 8}), IsOk());
  ASSERT_THAT(other.Add(kLong + "a", Copy(Bytewise(100)), {.alignment = 3}), IsOk());
  ASSERT_THAT(other.Add(kLong + "y", Copy(Bytewise(300)), {.external_tag = kLong}), IsOk());
  ASSERT_THAT(other.Add(kLong + "d", Copy(Bytewise(300, 2)), {.alignment = 3}), IsOk());
  ExpectAllOrNothing([&](NamedDataStore& store) { return store.Merge(other); });
}

TEST(NamedDataMemoryTest, RunningOutInExternalizeChangesNothing) {
  const ExternalizeOptions options{.tag = kLong + "file", .max_file_size = 10};
  ExpectAllOrNothing(
      [&](NamedDataStore& store) { return store.Externalize([](const NamedDataEntry&) { return true; }, options).status(); });
}

}  // namespace
}  // namespace pte::test
