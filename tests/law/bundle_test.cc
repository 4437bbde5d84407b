// Bundled programs: the program inside is found without reading it, and judged in its place.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/bpte_file.h"
#include "tests/support/build_file.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

TEST(BundleTest, WithoutProgramIsRefused) {
  Editor editor(Pack(BaseQ()));
  editor.Drop(&editor.root<fb::BundledProgram>(), fb::BundledProgram::VT_PROGRAM);
  const uint64_t root = editor.At(&editor.root<fb::BundledProgram>());
  EXPECT_THAT(BpteFile::Open(MakeSource(SourceKind::kMemory, editor.file())), IsFault(StatusCode::kDataLoss, "B3", root));
}

TEST(BundleTest, WithEmptyProgramIsRefused) {
  fb::bundled::BundledProgramT bundle = BaseQ();
  bundle.program.clear();
  Editor editor(Pack(bundle));
  const uint64_t vector = editor.At(editor.root<fb::BundledProgram>().program());
  EXPECT_THAT(BpteFile::Open(MakeSource(SourceKind::kMemory, editor.file())), IsFault(StatusCode::kDataLoss, "B3", vector));
}

// Flatbuffers are written back to front: what is written first stands last.
std::string BundleWithTheProgramLast() {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<uint8_t> bytes(128, 0);
  const auto program = builder.CreateVector(bytes);
  const std::vector<flatbuffers::Offset<fb::BundledMethodTestSuite>> suites = {
      fb::bundled::CreateBundledMethodTestSuite(builder, builder.CreateString("forward"))};
  const auto list = builder.CreateVector(suites);
  builder.Finish(fb::bundled::CreateBundledProgram(builder, 2, list, program), fb::bundled::BundledProgramIdentifier());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

TEST(BundleTest, ObjectsInsideTheProgramAreRefused) {
  // The suite's name moved into the program, which opening does not read: it would show as zeros.
  Editor editor(BundleWithTheProgramLast());
  const auto& bundle = editor.root<fb::BundledProgram>();
  const size_t field = editor.At(bundle.method_test_suites()->Get(0), fb::bundled::BundledMethodTestSuite::VT_METHOD_NAME);
  const size_t inside = editor.At(bundle.program()->Data()) + 64;
  ASSERT_GT(inside, field);
  Poke32(editor.file(), field, static_cast<uint32_t>(inside - field));
  EXPECT_THAT(BpteFile::Open(MakeSource(SourceKind::kMemory, editor.file())), IsFault(StatusCode::kDataLoss, "B2", inside));
}

TEST(BundleTest, FaultsOfTheProgramAreReportedAtTheirPlaceInTheBundle) {
  Editor editor(Pack(BaseQ()));
  const size_t program = editor.At(editor.root<fb::BundledProgram>().program()->Data());
  Poke32(editor.file(), program + 12, 23);
  ASSERT_OK_AND_ASSIGN(const BpteFile bundle, BpteFile::Open(MakeSource(SourceKind::kMemory, editor.file())));
  EXPECT_THAT(bundle.program(), IsFault(StatusCode::kDataLoss, "H4", program + 12));
}

TEST(BundleTest, ABundleInsideABundleIsRefused) {
  fb::bundled::BundledProgramT outer = BaseQ();
  const std::string inner = Pack(BaseQ());
  outer.program.assign(inner.begin(), inner.end());
  ASSERT_OK_AND_ASSIGN(const BpteFile bundle, BpteFile::Open(MakeSource(SourceKind::kMemory, Pack(outer))));
  EXPECT_THAT(bundle.program(), IsFault(StatusCode::kDataLoss, "B3", bundle.ProgramPayload().file_offset() + 4));
}

TEST(BundleTest, CutInsideItsProgramItIsShorterThanItPromises) {
  const std::string bytes = BundleWithTheProgramLast();
  EXPECT_THAT(BpteFile::Open(MakeSource(SourceKind::kMemory, bytes.substr(0, bytes.size() - 8))), HasCode(StatusCode::kOutOfRange));
}

TEST(BundleTest, TheProgramOpensByTheOptionsOfItsBundle) {
  BaseProgram newer = BaseA();
  newer.program.version = 1;
  const std::string program = Build(newer);
  fb::bundled::BundledProgramT bundle = BaseQ();
  bundle.program.assign(program.begin(), program.end());
  const auto source = MakeSource(SourceKind::kMemory, Pack(bundle));
  ASSERT_OK_AND_ASSIGN(const BpteFile strict, BpteFile::Open(source));
  EXPECT_THAT(strict.program(), HasCode(StatusCode::kUnimplemented));
  EXPECT_THAT(strict.program(OpenOptions{.allow_newer = true}), IsOk());
  ASSERT_OK_AND_ASSIGN(const BpteFile lenient, BpteFile::Open(source, {.allow_newer = true}));
  EXPECT_THAT(lenient.program(), IsOk());
}

TEST(BundleTest, BytesThatWereNotReadShowAsZerosInTheHeadToo) {
  // A root table at 8, its vtable at 20, and the program from byte 36 on.
  std::string bytes(36, '\0');
  Poke32(bytes, 0, 8);
  bytes.replace(4, 4, "BP08");
  Poke32(bytes, 8, static_cast<uint32_t>(8 - 20));
  Poke32(bytes, 12, 2);
  Poke32(bytes, 16, 32 - 16);
  bytes[20] = 10;
  bytes[22] = 12;
  bytes[24] = 4;
  bytes[28] = 8;
  Poke32(bytes, 32, 64);
  bytes += std::string(64, 'x');
  ASSERT_OK_AND_ASSIGN(const BpteFile file, BpteFile::Open(MakeSource(SourceKind::kMemory, bytes)));
  EXPECT_EQ(file.ProgramPayload().file_offset(), 36U);
  EXPECT_EQ(file.flatbuffer().string_view().substr(36), std::string(64, '\0'));
}

TEST(BundleTest, OtherVersionIsNoted) {
  fb::bundled::BundledProgramT bundle = BaseQ();
  bundle.version = 3;
  ASSERT_OK_AND_ASSIGN(const BpteFile file, BpteFile::Open(MakeSource(SourceKind::kMemory, Pack(bundle))));
  ASSERT_THAT(file.notes(), testing::SizeIs(1));
  EXPECT_EQ(file.notes()[0].rule, "B10");
}

}  // namespace
}  // namespace pte::test
