// Small files with all their numbers spelled out: what stands where, by the rules of schema/FORMAT.md.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/build_file.h"
#include "tests/support/contents.h"
#include "tests/support/expect_plan.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Row {
  uint64_t offset;
  uint64_t size;
  bool operator==(const Row&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << "{" << row.offset << ", " << row.size << "}"; }
};

// The segment table as stored.
template <class Root>
std::vector<Row> RowsOf(const Root& root) {
  std::vector<Row> rows;
  for (const auto* segment : *root.segments()) rows.push_back({segment->offset(), segment->size()});
  return rows;
}

std::vector<uint64_t> OffsetsOf(const fb::SubsegmentOffsets* table) { return {table->offsets()->begin(), table->offsets()->end()}; }

// What lies behind the flatbuffer, its padding left out.
std::string DataOf(const std::string& bytes) { return bytes.substr(Peek64(bytes, 24)); }

PteContents OfOneMethod() {
  PteContents contents;
  contents.program = OneMethod();
  return contents;
}

std::string Zeros(size_t count) { return std::string(count, '\0'); }

TEST(SmallPteTest, WithoutASegmentByteThereIsNoHeader) {
  PteContents contents = OfOneMethod();
  ASSERT_THAT(contents.named_data.Add("none", Rope()), IsOk());
  contents.constants.push_back(Rope());
  contents.mutable_data.push_back(Rope());
  contents.program = WithDelegates({0});
  contents.delegate_payloads.emplace_back(Rope());
  const std::string bytes = Written(contents);
  EXPECT_EQ(bytes.substr(4, 4), "ET12");
  EXPECT_NE(bytes.substr(8, 4), "eh00");
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  EXPECT_TRUE(fb::VerifyProgramBuffer(verifier));
  const PteFile file = OpenPte(bytes);
  EXPECT_FALSE(file.header().has_extended_header);
  EXPECT_EQ(file.header().program_size, bytes.size());
  EXPECT_THAT(RowsOf(file.program()), ElementsAre(Row{0, 0}, Row{0, 0}));
  EXPECT_THAT(OffsetsOf(file.program().constant_segment()), ElementsAre(0, 0));
  EXPECT_EQ(file.program().mutable_data_segments(), nullptr);
  EXPECT_EQ(file.program().backend_delegate_data()->size(), 1u);
  EXPECT_EQ(file.program().named_data()->size(), 1u);
}

TEST(SmallPteTest, ThePlaceholderIsAlwaysThere) {
  const PteFile file = OpenPte(Written(OfOneMethod()));
  EXPECT_THAT(RowsOf(file.program()), ElementsAre(Row{0, 0}));
  EXPECT_EQ(file.program().constant_segment()->segment_index(), 0u);
  EXPECT_THAT(OffsetsOf(file.program().constant_segment()), ElementsAre(0));
  EXPECT_EQ(file.program().constant_buffer()->size(), 0u);
  EXPECT_EQ(file.program().named_data(), nullptr);
  // As the exporter does, in a segment of its own.
  PteContents contents = OfOneMethod();
  ASSERT_THAT(contents.named_data.Add("a", Copy("a")), IsOk());
  const PteFile with_data = OpenPte(Written(contents));
  EXPECT_THAT(RowsOf(with_data.program()), ElementsAre(Row{0, 0}, Row{0, 1}));
  EXPECT_EQ(with_data.named_data()[0].segment_index, 1u);
}

TEST(SmallPteTest, TheHeaderHasItsNumbersWhereTheyBelong) {
  PteContents contents = OfOneMethod();
  ASSERT_THAT(contents.named_data.Add("a", Copy("a")), IsOk());
  for (const uint64_t alignment : {uint64_t{1}, uint64_t{16}, uint64_t{32}, uint64_t{64}, uint64_t{1024}}) {
    LayoutOptions layout;
    layout.constant_alignment = alignment;
    const std::string bytes = Written(contents, layout);
    const uint64_t slot = std::max<uint64_t>(32, alignment);
    EXPECT_EQ(bytes.substr(8, 4), "eh00");
    EXPECT_EQ(Peek32(bytes, 12), 32u);
    const uint64_t program_size = Peek64(bytes, 16);
    EXPECT_EQ(Peek64(bytes, 24), (program_size + 127) / 128 * 128);
    EXPECT_EQ(Peek64(bytes, 32), 1u);
    EXPECT_EQ(bytes.size(), Peek64(bytes, 24) + 1);
    EXPECT_EQ(bytes.substr(40, slot - 32), Zeros(slot - 32));
    // Without the header it is a flatbuffer like any other.
    std::string plain = bytes.substr(0, program_size);
    plain.erase(8, slot);
    Poke32(plain, 0, Peek32(bytes, 0) - static_cast<uint32_t>(slot));
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(plain.data()), plain.size());
    EXPECT_TRUE(fb::VerifyProgramBuffer(verifier));
  }
}

TEST(SmallPteTest, ConstantsStandAtMultiplesOfTheirAlignment) {
  PteContents contents = OfOneMethod();
  for (const char* piece : {"", "ab", "", "cdefg", "", "h", ""}) contents.constants.push_back(Copy(piece));
  const std::string bytes = Written(contents);
  const PteFile file = OpenPte(bytes);
  EXPECT_THAT(OffsetsOf(file.program().constant_segment()), ElementsAre(0, 0, 0, 16, 16, 32, 32, 48));
  EXPECT_THAT(RowsOf(file.program()), ElementsAre(Row{0, 48}));
  EXPECT_EQ(DataOf(bytes), "ab" + Zeros(14) + "cdefg" + Zeros(11) + "h" + Zeros(15));
  LayoutOptions packed;
  packed.constant_alignment = 1;
  const std::string tight = Written(contents, packed);
  EXPECT_THAT(OffsetsOf(OpenPte(tight).program().constant_segment()), ElementsAre(0, 0, 0, 2, 2, 7, 7, 8));
  EXPECT_EQ(DataOf(tight), "abcdefgh");
}

TEST(SmallPteTest, ConstantsOfALargeAlignmentHaveItInTheFile) {
  PteContents contents = OfOneMethod();
  for (const char* piece : {"a", "b"}) contents.constants.push_back(Copy(piece));
  LayoutOptions layout = ReferenceLayout();
  layout.constant_alignment = 1024;
  const PteFile file = OpenPte(Written(contents, layout));
  EXPECT_EQ(file.header().segment_base_offset % 1024, 0u);
  EXPECT_THAT(OffsetsOf(file.program().constant_segment()), ElementsAre(0, 0, 1024));
}

TEST(SmallPteTest, MutableDataIsPackedWithoutPadding) {
  PteContents contents = OfOneMethod();
  for (const char* piece : {"", "abc", "d", ""}) contents.mutable_data.push_back(Copy(piece));
  const std::string bytes = Written(contents);
  const PteFile file = OpenPte(bytes);
  ASSERT_EQ(file.program().mutable_data_segments()->size(), 1u);
  EXPECT_THAT(OffsetsOf(file.program().mutable_data_segments()->Get(0)), ElementsAre(0, 0, 0, 3, 4));
  EXPECT_EQ(file.mutable_data_segment(), 1u);
  EXPECT_THAT(RowsOf(file.program()), ElementsAre(Row{0, 0}, Row{0, 4}));
  EXPECT_EQ(DataOf(bytes), "abcd");
}

TEST(SmallPteTest, MutableDataWithoutAByteIsLeftOut) {
  PteContents contents = OfOneMethod();
  contents.mutable_data.push_back(Rope());
  contents.mutable_data.push_back(Rope());
  const PteFile file = OpenPte(Written(contents));
  EXPECT_EQ(file.program().mutable_data_segments(), nullptr);
  EXPECT_EQ(file.segments().size(), 1u);
}

TEST(SmallPteTest, RolesFollowEachOtherAsTheExporterOrdersThem) {
  PteContents contents;
  contents.program = WithDelegates({2, 0, 2, 1});
  contents.constants.push_back(Copy("constant"));
  contents.mutable_data.push_back(Copy("mutable"));
  for (const char* blob : {"zero", "one", "two"}) contents.delegate_payloads.emplace_back(Copy(blob));
  for (const char* key : {"n1", "n0"}) ASSERT_THAT(contents.named_data.Add(key, Copy(key)), IsOk());
  const std::string bytes = Written(contents);
  const PteFile file = OpenPte(bytes);
  EXPECT_THAT(RowsOf(file.program()), ElementsAre(Row{0, 8}, Row{128, 7}, Row{256, 3}, Row{384, 4}, Row{512, 3}, Row{640, 2}, Row{768, 2}));
  EXPECT_EQ(bytes.size(), file.header().segment_base_offset + 770);
  std::string wanted;
  for (const std::string piece : {"constant", "mutable", "two", "zero", "one", "n1", "n0"}) {
    wanted.resize((wanted.size() + 127) / 128 * 128, '\0');
    wanted += piece;
  }
  EXPECT_EQ(DataOf(bytes), wanted);
}

TEST(SmallPteTest, PaddingIsNoMoreThanAlignmentNeeds) {
  PteContents contents = OfOneMethod();
  for (const char* key : {"a", "b", "c"}) ASSERT_THAT(contents.named_data.Add(key, Copy(key)), IsOk());
  ASSERT_OK_AND_ASSIGN(const LayoutPlan plan, PlanPte(contents));
  EXPECT_EQ(plan.file_size, plan.header.segment_base_offset + 2 * 128 + 1);
  EXPECT_EQ(plan.padding, plan.header.segment_base_offset - plan.header.program_size + 2 * 127);
}

TEST(SmallPteTest, DelegatesShareBytesAndKeepTheirOwnSpecs) {
  PteContents contents;
  contents.program = WithDelegates({0, 1, 2});
  for (int i = 0; i < 3; ++i) {
    auto spec = std::make_unique<fb::CompileSpecT>();
    spec->key = "a";
    spec->value = {static_cast<uint8_t>(i)};
    contents.program.execution_plan[0]->delegates[static_cast<size_t>(i)]->compile_specs.push_back(std::move(spec));
  }
  contents.delegate_payloads.emplace_back(Copy(Bytewise(32)));
  contents.delegate_payloads.emplace_back(InPieces(Bytewise(32), {5}));
  contents.delegate_payloads.emplace_back(Copy(Bytewise(32, 1)));
  const PteFile file = OpenPte(Written(contents));
  EXPECT_EQ(file.segments().size(), 3u);
  const auto& delegates = *file.program().execution_plan()->Get(0)->delegates();
  EXPECT_EQ(delegates[0]->processed()->index(), 1u);
  EXPECT_EQ(delegates[1]->processed()->index(), 1u);
  EXPECT_EQ(delegates[2]->processed()->index(), 2u);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(delegates[i]->compile_specs()->Get(0)->value()->Get(0), i);
}

TEST(SmallPteTest, RolesDoNotShareBytes) {
  PteContents contents;
  contents.program = WithDelegates({0});
  contents.constants.push_back(Copy("equal"));
  contents.mutable_data.push_back(Copy("equal"));
  contents.delegate_payloads.emplace_back(Copy("equal"));
  ASSERT_THAT(contents.named_data.Add("a", Copy("equal")), IsOk());
  EXPECT_EQ(OpenPte(Written(contents)).segments().size(), 4u);
}

TEST(SmallPteTest, EmptyDelegatesStayInline) {
  PteContents contents;
  contents.program = WithDelegates({0, 1, 2});
  contents.delegate_payloads.emplace_back(Rope());
  contents.delegate_payloads.emplace_back(Copy("bytes"));
  contents.delegate_payloads.emplace_back(Rope(), DelegatePayload::Placement::kSegment);
  const PteFile file = OpenPte(Written(contents));
  EXPECT_EQ(file.program().backend_delegate_data()->size(), 2u);
  EXPECT_THAT(RowsOf(file.program()), ElementsAre(Row{0, 0}, Row{0, 5}));
  for (const size_t i : {size_t{0}, size_t{2}}) EXPECT_EQ(TextOf(file.DelegatePayload(0, i)), "");
  EXPECT_EQ(TextOf(file.DelegatePayload(0, 1)), "bytes");
}

TEST(SmallPteTest, InlineDelegatesAreAlignedInTheFile) {
  const std::vector<size_t> sizes = {3, 0, 200, 5};
  for (const uint64_t alignment : {uint64_t{1}, uint64_t{16}, uint64_t{128}, uint64_t{1024}, uint64_t{65536}}) {
    for (const bool has_segments : {false, true}) {
      PteContents contents;
      contents.program = WithDelegates({0, 1, 2, 3});
      for (const size_t size : sizes) contents.delegate_payloads.emplace_back(Copy(Bytewise(size, static_cast<unsigned>(size))));
      if (has_segments) contents.constants.push_back(Copy("constant"));
      LayoutOptions layout;
      layout.inline_delegates = true;
      layout.delegate_alignment = alignment;
      const std::string bytes = Written(contents, layout);
      ASSERT_OK_AND_ASSIGN(const LayoutPlan plan, PlanPte(contents, layout));
      ExpectPlanIsFile(plan, bytes, layout);
      flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), plan.header.program_size);
      EXPECT_TRUE(fb::VerifyProgramBuffer(verifier));
      const PteFile file = OpenPte(bytes);
      EXPECT_THAT(file.notes(), IsEmpty());
      size_t i = 0;
      for (const size_t size : sizes) {
        ASSERT_OK_AND_ASSIGN(const Payload payload, file.DelegatePayload(0, i++));
        EXPECT_EQ(TextOf(payload.AsRope()), Bytewise(size, static_cast<unsigned>(size)));
        EXPECT_TRUE(size == 0 || payload.file_offset() % alignment == 0) << alignment;
      }
    }
  }
}

TEST(SmallPteTest, PayloadsThatNothingRefersToAreWrittenAllTheSame) {
  PteContents contents;
  contents.program = WithDelegates({1});
  contents.delegate_payloads.emplace_back(Copy("nobody's"));
  contents.delegate_payloads.emplace_back(Copy("one's"));
  const PteFile file = OpenPte(Written(contents));
  EXPECT_THAT(RowsOf(file.program()), ElementsAre(Row{0, 0}, Row{0, 5}, Row{128, 8}));
}

TEST(SmallPteTest, AProgramWithoutMethodsIsWrittenToo) {
  PteContents contents;
  const PteFile file = OpenPte(Written(contents));
  EXPECT_EQ(file.program().execution_plan()->size(), 0u);
  EXPECT_THAT(OffsetsOf(file.program().constant_segment()), ElementsAre(0));
}

TEST(SmallPtdTest, AnEmptyFileIs128Bytes) {
  const std::string bytes = Written(PtdContents());
  ASSERT_EQ(bytes.size(), 128u);
  EXPECT_EQ(bytes.substr(4, 8), "FT01FH01");
  EXPECT_EQ(Peek32(bytes, 12), 40u);
  EXPECT_EQ(Peek64(bytes, 16), 48u);
  EXPECT_LE(Peek64(bytes, 24) + 48, 128u);
  EXPECT_EQ(Peek64(bytes, 32), 128u);
  EXPECT_EQ(Peek64(bytes, 40), 0u);
  EXPECT_EQ(bytes.substr(48, 8), Zeros(8));
  EXPECT_THAT(OpenPtd(bytes).entries(), IsEmpty());
}

TEST(SmallPtdTest, EntriesStandInTheOrderOfTheirKeys) {
  PtdContents contents;
  ASSERT_THAT(contents.named_data.Add("z", Copy("zz")), IsOk());
  ASSERT_THAT(contents.named_data.Add("a", Copy("aaa"), {.alignment = 256}), IsOk());
  ASSERT_THAT(contents.named_data.Add("z again", Copy("zz")), IsOk());
  ASSERT_THAT(contents.named_data.Add("none", Rope()), IsOk());
  const std::string bytes = Written(contents);
  const PtdFile file = OpenPtd(bytes);
  EXPECT_THAT(RowsOf(file.flat_tensor()), ElementsAre(Row{0, 2}, Row{256, 3}, Row{384, 0}));
  EXPECT_EQ(file.header().segment_base_offset % 256, 0u);
  EXPECT_EQ(bytes.substr(Peek64(bytes, 32)), "zz" + Zeros(254) + "aaa" + Zeros(125));
  EXPECT_EQ(file.entries()[2].segment_index, 0u);
}

TEST(SmallPtdTest, EveryLayoutHoldsAbsolutely) {
  for (const uint64_t alignment : {uint64_t{128}, uint64_t{1024}, uint64_t{4096}}) {
    LayoutOptions layout;
    layout.segment_alignment = alignment;
    PtdContents contents;
    for (int i = 0; i < 5; ++i) ASSERT_THAT(contents.named_data.Add(std::to_string(i), Copy(std::to_string(i))), IsOk());
    const PtdFile file = OpenPtd(Written(contents, layout));
    for (const Segment& segment : file.segments()) EXPECT_EQ(segment.file_offset % alignment, 0u);
  }
}

}  // namespace
}  // namespace pte::test
