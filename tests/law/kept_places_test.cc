// What is rewritten keeps its place while nothing in front of it changes its size; what moves keeps its alignment.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/bpte_file.h"
#include "pte/ptd_file.h"
#include "pte/save.h"
#include "tests/support/build_file.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using testing::ElementsAre;

// Offsets from the segment base.
std::vector<uint64_t> OffsetsOf(const PteFile& file) {
  std::vector<uint64_t> offsets;
  for (const Segment& segment : file.segments()) offsets.push_back(segment.file_offset - file.header().segment_base_offset);
  return offsets;
}

// Constants, a delegate, then keys with sizes and alignments of all kinds, in a layout that is not the one they are saved in.
std::string Source() {
  PteContents contents;
  contents.program = WithDelegates({0});
  contents.constants.push_back(Copy(Bytewise(100)));
  contents.delegate_payloads.emplace_back(Copy(Bytewise(77, 1)));
  const std::pair<std::string, NamedDataOptions> entries[] = {
      {"a", {}}, {"page", {.alignment = 4096}}, {"b", {}}, {"c", {.alignment = 512}}, {"last", {}}};
  for (const auto& [key, options] : entries) {
    EXPECT_THAT(contents.named_data.Add(key, Copy(Bytewise(200 + key.size() * 100, static_cast<uint8_t>(key[0]))), options), IsOk());
  }
  LayoutOptions layout = ReferenceLayout();
  layout.segment_alignment = 64;
  return Written(contents, layout);
}

class KeptPlacesTest : public testing::Test {
 protected:
  const PteFile file_ = OpenPte(Source());
  const std::vector<uint64_t> before_ = OffsetsOf(file_);
  PteContents contents_ = ContentsOf(file_);
};

TEST_F(KeptPlacesTest, NothingMovesByItself) {
  const PteFile again = OpenPte(Written(contents_));
  EXPECT_EQ(OffsetsOf(again), before_);
  EXPECT_EQ(again.header().segment_base_offset % 4096, file_.header().segment_base_offset % 4096);
}

TEST_F(KeptPlacesTest, RenamingAMethodMovesNothing) {
  contents_.program.execution_plan[0]->name = std::string(5000, 'x');
  const PteFile again = OpenPte(Written(contents_));
  EXPECT_EQ(OffsetsOf(again), before_);
  EXPECT_EQ(again.header().segment_base_offset % 4096, 0u);
  EXPECT_EQ(again.FindNamedData("page")->file_offset() % 4096, 0u);
}

TEST_F(KeptPlacesTest, RenamingAKeyMovesNothing) {
  ASSERT_THAT(contents_.named_data.Rename("page", "a page"), IsOk());
  const PteFile again = OpenPte(Written(contents_));
  EXPECT_EQ(OffsetsOf(again), before_);
  EXPECT_EQ(TextOf(again.FindNamedData("a page")), TextOf(file_.FindNamedData("page")));
}

TEST_F(KeptPlacesTest, AKeyThatIsAddedFollowsTheRest) {
  ASSERT_THAT(contents_.named_data.Add("new", Copy("new")), IsOk());
  std::vector<uint64_t> after = OffsetsOf(OpenPte(Written(contents_)));
  EXPECT_EQ(after.size(), before_.size() + 1);
  EXPECT_EQ(after.back() % 128, 0u);
  after.pop_back();
  EXPECT_EQ(after, before_);
}

TEST_F(KeptPlacesTest, ChangingTheLastPayloadMovesNothingElse) {
  ASSERT_THAT(contents_.named_data.Replace("last", Copy(Bytewise(9999))), IsOk());
  std::vector<uint64_t> after = OffsetsOf(OpenPte(Written(contents_)));
  ASSERT_EQ(after.size(), before_.size());
  after.pop_back();
  EXPECT_EQ(after, std::vector<uint64_t>(before_.begin(), before_.end() - 1));
}

TEST_F(KeptPlacesTest, WhatFollowsARemovedPayloadMovesUpWithItsAlignment) {
  ASSERT_THAT(contents_.named_data.Remove("a"), IsOk());
  const PteFile again = OpenPte(Written(contents_));
  const std::vector<uint64_t> after = OffsetsOf(again);
  ASSERT_EQ(after.size(), before_.size() - 1);
  EXPECT_THAT(std::vector(after.begin(), after.begin() + 2), ElementsAre(before_[0], before_[1]));
  EXPECT_EQ(again.FindNamedData("page")->file_offset() % 4096, 0u);
  EXPECT_EQ(again.FindNamedData("c")->file_offset() % 512, 0u);
  for (const char* key : {"page", "b", "c", "last"}) EXPECT_EQ(TextOf(again.FindNamedData(key)), TextOf(file_.FindNamedData(key)));
}

// Every second of these stands at a multiple of 256 by chance, some at one of 4096.
TEST(KeptAlignmentTest, WhatNoPaddingShowsIsChance) {
  PtdContents contents;
  for (int i = 0; i < 100; ++i) {
    ASSERT_THAT(contents.named_data.Add("key" + std::to_string(i), Copy(Bytewise(20, static_cast<uint8_t>(i)))), IsOk());
  }
  const std::string before = Written(contents, ReferenceLayout());
  ASSERT_OK_AND_ASSIGN(const PtdFile file, PtdFile::Open(MakeSource(SourceKind::kMemory, before)));
  ASSERT_OK_AND_ASSIGN(PtdContents changed, file.ToContents());
  ASSERT_THAT(changed.named_data.Remove("key0"), IsOk());
  EXPECT_LE(Written(changed, ReferenceLayout()).size(), before.size() - 128);
}

// Whatever the padding in front happens to prove: flatbuffers end at any multiple of 4.
TEST(KeptAlignmentTest, WhatALargeSegmentAskedForIsKept) {
  for (size_t key_size = 1; key_size < 4096; key_size += 512) {
    PtdContents contents;
    ASSERT_THAT(contents.named_data.Add("A", Copy(Bytewise(2000))), IsOk());
    ASSERT_THAT(contents.named_data.Add(std::string(key_size, 'k'), Copy(Bytewise(1800, 1))), IsOk());
    ASSERT_THAT(contents.named_data.Add("engine", Copy(Bytewise(200'000, 2)), {.alignment = 4096}), IsOk());
    ASSERT_OK_AND_ASSIGN(const PtdFile file, PtdFile::Open(MakeSource(SourceKind::kMemory, Written(contents))));
    ASSERT_OK_AND_ASSIGN(PtdContents changed, file.ToContents());
    ASSERT_THAT(changed.named_data.Remove("A"), IsOk());
    ASSERT_OK_AND_ASSIGN(const PtdFile again, PtdFile::Open(MakeSource(SourceKind::kMemory, Written(changed))));
    EXPECT_EQ(again.Find("engine")->file_offset() % 4096, 0U) << key_size;
  }
}

TEST_F(KeptPlacesTest, APayloadGoesOnlyWithItsLastKey) {
  ASSERT_THAT(contents_.named_data.Add("a too", file_.FindNamedData("a")->AsRope()), IsOk());
  ASSERT_THAT(contents_.named_data.Remove("a"), IsOk());
  const PteFile again = OpenPte(Written(contents_));
  EXPECT_EQ(OffsetsOf(again), before_);
  EXPECT_EQ(TextOf(again.FindNamedData("a too")), TextOf(file_.FindNamedData("a")));
}

TEST_F(KeptPlacesTest, AnAlignmentAskedForLaterMovesWhatDoesNotHaveIt) {
  ASSERT_THAT(contents_.named_data.Add("b", file_.FindNamedData("b")->AsRope(), {.alignment = 8192}), IsOk());
  const PteFile again = OpenPte(Written(contents_));
  const std::vector<uint64_t> after = OffsetsOf(again);
  EXPECT_EQ(again.FindNamedData("b")->file_offset() % 8192, 0u);
  EXPECT_EQ(again.FindNamedData("c")->file_offset() % 512, 0u);
  EXPECT_EQ(std::vector(after.begin(), after.begin() + 4), std::vector(before_.begin(), before_.begin() + 4));
}

TEST_F(KeptPlacesTest, EqualPayloadsShareWithWhatIsKept) {
  contents_.program.execution_plan[0]->delegates.insert(contents_.program.execution_plan[0]->delegates.begin(),
                                                        std::move(WithDelegates({1}).execution_plan[0]->delegates[0]));
  contents_.delegate_payloads.emplace_back(Copy(Bytewise(77, 1)));
  ASSERT_THAT(contents_.named_data.Add("a again", Copy(TextOf(file_.FindNamedData("a")))), IsOk());
  const PteFile again = OpenPte(Written(contents_));
  EXPECT_EQ(OffsetsOf(again), before_);
  EXPECT_EQ(TextOf(again.DelegatePayload(0, 0)), Bytewise(77, 1));
  EXPECT_EQ(TextOf(again.DelegatePayload(0, 1)), Bytewise(77, 1));
}

TEST_F(KeptPlacesTest, InlineDelegatesIsForNewOnes) {
  contents_.program.execution_plan[0]->delegates.push_back(std::move(WithDelegates({1}).execution_plan[0]->delegates[0]));
  contents_.delegate_payloads.emplace_back(Copy("new"));
  LayoutOptions layout;
  layout.inline_delegates = true;
  const PteFile again = OpenPte(Written(contents_, layout));
  EXPECT_EQ(OffsetsOf(again), before_);
  EXPECT_EQ(again.program().backend_delegate_data()->size(), 1u);
}

TEST_F(KeptPlacesTest, ContentsOutliveTheFile) {
  std::string wanted;
  PteContents contents;
  {
    const TempDir folder;
    WriteFile(folder / "a.pte", Source());
    ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(folder / "a.pte"));
    contents = ContentsOf(file);
    wanted = Written(contents);
  }
  EXPECT_EQ(Written(contents), wanted);
  EXPECT_EQ(Written(contents), Written(contents_));
}

TEST_F(KeptPlacesTest, EverySourceGivesTheSameBytes) {
  const std::string wanted = Written(contents_);
  const TempDir folder;
  for (const SourceKind kind : kSourceKinds) {
    ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(MakeSource(kind, Source())));
    const PteContents contents = ContentsOf(file);
    EXPECT_EQ(Written(contents), wanted) << NameOf(kind);
    for (const char* name : {"a.pte", "b.pte"}) {
      ASSERT_THAT(SavePte(contents, folder / name), IsOk());
      EXPECT_EQ(ReadFile(folder / name), wanted) << NameOf(kind);
    }
  }
}

TEST_F(KeptPlacesTest, ARewrittenFileIsRewrittenToItself) {
  const std::string once = Written(contents_);
  EXPECT_EQ(Written(ContentsOf(OpenPte(once))), once);
}

TEST(KeptInlineTest, InlineDelegatesKeepTheirPlaceAndAlignment) {
  PteContents contents;
  contents.program = WithDelegates({0, 1});
  contents.delegate_payloads.emplace_back(Copy(Bytewise(33)), DelegatePayload::Placement::kInline);
  contents.delegate_payloads.emplace_back(Copy(Bytewise(300)), DelegatePayload::Placement::kInline);
  LayoutOptions layout;
  layout.delegate_alignment = 256;
  PteContents read = ContentsOf(OpenPte(Written(contents, layout)));
  read.program.execution_plan[0]->name = "renamed to something of another length";
  const PteFile again = OpenPte(Written(read));
  EXPECT_EQ(again.program().backend_delegate_data()->size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(again.DelegatePayload(0, i)->file_offset() % 256, 0u);
  EXPECT_EQ(TextOf(again.DelegatePayload(0, 0)), Bytewise(33));
  EXPECT_EQ(TextOf(again.DelegatePayload(0, 1)), Bytewise(300));
}

TEST(KeptBundleTest, TheProgramInsideABundleIsSavedLikeAnyOther) {
  ASSERT_OK_AND_ASSIGN(const BpteFile bundle, BpteFile::Open(MakeSource(SourceKind::kMemory, Pack(BaseQ()))));
  ASSERT_OK_AND_ASSIGN(const PteFile inside, bundle.program());
  EXPECT_GT(inside.file_offset(), 0u);
  EXPECT_EQ(Written(ContentsOf(inside)), Written(ContentsOf(OpenPte(Build(BaseA())))));
}

TEST(KeptUnusedTest, SegmentsThatNothingRefersToStay) {
  BaseProgram base = BaseC();
  base.program.named_data.clear();
  const PteFile file = OpenPte(Build(base));
  PteContents contents = ContentsOf(file);
  contents.named_data = NamedDataStore();
  const PteFile again = OpenPte(Written(contents));
  EXPECT_EQ(OffsetsOf(again), OffsetsOf(file));
  EXPECT_EQ(TextOf(again.SegmentPayload(2)), TextOf(file.SegmentPayload(2)));
}

}  // namespace
}  // namespace pte::test
