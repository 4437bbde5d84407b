// Payloads may go from the contents of one file to those of another: the bytes are those that the payload had.
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/build_file.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

// A file with a constant, a delegate and keys, in segments of the same sizes and places for any `start`.
std::string FileOf(unsigned start) {
  PteContents contents;
  contents.program = WithDelegates({0, 1});
  contents.constants.push_back(Copy(Bytewise(100, start)));
  contents.mutable_data.push_back(Copy(Bytewise(50, start)));
  for (unsigned i = 0; i < 2; ++i) contents.delegate_payloads.emplace_back(Copy(Bytewise(300, start + i)));
  EXPECT_THAT(contents.named_data.Add("one", Copy(Bytewise(400, start))), IsOk());
  EXPECT_THAT(contents.named_data.Add("none", Rope()), IsOk());
  EXPECT_THAT(contents.named_data.Add("two", Copy(Bytewise(400, start + 1))), IsOk());
  return Written(contents);
}

void ExpectIs(const PteFile& file, unsigned constants, unsigned mutable_data, unsigned delegates, unsigned named) {
  EXPECT_EQ(TextOf(file.Constant(1)), Bytewise(100, constants));
  EXPECT_EQ(TextOf(file.MutableData(1)), Bytewise(50, mutable_data));
  for (unsigned i = 0; i < 2; ++i) EXPECT_EQ(TextOf(file.DelegatePayload(0, i)), Bytewise(300, delegates + i));
  EXPECT_EQ(TextOf(file.FindNamedData("one")), Bytewise(400, named));
  EXPECT_EQ(TextOf(file.FindNamedData("two")), Bytewise(400, named + 1));
  EXPECT_EQ(TextOf(file.FindNamedData("none")), "");
}

TEST(MovedPayloadsTest, EachMemberOfContentsCarriesItsOwnBytes) {
  const PteFile a = OpenPte(FileOf(10));
  const PteFile b = OpenPte(FileOf(20));
  PteContents contents = ContentsOf(b);
  contents.named_data = ContentsOf(a).named_data;
  ExpectIs(OpenPte(Written(contents)), 20, 20, 20, 10);
  contents = ContentsOf(b);
  contents.delegate_payloads = ContentsOf(a).delegate_payloads;
  ExpectIs(OpenPte(Written(contents)), 20, 20, 10, 20);
  contents = ContentsOf(b);
  contents.constants = ContentsOf(a).constants;
  ExpectIs(OpenPte(Written(contents)), 10, 20, 20, 20);
  contents = ContentsOf(b);
  contents.mutable_data = ContentsOf(a).mutable_data;
  ExpectIs(OpenPte(Written(contents)), 20, 10, 20, 20);
  contents = ContentsOf(b);
  contents.kept = ContentsOf(a).kept;
  ExpectIs(OpenPte(Written(contents)), 20, 20, 20, 20);
  contents.kept = {};
  ExpectIs(OpenPte(Written(contents)), 20, 20, 20, 20);
}

TEST(MovedPayloadsTest, ItemsAddedFromAnotherFileCarryTheirBytes) {
  const PteFile a = OpenPte(FileOf(10));
  const PteFile b = OpenPte(FileOf(20));
  const PteContents from = ContentsOf(a);
  PteContents contents = ContentsOf(b);
  for (const DelegatePayload& payload : from.delegate_payloads) contents.delegate_payloads.push_back(payload);
  contents.program.execution_plan[0]->delegates[0]->processed->index = 3;
  contents.program.execution_plan[0]->delegates[1]->processed->index = 1;
  ASSERT_THAT(contents.named_data.Replace("two", from.named_data.Find("one")->data()), IsOk());
  contents.constants.push_back(from.constants[0]);
  const PteFile file = OpenPte(Written(contents));
  EXPECT_EQ(TextOf(file.DelegatePayload(0, 0)), Bytewise(300, 11));
  EXPECT_EQ(TextOf(file.DelegatePayload(0, 1)), Bytewise(300, 21));
  EXPECT_EQ(TextOf(file.FindNamedData("one")), Bytewise(400, 20));
  EXPECT_EQ(TextOf(file.FindNamedData("two")), Bytewise(400, 10));
  EXPECT_EQ(TextOf(file.Constant(2)), Bytewise(100, 10));
}

TEST(MovedPayloadsTest, MergedStoresCarryTheirBytes) {
  PteContents contents = ContentsOf(OpenPte(FileOf(10)));
  NamedDataStore other = ContentsOf(OpenPte(FileOf(11))).named_data;  // its "one" is our "two"
  ASSERT_THAT(other.Rename("one", "uno"), IsOk());
  ASSERT_THAT(other.Rename("two", "due"), IsOk());
  ASSERT_THAT(contents.named_data.Merge(other), IsOk());
  const PteFile file = OpenPte(Written(contents));
  EXPECT_EQ(TextOf(file.FindNamedData("one")), Bytewise(400, 10));
  EXPECT_EQ(TextOf(file.FindNamedData("uno")), Bytewise(400, 11));
  EXPECT_EQ(TextOf(file.FindNamedData("two")), Bytewise(400, 11));
  EXPECT_EQ(TextOf(file.FindNamedData("due")), Bytewise(400, 12));
  EXPECT_EQ(file.named_data()[2].segment_index, file.named_data()[3].segment_index);
}

TEST(MovedPayloadsTest, FromAProgramToDataAndBack) {
  PtdContents data;
  data.named_data = ContentsOf(OpenPte(FileOf(10))).named_data;
  const PtdFile file = OpenPtd(Written(data));
  EXPECT_EQ(TextOf(file.Find("one")), Bytewise(400, 10));
  EXPECT_EQ(TextOf(file.Find("two")), Bytewise(400, 11));
  ASSERT_OK_AND_ASSIGN(const PtdContents again, file.ToContents());
  PteContents contents = ContentsOf(OpenPte(FileOf(20)));
  contents.named_data = again.named_data;
  ExpectIs(OpenPte(Written(contents)), 20, 20, 20, 10);
}

TEST(MovedPayloadsTest, RolesMayExchangeTheirPayloads) {
  const PteFile file = OpenPte(FileOf(10));
  PteContents contents = ContentsOf(file);
  const Rope delegate = contents.delegate_payloads[0].bytes();
  contents.delegate_payloads[0] = DelegatePayload(contents.named_data.Find("one")->data());
  ASSERT_THAT(contents.named_data.Replace("one", delegate), IsOk());
  const PteFile written = OpenPte(Written(contents));
  EXPECT_EQ(TextOf(written.DelegatePayload(0, 0)), Bytewise(400, 10));
  EXPECT_EQ(TextOf(written.DelegatePayload(0, 1)), Bytewise(300, 11));
  EXPECT_EQ(TextOf(written.FindNamedData("one")), Bytewise(300, 10));
}

TEST(MovedPayloadsTest, AFileMayBeSavedOverItself) {
  const TempDir folder;
  WriteFile(folder / "a.pte", FileOf(10));
  ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(folder / "a.pte"));
  PteContents contents = ContentsOf(file);
  ASSERT_THAT(contents.named_data.Remove("none"), IsOk());
  ASSERT_THAT(contents.named_data.Add("none", Rope()), IsOk());
  ASSERT_THAT(SavePte(contents, folder / "a.pte"), IsOk());
  ASSERT_OK_AND_ASSIGN(const PteFile saved, PteFile::Open(folder / "a.pte"));
  ExpectIs(saved, 10, 10, 10, 10);
  // The contents still read from the old file.
  ASSERT_THAT(SavePte(contents, folder / "b.pte"), IsOk());
  EXPECT_EQ(ReadFile(folder / "b.pte"), ReadFile(folder / "a.pte"));
}

}  // namespace
}  // namespace pte::test
