// Every way in which the head of a container can be wrong, each from every kind of source: code, rule and offset.
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/header.h"
#include "tests/support/build_file.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

constexpr std::optional<uint64_t> kNowhere = std::nullopt;

struct HeadCase {
  std::string name;
  std::string bytes;
  StatusCode code;
  std::string rule;
  std::optional<uint64_t> offset;
};

void PrintTo(const HeadCase& c, std::ostream* out) { *out << c.name; }

std::string Pte() { return Build(BaseA()); }
std::string Ptd() { return Build(BaseP()); }
std::string Headerless() { return Pack(MinimalProgram()); }

std::string With32(std::string bytes, size_t at, uint32_t value) {
  Poke32(bytes, at, value);
  return bytes;
}
std::string With64(std::string bytes, size_t at, uint64_t value) {
  Poke64(bytes, at, value);
  return bytes;
}
std::string WithText(std::string bytes, size_t at, std::string_view text) { return bytes.replace(at, text.size(), text); }
std::string Cut(const std::string& bytes, size_t size) { return bytes.substr(0, size); }

constexpr uint64_t kHuge = uint64_t{1} << 63;
constexpr uint64_t kMax = UINT64_MAX;

std::vector<HeadCase> PlainCases() {
  return {
      {"Empty", "", StatusCode::kOutOfRange, "H1", 0},
      {"OneByte", "E", StatusCode::kOutOfRange, "H1", 1},
      {"SevenBytes", Cut(Pte(), 7), StatusCode::kOutOfRange, "H1", 7},
      {"OtherPteVersion", WithText(Pte(), 4, "ET11"), StatusCode::kUnimplemented, "H2", 4},
      {"NewerPteVersion", WithText(Pte(), 4, "ET13"), StatusCode::kUnimplemented, "H2", 4},
      {"OtherPtdVersion", WithText(Ptd(), 4, "FT02"), StatusCode::kUnimplemented, "D2", 4},
      {"OtherBpteVersion", WithText(Pack(BaseQ()), 4, "BP07"), StatusCode::kUnimplemented, "H2", 4},
      {"LettersWithoutVersion", WithText(Pte(), 4, "ET\x01\x02"), StatusCode::kDataLoss, "H2", 4},
      {"UnknownIdentifier", WithText(Pte(), 4, "ABCD"), StatusCode::kDataLoss, "H2", 4},
      {"ControlCharacters", WithText(Pte(), 4, std::string_view("\xff\x00\x1b[", 4)), StatusCode::kDataLoss, "H2", 4},
      {"GitLfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0", StatusCode::kDataLoss, "H2", 4},
      {"AllZeros", std::string(130, '\0'), StatusCode::kDataLoss, "H2", 4},
  };
}

std::vector<HeadCase> PteCases() {
  const std::string good = Pte();
  const uint64_t program = Peek64(good, 16);
  const uint64_t base = Peek64(good, 24);
  const uint64_t data = Peek64(good, 32);
  return {
      {"EndsInsideHeaderLength", Cut(good, 15), StatusCode::kOutOfRange, "H1", 15},
      {"EndsInsideHeader", Cut(good, 39), StatusCode::kOutOfRange, "H1", 39},
      {"HeaderLength0", With32(good, 12, 0), StatusCode::kDataLoss, "H4", 12},
      {"HeaderLength8", With32(good, 12, 8), StatusCode::kDataLoss, "H4", 12},
      {"HeaderLength23", With32(good, 12, 23), StatusCode::kDataLoss, "H4", 12},
      {"HeaderLengthPastProgram", With32(good, 12, 0x1000), StatusCode::kDataLoss, "H7", 12},
      {"HeaderLengthOfTwoToThe32", With32(good, 12, 0xffffffff), StatusCode::kDataLoss, "H7", 12},
      // The magic followed by a vtable: two real files look like this.
      {"MagicWithoutHeader", With32(good, 12, 1572880), StatusCode::kDataLoss, "H7", 12},
      {"MagicInFrontOfAVtable", With64(With32(good, 12, 1572880), 16, kHuge), StatusCode::kDataLoss, "H7", 12},
      {"ProgramSize0", With64(good, 16, 0), StatusCode::kDataLoss, "H8", 16},
      {"ProgramSize4", With64(good, 16, 4), StatusCode::kDataLoss, "H8", 16},
      {"ProgramSize7", With64(good, 16, 7), StatusCode::kDataLoss, "H8", 16},
      {"ProgramSize8", With64(good, 16, 8), StatusCode::kDataLoss, "H9", 16},
      {"ProgramSizeOneBelowHeader", With64(good, 16, 39), StatusCode::kDataLoss, "H9", 16},
      {"ProgramSizeBeyondFile", With64(good, 16, good.size() + 1), StatusCode::kOutOfRange, "H10", 16},
      {"ProgramSizeOfTwoToThe31", With64(good, 16, 0x7fffffff), StatusCode::kOutOfRange, "H10", 16},
      {"ProgramSizeHuge", With64(good, 16, kHuge), StatusCode::kOutOfRange, "H10", 16},
      {"ProgramSizeMax", With64(good, 16, kMax), StatusCode::kOutOfRange, "H10", 16},
      {"ProgramCoversSegments", With64(good, 16, good.size()), StatusCode::kDataLoss, "H11", 24},
      {"BaseInsideHeader", With64(good, 24, 1), StatusCode::kDataLoss, "H11", 24},
      {"BaseOneBeforeProgramEnd", With64(good, 24, program - 1), StatusCode::kDataLoss, "H11", 24},
      {"NoBaseButData", With64(good, 24, 0), StatusCode::kDataLoss, "H12", 24},
      {"BaseBeyondFile", With64(good, 24, good.size() + 1), StatusCode::kOutOfRange, "H13", 24},
      {"BaseMax", With64(good, 24, kMax), StatusCode::kOutOfRange, "H13", 24},
      {"DataSizeWraps", With64(good, 32, kMax), StatusCode::kDataLoss, "H14", 32},
      {"DataSizeJustWraps", With64(good, 32, kMax - base + 1), StatusCode::kDataLoss, "H14", 32},
      {"DataSizeDoesNotQuiteWrap", With64(good, 32, kMax - base), StatusCode::kOutOfRange, "H15", 32},
      {"DataSizeOneTooLarge", With64(good, 32, data + 1), StatusCode::kOutOfRange, "H15", 32},
      {"LastByteCut", Cut(good, good.size() - 1), StatusCode::kOutOfRange, "H15", 32},
      {"Root0", With32(good, 0, 0), StatusCode::kDataLoss, "H23", 0},
      {"Root7", With32(good, 0, 7), StatusCode::kDataLoss, "H23", 0},
      {"RootInsideHeader", With32(good, 0, 8), StatusCode::kDataLoss, "H24", 0},
      {"RootAtLastHeaderByte", With32(good, 0, 39), StatusCode::kDataLoss, "H24", 0},
      {"RootCutByProgramEnd", With32(good, 0, static_cast<uint32_t>(program - 3)), StatusCode::kDataLoss, "H23", 0},
      {"RootAtProgramEnd", With32(good, 0, static_cast<uint32_t>(program)), StatusCode::kDataLoss, "H23", 0},
      {"RootOfTwoToThe31", With32(good, 0, 0x80000000), StatusCode::kDataLoss, "H23", 0},
      {"RootMax", With32(good, 0, 0xffffffff), StatusCode::kDataLoss, "H23", 0},
      {"HeaderlessRoot0", With32(Headerless(), 0, 0), StatusCode::kDataLoss, "H23", 0},
      {"HeaderlessRootBeyondFile", With32(Headerless(), 0, 0x7ffffff0), StatusCode::kDataLoss, "H23", 0},
  };
}

std::vector<HeadCase> PtdCases() {
  const std::string good = Ptd();
  const uint64_t size = Peek64(good, 24);
  const uint64_t base = Peek64(good, 32);
  const uint64_t data = Peek64(good, 40);
  return {
      {"PtdWithoutHeader", Pack(BaseP().directory), StatusCode::kDataLoss, "D2", 8},
      {"PtdOtherMagic", WithText(good, 8, "FH02"), StatusCode::kDataLoss, "D2", 8},
      {"PtdEndsInsideHeader", Cut(good, 47), StatusCode::kOutOfRange, "D1", 47},
      {"PtdEndsAfterIdentifier", Cut(good, 8), StatusCode::kOutOfRange, "D1", 8},
      {"PtdHeaderLength0", With32(good, 12, 0), StatusCode::kDataLoss, "D3", 12},
      {"PtdHeaderLength39", With32(good, 12, 39), StatusCode::kDataLoss, "D3", 12},
      {"PtdHeaderLengthMax", With32(good, 12, 0xffffffff), StatusCode::kDataLoss, "D3", 12},
      {"FlatbufferOffset0", With64(good, 16, 0), StatusCode::kDataLoss, "D4", 16},
      {"FlatbufferOffset39", With64(good, 16, 39), StatusCode::kDataLoss, "D4", 16},
      {"FlatbufferOffsetWraps", With64(good, 16, kMax - 47), StatusCode::kOutOfRange, "D4", 16},
      {"FlatbufferOffsetHuge", With64(good, 16, kHuge), StatusCode::kOutOfRange, "D4", 16},
      {"FlatbufferSize0", With64(good, 24, 0), StatusCode::kDataLoss, "D4", 24},
      {"FlatbufferSizeHuge", With64(good, 24, kHuge), StatusCode::kOutOfRange, "D4", 24},
      {"FlatbufferSizeWraps", With64(good, 24, kMax - 47), StatusCode::kDataLoss, "D4", 24},
      {"FlatbufferEndsBeyondFile", With64(good, 24, good.size() - 47), StatusCode::kOutOfRange, "D4", 24},
      {"PtdBase0", With64(good, 32, 0), StatusCode::kDataLoss, "D5", 32},
      {"PtdBase1", With64(good, 32, 1), StatusCode::kDataLoss, "D5", 32},
      {"PtdBaseInsideFlatbuffer", With64(good, 32, 48 + size - 1), StatusCode::kDataLoss, "D5", 32},
      {"PtdBaseBeyondFile", With64(good, 32, good.size() + 1), StatusCode::kOutOfRange, "D8", 32},
      {"PtdDataSizeWraps", With64(good, 40, kMax - base + 1), StatusCode::kDataLoss, "D6", 40},
      {"PtdDataSizeOneTooLarge", With64(good, 40, data + 1), StatusCode::kOutOfRange, "D8", 40},
      {"PtdLastByteCut", Cut(good, good.size() - 1), StatusCode::kOutOfRange, "D8", 40},
      {"PtdRoot0", With32(good, 0, 0), StatusCode::kDataLoss, "D9", 0},
      {"PtdRootInsideHeader", With32(good, 0, 8), StatusCode::kDataLoss, "D9", 0},
      {"PtdRootAtFlatbufferEnd", With32(good, 0, static_cast<uint32_t>(48 + size - 3)), StatusCode::kDataLoss, "D9", 0},
      {"PtdRootMax", With32(good, 0, 0xffffffff), StatusCode::kDataLoss, "D9", 0},
      {"BpteRoot0", With32(Pack(BaseQ()), 0, 0), StatusCode::kDataLoss, "B2", 0},
      {"BpteRootMax", With32(Pack(BaseQ()), 0, 0xffffffff), StatusCode::kDataLoss, "B2", 0},
      {"BpteIdentifierAlone", Cut(Pack(BaseQ()), 8), StatusCode::kDataLoss, "B2", 0},
  };
}

std::vector<HeadCase> AllCases() {
  std::vector<HeadCase> all = PlainCases();
  for (const auto& more : {PteCases(), PtdCases()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

class BadHead : public testing::TestWithParam<std::tuple<HeadCase, SourceKind>> {};

TEST_P(BadHead, IsRefusedByItsRule) {
  const auto& [c, kind] = GetParam();
  const std::shared_ptr<const ByteSource> source = MakeSource(kind, c.bytes);
  EXPECT_THAT(ReadContainerHeader(*source), IsFault(c.code, c.rule, c.offset));
}

INSTANTIATE_TEST_SUITE_P(Table, BadHead, testing::Combine(testing::ValuesIn(AllCases()), testing::ValuesIn(kSourceKinds)),
                         [](const auto& row) { return std::get<0>(row.param).name + "_" + NameOf(std::get<1>(row.param)); });

// --- Legal heads, and what is noted of them.

struct NoteCase {
  std::string name;
  std::string bytes;
  std::string rule;  // "" for none
  Severity severity;
  std::optional<uint64_t> offset;
};

void PrintTo(const NoteCase& c, std::ostream* out) { *out << c.name; }

std::string ShortHeaderless() {
  // The smallest program: a root without fields. No packer writes this few bytes.
  std::string bytes(16, '\0');
  Poke32(bytes, 0, 12);
  bytes.replace(4, 4, "ET12");
  bytes[8] = 4;
  bytes[10] = 4;
  Poke32(bytes, 12, 4);
  return bytes;
}

std::string EmptyPtd() {
  fb::flat_tensor::FlatTensorT directory;
  return WithPtdHeader(Pack(directory), 0);
}

std::vector<NoteCase> NoteCases() {
  const std::string good = Pte();
  return {
      {"Usual", good, "", Severity::kInfo, kNowhere},
      {"HeadOf24", Build(BaseA(), 24), "", Severity::kInfo, kNowhere},
      {"HeadOf25", With32(good, 12, 25), "H5", Severity::kWarning, 12},
      {"HeadOf31", With32(good, 12, 31), "H5", Severity::kWarning, 12},
      {"HeadOf33", With32(good, 12, 33), "H6", Severity::kInfo, 12},
      {"HeadOf40", Build(BaseA(), 40), "H6", Severity::kInfo, 12},
      {"WithoutHead", Headerless(), "", Severity::kInfo, kNowhere},
      {"ShorterThanTheReferenceReads", ShortHeaderless(), "H1", Severity::kWarning, kNowhere},
      {"AlmostMagic", WithText(Headerless(), 8, "eh01"), "H3", Severity::kWarning, 8},
      {"TrailingBytes", good + "x", "H20", Severity::kWarning, good.size()},
      {"Ptd", Ptd(), "", Severity::kInfo, kNowhere},
      {"PtdTrailingBytes", Ptd() + "x", "D25", Severity::kWarning, Ptd().size()},
      {"PtdWithoutDataTrailingBytes", EmptyPtd() + "junk", "D25", Severity::kWarning, EmptyPtd().size()},
      {"Bpte", Pack(BaseQ()), "", Severity::kInfo, kNowhere},
  };
}

class LegalHead : public testing::TestWithParam<std::tuple<NoteCase, SourceKind>> {};

TEST_P(LegalHead, IsAcceptedAndNoted) {
  const auto& [c, kind] = GetParam();
  std::vector<Finding> notes;
  EXPECT_THAT(ReadContainerHeader(*MakeSource(kind, c.bytes), &notes), IsOk());
  if (c.rule.empty()) {
    EXPECT_THAT(notes, testing::IsEmpty());
    return;
  }
  ASSERT_THAT(notes, testing::SizeIs(1));
  EXPECT_EQ(notes[0].rule, c.rule);
  EXPECT_EQ(notes[0].severity, c.severity);
  EXPECT_EQ(notes[0].file_offset, c.offset);
}

INSTANTIATE_TEST_SUITE_P(Table, LegalHead, testing::Combine(testing::ValuesIn(NoteCases()), testing::ValuesIn(kSourceKinds)),
                         [](const auto& row) { return std::get<0>(row.param).name + "_" + NameOf(std::get<1>(row.param)); });

TEST(HeaderTest, SaysWhatTheHeadSays) {
  const std::string bytes = Pte();
  ASSERT_OK_AND_ASSIGN(const ContainerHeader header, ReadContainerHeader(*MakeSource(SourceKind::kMemory, bytes)));
  EXPECT_EQ(header.kind, ContainerKind::kPte);
  EXPECT_TRUE(header.has_extended_header);
  EXPECT_EQ(header.header_length, 32U);
  EXPECT_EQ(header.root_offset, Peek32(bytes, 0));
  EXPECT_EQ(header.program_size, Peek64(bytes, 16));
  EXPECT_EQ(header.segment_base_offset, Peek64(bytes, 24));
  EXPECT_EQ(header.segment_data_size, Peek64(bytes, 32));
  EXPECT_EQ(header.file_size, bytes.size());
}

TEST(HeaderTest, ShortHeaderLeavesDataSizeUnknown) {
  // What follows a header of 24 bytes belongs to the flatbuffer, whatever it is.
  for (const uint32_t length : {24U, 25U, 31U}) {
    std::string bytes = Build(BaseA(), 24);
    Poke32(bytes, 12, length);
    Poke64(bytes, 32, UINT64_MAX);
    ASSERT_OK_AND_ASSIGN(const ContainerHeader header, ReadContainerHeader(*MakeSource(SourceKind::kMemory, bytes)));
    EXPECT_EQ(header.segment_data_size, std::nullopt);
  }
}

TEST(HeaderTest, AHeadlessProgramReachesToTheEndOfTheFile) {
  const std::string bytes = Headerless();
  ASSERT_OK_AND_ASSIGN(const ContainerHeader header, ReadContainerHeader(*MakeSource(SourceKind::kMemory, bytes)));
  EXPECT_FALSE(header.has_extended_header);
  EXPECT_EQ(header.header_length, 0U);
  EXPECT_EQ(header.program_size, bytes.size());
  EXPECT_EQ(header.segment_base_offset, 0U);
  EXPECT_EQ(header.segment_data_size, std::nullopt);
}

TEST(HeaderTest, MessageSaysWhatWhereWantedFound) {
  EXPECT_THAT(ReadContainerHeader(*MakeSource(SourceKind::kMemory, With32(Pte(), 12, 23))).status().message(),
              testing::StrEq(
                  "memory: offset 0xc: H4: header.length: shorter than any extended header; wanted at least 24 (0x18), found 23 (0x17)"));
  EXPECT_THAT(
      ReadContainerHeader(*MakeSource(SourceKind::kMemory, WithText(Pte(), 4, std::string_view("\xff\x00\x1b[", 4)))).status().message(),
      testing::StrEq("memory: offset 0x4: H2: identifier: not an ExecuTorch file; wanted ET12, FT01 or BP08, found ff 00 1b 5b"));
  EXPECT_THAT(ReadContainerHeader(*MakeSource(SourceKind::kMemory, "PK\x03\x04 and more of it")).status().message(),
              testing::HasSubstr("this is a zip archive"));
}

// A size that no memory holds: the head alone is asked for.
class HugeSource final : public ByteSource {
 public:
  HugeSource(std::string head, uint64_t size) : head_(std::move(head)), size_(size) {}
  uint64_t size() const override { return size_; }
  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset + out.size() > head_.size()) return absl::InternalError("read beyond the head");
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(head_[offset + i]);
    return absl::OkStatus();
  }

 private:
  std::string head_;
  uint64_t size_;
};

TEST(HeaderTest, AFlatbufferThatCannotBeAddressedIsALimit) {
  constexpr uint64_t kFile = uint64_t{1} << 40;
  constexpr uint64_t kLimit = 0x7fffffff;
  std::string head = Pte().substr(0, 48);
  Poke64(head, 24, kFile);
  Poke64(head, 32, 0);
  Poke64(head, 16, kLimit);
  EXPECT_THAT(ReadContainerHeader(HugeSource(head, kFile)), IsFault(StatusCode::kResourceExhausted, "H10", 16));
  Poke64(head, 16, kLimit - 1);
  EXPECT_THAT(ReadContainerHeader(HugeSource(head, kFile)), IsOk());
  // Without a header the whole file would have to be the flatbuffer.
  EXPECT_THAT(ReadContainerHeader(HugeSource(WithText(head, 8, "eh01"), kFile)), IsFault(StatusCode::kResourceExhausted, "H10", kNowhere));
  EXPECT_THAT(ReadContainerHeader(HugeSource(Pack(BaseQ()).substr(0, 48), kLimit)),
              IsFault(StatusCode::kResourceExhausted, "H10", kNowhere));
  std::string ptd = Ptd().substr(0, 48);
  Poke64(ptd, 24, kLimit - 48);
  Poke64(ptd, 32, kLimit);
  Poke64(ptd, 40, 0);
  EXPECT_THAT(ReadContainerHeader(HugeSource(ptd, kFile)), IsFault(StatusCode::kResourceExhausted, "H10", 24));
}

}  // namespace
}  // namespace pte::test
