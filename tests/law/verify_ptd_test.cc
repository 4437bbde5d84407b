// C.6: .ptd files.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "pte/ptd_file.h"
#include "tests/law/verify_rows.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

constexpr uint64_t kTwoTo63 = uint64_t{1} << 63;
constexpr uint64_t kMax = UINT64_MAX;
constexpr uint64_t kMiB = uint64_t{1} << 20;

// A directory without entries.
Recipe Nothing() {
  return P().Model([](BaseDirectory& base) { base = {}; });
}
Recipe WithSegment(uint64_t offset, uint64_t size) {
  return P().Model([=](BaseDirectory& base) { AddKey(base, "key", offset, size); });
}
// P with its second segment moved there, and its third to the next multiple of 16 behind where that leaves it.
Recipe SecondSegmentAt(uint64_t offset) {
  return P().Model([=](BaseDirectory& base) {
    const uint64_t rest = (16 - offset % 16) % 16;
    base.directory.segments[1]->offset = offset;
    base.directory.segments[2]->offset = offset + 128 + rest;
    base.data.insert(136, static_cast<size_t>(rest), '\0');
    base.data.insert(128, static_cast<size_t>(offset - 128), '\0');
  });
}

std::vector<Row> HeadRows() {
  const std::string good = P().File();
  const uint64_t flatbuffer = Peek64(good, 24);
  const uint64_t base = Peek64(good, 32);
  const uint64_t data = Peek64(good, 40);
  return {
      Breaks("D1", "EndsInsideTheHeader", kError, P().Cut(47), 47).Reference(RuntimeReaction::kRefuses),
      Breaks("D1", "EndsBehindTheIdentifier", kError, P().Cut(8), 8),
      Lacks("D1", "HeaderComplete", P().Cut(48)),
      Breaks("D2", "OtherVersion", kError, P().Put(4, "FT02"), 4).Reference(RuntimeReaction::kRefuses),
      Breaks("D2", "OtherMagic", kError, P().Put(8, "FH02"), 8),
      Keeps("D2", "Current", P()),
      Breaks("D3", "Length0", kError, P().Poke32(12, 0), 12),
      Breaks("D3", "Length39", kError, P().Poke32(12, 39), 12).Reference(RuntimeReaction::kRefuses),
      Breaks("D3", "LengthPastTheFlatbuffer", kError, P().Poke32(12, UINT32_MAX), 12),
      Keeps("D3", "LengthOfItsSlot", P().Poke32(12, 48)),
      Breaks("D4", "Offset0", kError, P().Poke64(16, 0), 16).Reference(RuntimeReaction::kMisreads),
      Breaks("D4", "Offset8", kError, P().Poke64(16, 8), 16),
      Breaks("D4", "OffsetTwoTo63", kError, P().Poke64(16, kTwoTo63), 16),
      Breaks("D4", "OffsetWraps", kError, P().Poke64(16, kMax - 47), 16),
      Breaks("D4", "Size0", kError, P().Poke64(24, 0), 24),
      Breaks("D4", "SizeTwoTo63", kError, P().Poke64(24, kTwoTo63), 24),
      Breaks("D4", "SizeWraps", kError, P().Poke64(24, kMax - 47), 24),
      Keeps("D4", "AsWritten", P()),
      Breaks("D5", "Base0", kError, P().Poke64(32, 0), 32),
      Breaks("D5", "Base1", kError, P().Poke64(32, 1), 32).Reference(RuntimeReaction::kMisreads),
      Breaks("D5", "BaseInsideTheFlatbuffer", kError, P().Poke64(32, 48 + flatbuffer - 1), 32),
      Lacks("D5", "BaseAtTheFlatbuffersEnd", P().Poke64(32, 48 + flatbuffer)),
      Breaks("D6", "JustWraps", kError, P().Poke64(40, kMax - base + 1), 40).Reference(RuntimeReaction::kAccepts),
      Breaks("D6", "Max", kError, P().Poke64(40, kMax), 40),
      Lacks("D6", "DoesNotQuiteWrap", P().Poke64(40, kMax - base)),
      // What is declared too little ends before the file does.
      Breaks("D7", "OneTooSmall", kError, P().Poke64(40, data - 1), "segments[2].size").Allow({"D25"}).Reference(RuntimeReaction::kAccepts),
      Keeps("D7", "AsLargeAsTheSegments", P()),
      Breaks("D8", "LastByteCut", kError, P().Cut(good.size() - 1), 40).Reference(RuntimeReaction::kRefuses),
      Breaks("D8", "OneTooLarge", kError, P().Poke64(40, data + 1), 40),
      Keeps("D8", "Whole", P()),
      Breaks("D9", "Root0", kError, P().Poke32(0, 0), 0),
      Breaks("D9", "RootAtTheMagic", kError, P().Poke32(0, 8), 0).Reference(RuntimeReaction::kCrashes),
      Breaks("D9", "RootTwoTo31", kError, P().Poke32(0, 0x80000000), 0),
      Breaks("D9", "RootMax", kError, P().Poke32(0, UINT32_MAX), 0),
      Keeps("D9", "AsWritten", P()),
  };
}

std::vector<Row> DirectoryRows() {
  return {
      Breaks("D10", "HugeVector", kError, P().Vlen("segments", 0x40000000), "segments").Reference(RuntimeReaction::kCrashes),
      Breaks("D10", "OffsetOutOfTheBuffer", kError, P().Set("named_data[0].key", 0x7fffff00), "&named_data[0].key"),
      Breaks("D10", "VtableOutOfTheBuffer", kError, P().Vtable("segments[1]", 0x7ffffff0), "segments[1]"),
      Keeps("D10", "Sound", P()),
      Breaks("D11", "NoSegments", kError, Nothing().Slot("segments"), "root").Reference(RuntimeReaction::kRefuses),
      Breaks("D11", "NoNamedData", kError, Nothing().Slot("named_data"), "root"),
      Keeps("D11", "EmptyLists", Nothing()),
      Breaks("D12", "NoKey", kError, P().Slot("named_data[0].key"), "named_data[0]").Reference(RuntimeReaction::kCrashes),
      Keeps("D12", "Keys", P()),
      Breaks("D13", "TwiceTheSame", kError, P().Model([](BaseDirectory& base) { base.directory.named_data[2]->key = "weight"; }),
             "named_data[2].key[0]")
          .Reference(RuntimeReaction::kMisreads),
      Keeps("D13", "OneBeginsTheOther", P().Model([](BaseDirectory& base) { base.directory.named_data[2]->key = "weigh"; })),
      Breaks("D14", "NoSuchSegment", kError, WithSegment(0, 0).Model([](BaseDirectory& base) { base.directory.segments.pop_back(); }),
             "named_data[3].segment_index")
          .Reference(RuntimeReaction::kRefuses),
      Keeps("D14", "LastSegment", P()),
      Breaks("D15", "HalfAndHalf", kError, WithSegment(kTwoTo63, kTwoTo63), "segments[3].size").Allow({"D16"}),
      Breaks("D15", "OffsetNearMax", kError, WithSegment(kMax - 15, 64), "segments[3].size")
          .Allow({"D16"})
          .Reference(RuntimeReaction::kRefuses),
      Lacks("D15", "UpToMax", WithSegment(4096, kTwoTo63)),
      Breaks("D16", "BetweenTheDataAndBasePlusData", kError, P().Set("segments[2].size", 105), "segments[2].size")
          .Reference(RuntimeReaction::kMisreads),
      Keeps("D16", "UpToTheDatasEnd", P()),
      Breaks("D24", "Version9", kError, P().Set("version", 9), "version").Reference(RuntimeReaction::kAccepts),
      Keeps("D24", "Version0", P().Set("version", 0)),
      Breaks("D26", "NulInAKey", kError, P().Text("named_data[0].key", std::string("we\0ght", 6)), "named_data[0].key")
          .Reference(RuntimeReaction::kMisreads),
      Keeps("D26", "ControlCharacterInAKey", P().Text("named_data[0].key", "we\x01ght")),
  };
}

std::vector<Row> LayoutRows() {
  constexpr const char* kLayout = "named_data[0].tensor_layout";
  constexpr const char* kSizes = "named_data[0].tensor_layout.sizes";
  constexpr const char* kOrder = "named_data[0].tensor_layout.dim_order";
  constexpr const char* kType = "named_data[0].tensor_layout.scalar_type";
  return {
      Breaks("D18", "NoSizes", kError, P().Slot(kSizes), kLayout).Reference(RuntimeReaction::kCrashes),
      Breaks("D18", "NoOrder", kError, P().Slot(kOrder), kLayout),
      Keeps("D18", "NoLayout", P()),
      Breaks("D19", "OrderTooShort", kError, P().Items(kOrder, {0}), kOrder).Reference(RuntimeReaction::kCrashes),
      Keeps("D19", "OrderReversed", P().Items(kOrder, {1, 0})),
      Breaks("D20", "Twice", kError, P().Items(kOrder, {0, 0}), kOrder).Reference(RuntimeReaction::kAccepts),
      Breaks("D20", "OutOfRange", kError, P().Items(kOrder, {0, 7}), kOrder),
      Keeps("D20", "OrderReversed", P().Items(kOrder, {1, 0})),
      Breaks("D21", "Type30", kError, P().Set(kType, 30), kType).Reference(RuntimeReaction::kCrashes),
      Breaks("D21", "TypeNegative", kError, P().Set(kType, -1), kType),
      Keeps("D21", "OtherType", P().Set(kType, 3)),
      Breaks("D22", "LargerThanItsSegment", kError, P().Items(kSizes, {100, 100}), kLayout).Reference(RuntimeReaction::kMisreads),
      Breaks("D22", "OneRowTooLarge", kError, P().Items(kSizes, {5, 4}), kLayout),
      Breaks("D22", "SmallerThanItsSegment", kWarning, P().Items(kSizes, {3, 4}), kLayout).Reference(RuntimeReaction::kAccepts),
      // Elements that the schema does not list, of a byte each.
      Breaks("D22", "BitsTooMany", kError, P().Set(kType, 21).Items(kSizes, {5, 13}), kLayout).Allow({"T8"}),
      // How many bytes packed elements take is not for the runtime's count to say.
      Lacks("D22", "PackedElements", P().Set(kType, 16).Items(kSizes, {5, 13})),
      Keeps("D22", "OtherShape", P().Items(kSizes, {2, 8})),
      Keeps("D22", "SeventeenDimensions", P().Model([](BaseDirectory& base) {
        auto& layout = *base.directory.named_data[0]->tensor_layout;
        layout.sizes.resize(17, 1);
        while (layout.dim_order.size() < 17) layout.dim_order.push_back(static_cast<uint8_t>(layout.dim_order.size()));
      })),
  };
}

// P with its first two segments listed the other way round.
Recipe Swapped() {
  return P().Model([](BaseDirectory& base) {
    std::swap(base.directory.segments[0], base.directory.segments[1]);
    std::swap(base.directory.named_data[0]->segment_index, base.directory.named_data[1]->segment_index);
  });
}

// P with a second key on a segment that lies at those bytes of the first.
Recipe OverlapAt(uint64_t offset) {
  return P().Model([=](BaseDirectory& base) {
    AddKey(base, "key", offset, 64);
    std::swap(base.directory.segments[1], base.directory.segments[3]);
    std::swap(base.directory.segments[2], base.directory.segments[3]);
    base.directory.named_data[1]->segment_index = 2;
    base.directory.named_data[2]->segment_index = 3;
    base.directory.named_data[3]->segment_index = 1;
  });
}

void AddUnusedSegment(BaseDirectory& base) {
  AddKey(base, "key", 384, 16);
  base.directory.named_data.pop_back();
  base.data.resize(384, '\0');
  base.data += std::string(16, 'u');
}

std::vector<Row> GeometryRows() {
  const std::string good = P().File();
  const uint64_t base = Peek64(good, 32);
  const auto poke = [](uint64_t at) { return P().Put(at, "x"); };
  return {
      Breaks("D25", "Swapped", kWarning, Swapped(), "segments[1].offset").Reference(RuntimeReaction::kAccepts),
      Breaks("D25", "Overlap", kError, OverlapAt(16), "segments[1].offset").Reference(RuntimeReaction::kAccepts),
      Breaks("D25", "TheSameRange", kWarning, OverlapAt(0), "segments[1].offset"),
      Breaks("D25", "OneByteOff", kWarning, SecondSegmentAt(129), "segments[1].offset"),
      Breaks("D25", "NobodyUsesIt", kWarning, P().Model(AddUnusedSegment), "segments[3]"),
      Breaks("D25", "GapLargerThanAnyAlignment", kWarning, SecondSegmentAt(2 * kMiB), "segments[1].offset"),
      Breaks("D25", "BetweenTheSegments", kWarning, poke(base + 64), base + 64),
      Breaks("D25", "BeforeTheBase", kWarning, poke(base - 1), base - 1),
      Breaks("D25", "Junk", kWarning, P().Append("junk"), good.size()),
      Keeps("D25", "MultipleOf16", SecondSegmentAt(144)),
      Keeps("D25", "LastByteOfASegment", poke(base + 63)),
  };
}

}  // namespace

std::vector<Row> PtdRows() { return Joined({HeadRows(), DirectoryRows(), LayoutRows(), GeometryRows()}); }

PTE_TEST_JUDGE_ROWS(VerifyPtd, PtdRows());

// D17: what is asked for a blob's layout gets the answer that there is none.
TEST(VerifyPtdTest, ABlobHasNoLayout) {
  ASSERT_OK_AND_ASSIGN(const PtdFile file, PtdFile::Open(MakeSource(SourceKind::kMemory, P().File())));
  ASSERT_NE(file.FindEntry("blob"), nullptr);
  EXPECT_EQ(file.FindEntry("blob")->tensor_layout, std::nullopt);
}

// D23: what is read into is filled, not overrun; more than the payload has is refused.
TEST(VerifyPtdTest, APayloadIsReadAsFarAsTheBufferGoes) {
  ASSERT_OK_AND_ASSIGN(const PtdFile file, PtdFile::Open(MakeSource(SourceKind::kMemory, P().File())));
  ASSERT_OK_AND_ASSIGN(const Payload bias, file.Find("bias"));
  std::array<std::byte, 12> buffer{};
  EXPECT_THAT(bias.ReadAt(0, std::span(buffer).first(4)), IsOk());
  EXPECT_EQ(buffer[4], std::byte{0});
  EXPECT_FALSE(bias.ReadAt(0, buffer).ok());
  EXPECT_EQ(buffer[8], std::byte{0});
}

}  // namespace pte::test
