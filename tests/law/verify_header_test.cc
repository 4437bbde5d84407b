// C.1: the header and the geometry of a .pte.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/law/verify_rows.h"

namespace pte::test {
namespace {

constexpr uint64_t kTwoTo31 = uint64_t{1} << 31;
constexpr uint64_t kTwoTo63 = uint64_t{1} << 63;
constexpr uint64_t kMax = UINT64_MAX;

uint64_t SizeOf(const Recipe& recipe) { return recipe.File().size(); }
uint64_t ProgramOf(const Recipe& recipe) { return Peek64(recipe.File(), 16); }
uint64_t BaseOf(const Recipe& recipe) { return Peek64(recipe.File(), 24); }
uint64_t DataOf(const Recipe& recipe) { return Peek64(recipe.File(), 32); }

// A with its constants in a segment and nothing else in one.
Recipe OneSegment() { return A().Model(DropDelegate); }

// M with a header all the same.
Recipe EmptyWithHeader() { return M().Header(32); }

// The smallest program that is complete: a root with an empty list of methods. No packer writes this few bytes.
Recipe Smallest() {
  return M().Bytewise([](FlatImage& image) {
    image.bytes.assign(28, '\0');
    Poke32(image.bytes, 0, 16);
    image.bytes.replace(4, 4, "ET12");
    Poke32(image.bytes, 8, 0x00080008);   // vtable: its size and the table's
    Poke32(image.bytes, 12, 0x00040000);  // no version; the methods at 4
    Poke32(image.bytes, 16, 8);
    Poke32(image.bytes, 20, 4);
  });
}

// The same with a header of 24 bytes.
Recipe SmallestWithHeader() {
  return M().Bytewise([](FlatImage& image) {
    image.bytes.assign(52, '\0');
    Poke32(image.bytes, 0, 40);
    image.bytes.replace(4, 8, "ET12eh00");
    Poke32(image.bytes, 12, 24);
    Poke64(image.bytes, 16, 52);
    Poke32(image.bytes, 32, 0x00080008);
    Poke32(image.bytes, 36, 0x00040000);
    Poke32(image.bytes, 40, 8);
    Poke32(image.bytes, 44, 4);
  });
}

std::vector<Row> SizeRows() {
  return {Breaks("H1", "Empty", kError, A().Cut(0), 0), Breaks("H1", "SevenBytes", kError, A().Cut(7), 7),
          Breaks("H1", "EndsInsideTheHeader", kError, A().Cut(39), 39),
          // Below 64 bytes the reference reads no program; S1, since this one has no method.
          Breaks("H1", "CompleteButBelow64Bytes", kWarning, Smallest(), std::nullopt).Allow({"S1"}).Reference(RuntimeReaction::kRefuses),
          Breaks("H1", "CompleteWithHeaderButBelow64Bytes", kWarning, SmallestWithHeader(), std::nullopt).Allow({"S1"}),
          Keeps("H1", "Headerless", D()), Lacks("H1", "HeaderComplete", A().Cut(40)),
          Breaks("H2", "OtherVersion", kError, A().Put(4, "ET11"), 4).Reference(RuntimeReaction::kRefuses),
          Breaks("H2", "OtherLetters", kError, A().Put(4, "ABCD"), 4), Keeps("H2", "Current", A())};
}

std::vector<Row> LengthRows() {
  const FlatImage a = A().Build();
  const auto first = static_cast<uint32_t>(a.VtableAt(""));  // the root's vtable is the first object
  return {
      // The magic that is almost one is noted by itself, too.
      Breaks("H3", "OneBitOff", kError, OneSegment().Put(8, "eh01"), "segments[0].size")
          .Allow({"H3"})
          .Reference(RuntimeReaction::kMisreads),
      Breaks("H3", "AlmostTheMagicWithoutSegments", kWarning, EmptyWithHeader().Put(8, "eh01"), 8).Reference(RuntimeReaction::kAccepts),
      Keeps("H3", "NoMagicNoSegments", M()),
      Breaks("H4", "Length0", kError, A().Poke32(12, 0), 12),
      Breaks("H4", "Length8", kError, A().Poke32(12, 8), 12),
      Breaks("H4", "Length23", kError, A().Poke32(12, 23), 12).Reference(RuntimeReaction::kRefuses),
      Keeps("H4", "Length24", E()),
      Breaks("H5", "Length25", kWarning, A().Poke32(12, 25), 12).Reference(RuntimeReaction::kAccepts),
      Breaks("H5", "Length31", kWarning, A().Poke32(12, 31), 12),
      Keeps("H5", "Length32", A()),
      Breaks("H6", "Length33", kInfo, A().Header(33), 12),
      Breaks("H6", "Length40", kInfo, A().Header(40), 12).Reference(RuntimeReaction::kAccepts),
      Keeps("H6", "Length32", A()),
      Breaks("H7", "PastTheFile", kError, A().Poke32(12, 0xffffffff), 12).Reference(RuntimeReaction::kAccepts),
      Breaks("H7", "PastTheProgram", kError, A().Poke32(12, static_cast<uint32_t>(ProgramOf(A()) - 7)), 12),
      Breaks("H7", "IntoTheFirstObject", kWarning, A().Poke32(12, first - 8 + 1), 12).Reference(RuntimeReaction::kAccepts),
      Keeps("H7", "UpToTheFirstObject", A().Poke32(12, first - 8)),
  };
}

std::vector<Row> ProgramSizeRows() {
  return {Breaks("H8", "Size0", kError, A().Poke64(16, 0), 16).Reference(RuntimeReaction::kRefuses),
          Breaks("H8", "Size4", kError, A().Poke64(16, 4), 16),
          Breaks("H8", "Size7", kError, A().Poke64(16, 7), 16),
          Lacks("H8", "Size8", A().Poke64(16, 8)),
          Breaks("H9", "Size8", kError, A().Poke64(16, 8), 16).Reference(RuntimeReaction::kRefuses),
          Breaks("H9", "Size16", kError, A().Poke64(16, 16), 16),
          Breaks("H9", "OneBelowTheHeadersEnd", kError, A().Poke64(16, 39), 16),
          Lacks("H9", "TheHeadersEnd", A().Poke64(16, 40)),
          Breaks("H10", "OneBeyondTheFile", kError, A().Poke64(16, SizeOf(A()) + 1), 16),
          Breaks("H10", "TwoTo31", kError, A().Poke64(16, kTwoTo31 - 1), 16),
          Breaks("H10", "TwoTo63", kError, A().Poke64(16, kTwoTo63), 16),
          Breaks("H10", "Max", kError, A().Poke64(16, kMax), 16).Reference(RuntimeReaction::kRefuses),
          Lacks("H10", "TheWholeFile", A().Poke64(16, SizeOf(A()))),
          Breaks("H11", "ProgramCoversTheSegments", kError, A().Poke64(16, SizeOf(A())), 24),
          Breaks("H11", "Base1", kError, A().Poke64(24, 1), 24).Reference(RuntimeReaction::kMisreads),
          Breaks("H11", "Base64", kError, A().Poke64(24, 64), 24),
          Breaks("H11", "BaseOneBeforeTheProgramsEnd", kError, A().Poke64(24, ProgramOf(A()) - 1), 24),
          Lacks("H11", "BaseAtTheProgramsEnd", A().Poke64(24, ProgramOf(A())))};
}

std::vector<Row> FrameRows() {
  const uint64_t base = BaseOf(A());
  const uint64_t data = DataOf(A());
  const size_t size = A().File().size();
  return {Breaks("H12", "NoBase", kError, A().Poke64(24, 0), 24).Reference(RuntimeReaction::kMisreads),
          Breaks("H12", "NoBaseNoDataSegmentsAllTheSame", kError, A().Poke64(24, 0).Poke64(32, 0), "segments[0].size").Allow({"H12"}),
          Keeps("H12", "NoBaseNoData", EmptyWithHeader().Poke64(24, 0).Cut(ProgramOf(EmptyWithHeader()))),
          Breaks("H13", "BaseBeyondTheFile", kError, A().Poke64(24, size + 1), 24).Allow({"H15"}),
          Breaks("H13", "BaseMax", kError, A().Poke64(24, kMax), 24).Allow({"H15"}).Reference(RuntimeReaction::kRefuses),
          Breaks("H13", "BaseAtTheFilesEnd", kError, A().Poke64(24, size), 32).As("H15"),
          Lacks("H13", "BaseInsideTheFile", A().Poke64(24, base + 128)),
          Breaks("H14", "DataMax", kError, A().Poke64(32, kMax), 32).Reference(RuntimeReaction::kRefuses),
          Breaks("H14", "JustWraps", kError, A().Poke64(32, kMax - base + 1), 32),
          Lacks("H14", "DoesNotQuiteWrap", A().Poke64(32, kMax - base)),
          Breaks("H15", "DataOneTooLarge", kError, A().Poke64(32, data + 1), 32),
          Breaks("H15", "LastByteCut", kError, A().Cut(size - 1), 32).Reference(RuntimeReaction::kRefuses),
          Keeps("H15", "DataAsLargeAsTheFile", A()),
          // What is declared too little ends before the file does.
          Breaks("H16", "DataOneTooSmall", kError, A().Poke64(32, data - 1), "segments[1].size")
              .Allow({"H20"})
              .Reference(RuntimeReaction::kAccepts),
          Breaks("H16", "DataOfOneByte", kError, A().Poke64(32, 1), "segments[0].size").Allow({"H16", "H20"}),
          Keeps("H16", "DataAsLargeAsTheSegments", A()),
          Breaks("H17", "DataZero", kWarning, A().Poke64(32, 0), 32).Reference(RuntimeReaction::kAccepts),
          Keeps("H17", "HeaderWithoutTheField", E()), Breaks("H18", "NoSegmentHasBytes", kWarning, EmptyWithHeader(), 24),
          Breaks("H18", "NoSegments", kWarning, EmptyWithHeader().Slot("segments"), 24).Allow({"S13"}),
          Keeps("H18", "NoSegmentHasBytesAndNoHeader", M()),
          Breaks("H19", "LastByteCut", kError, E().Cut(size - 1), "segments[1].size").Reference(RuntimeReaction::kRefuses),
          Keeps("H19", "Whole", E())};
}

std::vector<Row> PaddingRows() {
  const uint64_t base = BaseOf(A());
  const auto poke = [](uint64_t at) { return A().Put(at, "x"); };
  return {
      Breaks("H20", "Junk", kWarning, A().Append("junk"), A().File().size()),
      // Where the header does not say how much data there is, its segments do.
      Breaks("H20", "JunkBehindAShortHeadersSegments", kWarning, E().Append("junk"), E().File().size()),
      Breaks("H20", "JunkBehindSegmentsOfNoDeclaredSize", kWarning, A().Poke64(32, 0).Append("junk"), A().File().size()).Allow({"H17"}),
      Lacks("H20", "BaseInsideTheProgram", EmptyWithHeader().Poke64(24, 1)),
      // Whether they belong to the flatbuffer cannot be told.
      Breaks("H20", "JunkWithoutHeader", kInfo, D().Append(std::string(16, 'x')), D().File().size()),
      Keeps("H20", "NothingBehind", A()),
      Breaks("H21", "BetweenProgramAndSegments", kWarning, poke(ProgramOf(A())), ProgramOf(A())).Reference(RuntimeReaction::kAccepts),
      Breaks("H21", "BeforeTheBase", kWarning, poke(base - 1), base - 1),
      Breaks("H21", "AfterTheFirstSegment", kWarning, poke(base + 32), base + 32),
      Breaks("H21", "BeforeTheSecondSegment", kWarning, poke(base + 127), base + 127),
      // What would be the size of the data in a longer header is padding of this one: its bytes have no meaning, but are no zeros either.
      Breaks("H21", "InTheHeadersPadding", kWarning, E().Put(32, std::string(8, '\xff')), 32),
      Keeps("H21", "LastByteOfASegment", poke(base + 31)),
      Breaks("H22", "BasePlus1", kWarning, A().Shift(1), 24),
      Keeps("H22", "BasePlus16", A().Shift(16)),
  };
}

std::vector<Row> RootRows() {
  const auto program = static_cast<uint32_t>(ProgramOf(A()));
  return {
      Breaks("H23", "Root0", kError, A().Poke32(0, 0), 0), Breaks("H23", "Root4", kError, A().Poke32(0, 4), 0),
      Breaks("H23", "Root1", kError, A().Poke32(0, 1), 0), Breaks("H23", "Root0WithoutHeader", kError, D().Poke32(0, 0), 0),
      Breaks("H23", "Root7", kError, A().Poke32(0, 7), 0), Breaks("H23", "RootCutByTheProgramsEnd", kError, A().Poke32(0, program - 3), 0),
      Breaks("H23", "RootAtTheProgramsEnd", kError, A().Poke32(0, program), 0),
      Breaks("H23", "RootTwoTo31", kError, A().Poke32(0, 0x80000000), 0),
      Breaks("H23", "RootMax", kError, A().Poke32(0, 0xffffffff), 0).Reference(RuntimeReaction::kRefuses),
      Keeps("H23", "RootAsWritten", A()), Breaks("H24", "RootAtTheMagic", kError, A().Poke32(0, 8), 0).Reference(RuntimeReaction::kCrashes),
      Breaks("H24", "RootAtTheHeadersLastByte", kError, A().Poke32(0, 39), 0), Keeps("H24", "RootAsWritten", A()),
      // The header's length, 32, is read as the size of a vtable.
      Breaks("H25", "VtableInsideTheHeader", kError, A().Vtable("execution_plan[0].values[2].val", 12), 12)
          .Reference(RuntimeReaction::kAccepts),
      Keeps("H25", "AllBehindTheHeader", A())};
}

}  // namespace

std::vector<Row> HeaderRows() { return Joined({SizeRows(), LengthRows(), ProgramSizeRows(), FrameRows(), PaddingRows(), RootRows()}); }

PTE_TEST_JUDGE_ROWS(VerifyHeader, HeaderRows());

}  // namespace pte::test
