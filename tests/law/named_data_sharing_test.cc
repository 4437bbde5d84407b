// Equal payloads are kept once, whatever they are made of, and no payload is read that need not be.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/file_backed_data.h"
#include "pte/named_data_store.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

constexpr size_t kPage = 4096;
constexpr size_t kLong = 3 * kPage + 17;

bool Share(const NamedDataStore& store, std::string_view a, std::string_view b) { return store.Find(a)->SharesPayloadWith(*store.Find(b)); }

// The bytes in every form that a payload can have.
std::vector<Rope> FormsOf(const std::string& bytes, const std::filesystem::path& folder) {
  WriteFile(folder / "whole", bytes);
  WriteFile(folder / "inside", "before" + bytes + "after");
  std::vector<Rope> forms = {Copy(bytes), InPieces(bytes, {1, bytes.size() / 2}), InPieces(bytes, {bytes.size() - 1})};
  for (const SourceKind kind : kSourceKinds) forms.push_back(Whole(MakeSource(kind, bytes)));
  forms.push_back(*FileBackedData::Lend(folder / "whole"));
  forms.push_back(*FileBackedData::Give(folder / "whole"));
  forms.push_back(*FileBackedData::Lend(folder / "inside", 6, bytes.size()));
  Rope mixed = InPieces(bytes.substr(0, 5), {2});
  EXPECT_THAT(mixed.Append(MakeSource(SourceKind::kFile, bytes), 5, bytes.size() - 5), IsOk());
  forms.push_back(mixed);
  return forms;
}

TEST(NamedDataSharingTest, EqualBytesShareWhateverTheyAreMadeOf) {
  for (const size_t size : {size_t{7}, kPage, 2 * kPage, 2 * kPage + 1, kLong, size_t{3} << 20}) {
    const TempDir folder;
    const std::string bytes = Bytewise(size);
    const std::vector<Rope> forms = FormsOf(bytes, folder.path());
    for (const Rope& first : forms) {
      NamedDataStore store;
      ASSERT_THAT(store.Add("first", first), IsOk());
      for (const Rope& second : forms) {
        ASSERT_THAT(store.Add("second", second), IsOk());
        EXPECT_TRUE(Share(store, "first", "second")) << size;
        EXPECT_THAT(store.Add("first", second), IsOk());
        ASSERT_THAT(store.Remove("second"), IsOk());
      }
    }
  }
}

TEST(NamedDataSharingTest, RunsOfZerosShareWithWrittenZeros) {
  NamedDataStore store;
  Rope zeros;
  ASSERT_THAT(zeros.AppendZeros(kLong), IsOk());
  ASSERT_THAT(store.Add("run", zeros), IsOk());
  ASSERT_THAT(store.Add("written", Copy(std::string(kLong, '\0'))), IsOk());
  EXPECT_TRUE(Share(store, "run", "written"));
}

TEST(NamedDataSharingTest, OneDifferentByteKeepsPayloadsApart) {
  const std::string bytes = Bytewise(kLong);
  for (const size_t at : {size_t{0}, size_t{17}, kPage - 1, kPage, kLong / 2, kLong - kPage - 1, kLong - kPage, kLong - 1}) {
    std::string other = bytes;
    other[at] ^= 1;
    for (const SourceKind kind : kSourceKinds) {
      NamedDataStore store;
      ASSERT_THAT(store.Add("one", Whole(MakeSource(kind, bytes))), IsOk());
      ASSERT_THAT(store.Add("two", Copy(other)), IsOk());
      EXPECT_FALSE(Share(store, "one", "two")) << at;
      EXPECT_THAT(store.Add("one", Copy(other)), HasCodeAndMessage(StatusCode::kAlreadyExists, "content")) << at;
      ASSERT_THAT(store.Add("three", Copy(bytes)), IsOk());
      EXPECT_TRUE(Share(store, "one", "three")) << at;
      ASSERT_THAT(store.Add("four", InPieces(other, {at})), IsOk());
      EXPECT_TRUE(Share(store, "two", "four")) << at;
    }
  }
}

TEST(NamedDataSharingTest, APayloadOfALengthOfItsOwnIsNeverRead) {
  NamedDataStore store;
  std::vector<std::shared_ptr<CountingSource>> sources;
  for (size_t i = 0; i < 20; ++i) {
    sources.push_back(Counting(Bytewise(kLong + i)));
    ASSERT_THAT(store.Add(std::to_string(i), Whole(sources.back())), IsOk());
  }
  ASSERT_THAT(store.Rename("3", "three"), IsOk());
  ASSERT_THAT(store.Remove("4"), IsOk());
  ASSERT_THAT(store.Add("again", Whole(Counting(Bytewise(kLong + 4)))), IsOk());
  const NamedDataStore copy = store;
  for (const auto& source : sources) EXPECT_EQ(source->bytes_read(), 0u);
}

TEST(NamedDataSharingTest, PayloadsOfOneLengthAreReadAtTheirEnds) {
  const auto one = Counting(Bytewise(kLong, 1));
  const auto two = Counting(Bytewise(kLong, 2));
  const auto three = Counting(Bytewise(kLong, 3));
  NamedDataStore store;
  ASSERT_THAT(store.Add("one", Whole(one)), IsOk());
  ASSERT_THAT(store.Add("two", Whole(two)), IsOk());
  ASSERT_THAT(store.Add("three", Whole(three)), IsOk());
  for (const auto& source : {one, two, three}) {
    EXPECT_THAT(source->ranges(), testing::ElementsAre(ReadRange{0, kPage}, ReadRange{kLong - kPage, kPage}));
  }
}

TEST(NamedDataSharingTest, PayloadsOfEqualEndsAreComparedUpToTheirFirstDifference) {
  constexpr size_t kSize = size_t{8} << 20;
  std::string bytes = Bytewise(kSize);
  const auto one = Counting(bytes);
  bytes[2 * kPage] ^= 1;
  const auto two = Counting(bytes);
  NamedDataStore store;
  ASSERT_THAT(store.Add("one", Whole(one)), IsOk());
  ASSERT_THAT(store.Add("two", Whole(two)), IsOk());
  EXPECT_FALSE(Share(store, "one", "two"));
  EXPECT_LE(one->bytes_read(), kSize / 4);
  EXPECT_LE(two->bytes_read(), kSize / 4);
}

TEST(NamedDataSharingTest, OneRangeAddedTwiceIsNotComparedWithItself) {
  constexpr size_t kSize = size_t{8} << 20;
  const auto source = Counting(Bytewise(kSize));
  NamedDataStore store;
  ASSERT_THAT(store.Add("one", Whole(source)), IsOk());
  ASSERT_THAT(store.Add("two", Whole(source)), IsOk());
  ASSERT_THAT(store.Add("one", Whole(source)), IsOk());
  EXPECT_TRUE(Share(store, "one", "two"));
  EXPECT_LE(source->bytes_read(), 4 * kPage);
}

TEST(NamedDataSharingTest, ASourceThatFailsLeavesTheStoreAsItWas) {
  NamedDataStore store;
  ASSERT_THAT(store.Add("bad", Whole(Unreadable(kLong)), {.alignment = 2}), IsOk());
  ASSERT_THAT(store.Add("good", Copy(Bytewise(kLong + 1))), IsOk());
  // Whether the one that is there cannot be read, or the one given.
  EXPECT_THAT(store.Add("new", Copy(Bytewise(kLong))), HasCode(StatusCode::kDataLoss));
  EXPECT_THAT(store.Add("new", Whole(Unreadable(kLong + 1))), HasCode(StatusCode::kDataLoss));
  EXPECT_THAT(store.Add("bad", Copy(Bytewise(kLong)), {.alignment = 3}), HasCode(StatusCode::kDataLoss));
  EXPECT_THAT(store.Add("good", Whole(Unreadable(kLong + 1)), {.alignment = 3}), HasCode(StatusCode::kDataLoss));
  EXPECT_THAT(store.Replace("good", Copy(Bytewise(kLong))), HasCode(StatusCode::kDataLoss));
  ASSERT_EQ(store.size(), 2u);
  EXPECT_EQ(store.Find("bad")->alignment(), 2u);
  EXPECT_EQ(store.Find("good")->alignment(), 1u);
  EXPECT_EQ(TextOf(store.Find("good")->data()), Bytewise(kLong + 1));
  EXPECT_EQ(store.Find("new"), nullptr);
  // Once the payload that cannot be read is gone, so is the failure.
  ASSERT_THAT(store.Remove("bad"), IsOk());
  EXPECT_THAT(store.Add("new", Copy(Bytewise(kLong))), IsOk());
}

TEST(NamedDataSharingTest, ALentFileThatChangedIsAnErrorOfTheComparison) {
  const TempDir folder;
  WriteFile(folder / "lent", Bytewise(kLong));
  NamedDataStore store;
  ASSERT_THAT(store.Add("lent", *FileBackedData::Lend(folder / "lent")), IsOk());
  std::filesystem::remove(folder / "lent");
  WriteFile(folder / "lent", Bytewise(kLong + 1));
  EXPECT_THAT(store.Add("copy", Copy(Bytewise(kLong))), HasCode(StatusCode::kAborted));
  EXPECT_EQ(store.size(), 1u);
}

TEST(NamedDataSharingTest, RemovingOneKeyKeepsTheOthersBytes) {
  NamedDataStore store;
  for (const char* key : {"a", "b", "c"}) ASSERT_THAT(store.Add(key, Copy("shared")), IsOk());
  ASSERT_THAT(store.Remove("a"), IsOk());
  EXPECT_EQ(TextOf(store.Find("b")->data()), "shared");
  ASSERT_THAT(store.Replace("b", Copy("single")), IsOk());
  EXPECT_FALSE(Share(store, "b", "c"));
  EXPECT_EQ(TextOf(store.Find("c")->data()), "shared");
  ASSERT_THAT(store.Replace("b", Copy("shared")), IsOk());
  EXPECT_TRUE(Share(store, "b", "c"));
  ASSERT_THAT(store.Remove("b"), IsOk());
  ASSERT_THAT(store.Remove("c"), IsOk());
  EXPECT_TRUE(store.empty());
  ASSERT_THAT(store.Add("d", Copy("shared")), IsOk());
  EXPECT_EQ(TextOf(store.Find("d")->data()), "shared");
}

TEST(NamedDataSharingTest, SharedBytesAreOneSegmentUnderAllTheirKeys) {
  PteContents contents;
  contents.program = OneMethod();
  ASSERT_THAT(contents.named_data.Add("w", Copy("weights")), IsOk());
  ASSERT_THAT(contents.named_data.Add("other", Copy("biases.")), IsOk());
  ASSERT_THAT(contents.named_data.Add("w_alias", InPieces("weights", {3})), IsOk());
  const PteFile file = OpenPte(Written(contents));
  ASSERT_EQ(file.named_data().size(), 3u);
  EXPECT_EQ(file.named_data()[0].segment_index, file.named_data()[2].segment_index);
  EXPECT_EQ(file.segments().size(), 3u);  // the constants' empty one, and one for either payload
  for (const char* key : {"w", "w_alias"}) EXPECT_EQ(TextOf(file.FindNamedData(key)), "weights");
}

TEST(NamedDataSharingTest, ManyPayloadsOfOneLengthAreToldApartInLinearTime) {
  constexpr int kCount = 20'000;
  NamedDataStore store;
  for (int i = 0; i < kCount; ++i) {
    std::string bytes = Bytewise(64);
    bytes.replace(0, sizeof i, reinterpret_cast<const char*>(&i), sizeof i);
    ASSERT_THAT(store.Add(std::to_string(i), Copy(bytes)), IsOk());
  }
  EXPECT_FALSE(Share(store, "0", "19999"));
}

}  // namespace
}  // namespace pte::test
