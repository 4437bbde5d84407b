// Opening, looking up, listing and dumping read the head and the flatbuffer, and not one byte of a payload.
#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/bpte_file.h"
#include "pte/dump.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "pte/verify.h"
#include "tests/support/build_file.h"
#include "tests/support/counting_source.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<CountingSource> Counting(const std::string& bytes) {
  return std::make_shared<CountingSource>(MakeSource(SourceKind::kMemory, bytes));
}

template <class File>
void DumpIt(const File& file) {
  std::string json;
  StringSink sink(json);
  EXPECT_THAT(DumpJson(file, sink), IsOk());
  EXPECT_FALSE(json.empty());
}

TEST(BytesReadTest, TheHeadIsOneReadWhateverTheSize) {
  for (const std::string& bytes : {Build(BaseA()), Build(BaseP()), Pack(BaseQ()), Pack(MinimalProgram())}) {
    const auto source = Counting(bytes);
    EXPECT_THAT(ReadContainerHeader(*source), IsOk());
    EXPECT_THAT(source->ranges(), ElementsAre(ReadRange{0, 48}));
  }
  const auto tiny = Counting("ET12");
  EXPECT_THAT(ReadContainerHeader(*tiny), HasCode(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(tiny->ranges(), ElementsAre(ReadRange{0, 4}));
}

TEST(BytesReadTest, AProgramIsItsHeadAndItsFlatbuffer) {
  for (const std::string& bytes : {Build(BaseA()), Build(BaseB()), Build(BaseC())}) {
    const auto source = Counting(bytes);
    ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(source));
    EXPECT_THAT(source->ranges(), ElementsAre(ReadRange{0, 48}, ReadRange{48, Peek64(bytes, 16) - 48}));
    source->Forget();
    for (const NamedEntry& entry : file.named_data()) EXPECT_THAT(file.FindNamedData(entry.key), IsOk());
    EXPECT_THAT(file.Constant(1), IsOk());
    EXPECT_THAT(file.DelegatePayload(0, 0), IsOk());
    DumpIt(file);
    EXPECT_THAT(source->ranges(), IsEmpty());
  }
}

TEST(BytesReadTest, AHeadlessProgramIsTheWholeFile) {
  const std::string bytes = Pack(MinimalProgram());
  const auto source = Counting(bytes);
  EXPECT_THAT(PteFile::Open(source), IsOk());
  EXPECT_THAT(source->ranges(), ElementsAre(ReadRange{0, 48}, ReadRange{48, bytes.size() - 48}));
}

TEST(BytesReadTest, TensorDataIsItsHeadAndItsFlatbuffer) {
  const std::string bytes = Build(BaseP());
  const auto source = Counting(bytes);
  ASSERT_OK_AND_ASSIGN(const PtdFile file, PtdFile::Open(source));
  EXPECT_THAT(source->ranges(), ElementsAre(ReadRange{0, 48}, ReadRange{48, Peek64(bytes, 24)}));
  source->Forget();
  for (const PtdEntry& entry : file.entries()) EXPECT_THAT(file.Find(entry.key), IsOk());
  DumpIt(file);
  EXPECT_THAT(source->ranges(), IsEmpty());
}

TEST(BytesReadTest, ABundleIsEverythingButItsProgram) {
  const std::string bytes = Pack(BaseQ());
  const auto& bundle = *flatbuffers::GetRoot<fb::BundledProgram>(bytes.data());
  const auto begin = static_cast<uint64_t>(reinterpret_cast<const char*>(bundle.program()->Data()) - bytes.data());
  const uint64_t end = begin + bundle.program()->size();
  const auto root = uint64_t{Peek32(bytes, 0)};
  const auto vtable =
      static_cast<uint64_t>(reinterpret_cast<const char*>(reinterpret_cast<const flatbuffers::Table&>(bundle).GetVTable()) - bytes.data());
  const auto field = static_cast<uint64_t>(
      reinterpret_cast<const char*>(reinterpret_cast<const flatbuffers::Table&>(bundle).GetAddressOf(fb::BundledProgram::VT_PROGRAM)) -
      bytes.data());

  const auto source = Counting(bytes);
  ASSERT_OK_AND_ASSIGN(const BpteFile file, BpteFile::Open(source));
  EXPECT_THAT(source->ranges(), ElementsAre(ReadRange{0, 48}, ReadRange{root, 4}, ReadRange{vtable, 10}, ReadRange{field, 4},
                                            ReadRange{begin - 4, 4}, ReadRange{48, begin - 48}, ReadRange{end, bytes.size() - end}));
  source->Forget();
  for (const TestSuite& suite : file.suites()) EXPECT_EQ(suite.method_name, "forward");
  EXPECT_EQ(file.ProgramPayload().size(), end - begin);
  EXPECT_THAT(source->ranges(), IsEmpty());

  // The program, when it is asked for: its own head and flatbuffer, in place.
  ASSERT_OK_AND_ASSIGN(const PteFile program, file.program());
  EXPECT_THAT(source->ranges(), ElementsAre(ReadRange{begin, 48}, ReadRange{begin + 48, program.header().program_size - 48}));
}

TEST(BytesReadTest, VerifyReadsNoPayload) {
  const std::string bytes = Build(BaseC());
  ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(Counting(bytes)));
  const auto source = Counting(bytes);
  EXPECT_THAT(Verify(*source), IsOk());
  EXPECT_THAT(source->ranges(), testing::SizeIs(testing::Gt(2)));  // the padding is read
  for (const ReadRange& range : source->ranges()) {
    for (const Segment& segment : file.segments()) {
      EXPECT_TRUE(range.offset + range.length <= segment.file_offset || range.offset >= segment.file_offset + segment.size);
    }
  }
}

TEST(BytesReadTest, APayloadIsReadExactlyWhereItIsAskedFor) {
  const std::string bytes = Build(BaseC());
  const auto source = Counting(bytes);
  ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(source));
  source->Forget();
  ASSERT_OK_AND_ASSIGN(const Payload payload, file.FindNamedData("beta"));
  std::vector<std::byte> part(16);
  EXPECT_THAT(payload.ReadAt(4, part), IsOk());
  EXPECT_THAT(source->ranges(), ElementsAre(ReadRange{payload.file_offset() + 4, 16}));
  EXPECT_EQ(0, std::memcmp(part.data(), bytes.data() + payload.file_offset() + 4, part.size()));
}

TEST(BytesReadTest, HashesReadEachPayloadOnlyWhenAskedFor) {
  const std::string bytes = Build(BaseA());
  const auto source = Counting(bytes);
  ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(source));
  source->Forget();
  std::string json;
  StringSink sink(json);
  EXPECT_THAT(DumpJson(file, sink, {.payload_hash = true}), IsOk());
  const uint64_t base = Peek64(bytes, 24);
  EXPECT_THAT(source->ranges(), testing::IsSupersetOf({ReadRange{base, 32}, ReadRange{base + 128, 99}}));
}

}  // namespace
}  // namespace pte::test
