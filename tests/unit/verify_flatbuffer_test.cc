// The verifier's budget, and how a limit is told from damage.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/dump.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "src/flatbuffer/verify.h"
#include "tests/support/build_file.h"
#include "tests/support/flat_image.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

std::span<const std::byte> AsBytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// A program in which `count` values are one and the same table: a few bytes each, two visits each.
std::string Aliased(uint32_t count) {
  flatbuffers::FlatBufferBuilder builder;
  const auto value = fb::CreateEValue(builder, fb::KernelTypes::Null, fb::CreateNull(builder).Union());
  const auto values = builder.CreateVector(std::vector<flatbuffers::Offset<fb::EValue>>(count, value));
  fb::ExecutionPlanBuilder plan(builder);
  plan.add_values(values);
  const auto plans = builder.CreateVector(std::vector<flatbuffers::Offset<fb::ExecutionPlan>>{plan.Finish()});
  builder.Finish(fb::CreateProgram(builder, 0, plans), fb::ProgramIdentifier());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

TEST(VerifyFlatbufferTest, TheBudgetGrowsWithTheBuffer) {
  EXPECT_EQ(Limits{}.MaxTables(100), 1'000'000U);
  EXPECT_EQ(Limits{}.MaxTables(80'000'000), 10'000'000U);
  EXPECT_EQ(Limits{.max_tables = 5}.MaxTables(80'000'000), 5U);
}

TEST(VerifyFlatbufferTest, ALimitIsNotDamage) {
  // 2 + 2 tables a value: the last that fits and the first that does not.
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, Aliased(499'999))), IsOk());
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, Aliased(500'001))),
              IsFault(StatusCode::kResourceExhausted, "F3", std::nullopt));
}

// A bundle is mostly the program inside, which is no metadata of its own.
TEST(VerifyFlatbufferTest, WhatIsNotReadBuysNoVisits) {
  constexpr uint64_t kUnread = uint64_t{16} << 20;
  const std::string bytes = Aliased(500'001) + std::string(kUnread, '\0');
  const RootSchema schema = SchemaOf<fb::Program>("F1", "F3");
  EXPECT_THAT(VerifyFlatbuffer(AsBytes(bytes), schema, {}), IsOk());
  EXPECT_THAT(VerifyFlatbuffer(AsBytes(bytes), schema, {}, kUnread), IsFault(StatusCode::kResourceExhausted, "F3", std::nullopt));
}

// Each key begins four bytes behind the one before, with those bytes as its length, and is a good part of the file.
TEST(VerifyFlatbufferTest, KeysInsideEachOtherAreNotHashedWithoutEnd) {
  constexpr uint32_t kKeys = 4000;
  constexpr uint32_t kRegion = uint32_t{2} << 20;
  fb::ProgramT program = ProgramWithKeys(kKeys, 0);
  program.named_data[0]->key = std::string(kRegion, 'k');
  FlatImage image(Pack(program), *fb::Program::MiniReflectTypeTable());
  const size_t region = image.At("named_data[0].key");
  // Lengths whose lowest byte is the NUL behind some other key.
  for (uint32_t i = 0; i < kRegion / 4; ++i) Poke32(image.bytes, region + size_t{4} * i, 0x10000 + 0x100 * (i % kKeys));
  for (uint32_t i = 0; i < kKeys; ++i) {
    const std::string path = "named_data[" + std::to_string(i) + "].key";
    image.Set(path, static_cast<uint32_t>(region + size_t{4} * i - image.StoredAt(path)));
  }
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, image.bytes)), IsFault(StatusCode::kResourceExhausted, "F4", std::nullopt));
}

TEST(VerifyFlatbufferTest, DamageBehindALongWalkIsStillDamage) {
  std::string bytes = Aliased(1000);
  const auto& value = *flatbuffers::GetRoot<fb::Program>(bytes.data())->execution_plan()->Get(0)->values()->Get(999);
  const auto at = static_cast<size_t>(reinterpret_cast<const char*>(&value) - bytes.data());
  Poke32(bytes, at, 0x7fffffff);
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, bytes)), IsFault(StatusCode::kDataLoss, "F1", at));
}

TEST(VerifyFlatbufferTest, NoDamageIsFoundInASoundBuffer) {
  const std::string bytes = Pack(BaseA().program);
  EXPECT_FALSE(FindDamage(AsBytes(bytes), *fb::Program::MiniReflectTypeTable(), {}).has_value());
}

// Both passes judge alike: wherever a byte is wrong, the second finds damage exactly where the first refuses.
TEST(VerifyFlatbufferTest, TheSecondPassFindsWhatTheFirstRefuses) {
  std::string bytes = Pack(BaseC().program);
  const RootSchema schema = SchemaOf<fb::Program>("F1", "F3");
  for (char& c : bytes) {
    const char good = c;
    for (const char bad : {'\0', '\xff', static_cast<char>(good ^ 4)}) {
      c = bad;
      flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      EXPECT_EQ(!schema.verify(verifier), FindDamage(AsBytes(bytes), *schema.type, {}).has_value());
    }
    c = good;
  }
}

TEST(VerifyFlatbufferTest, FourHundredThousandEntriesAreNoWall) {
  BaseDirectory base = BaseP();
  const std::string long_part(60, 'k');
  for (uint32_t i = 0; i < 400'000; ++i) {
    auto row = std::make_unique<fb::flat_tensor::NamedDataT>();
    row->key = long_part + std::to_string(i);
    row->tensor_layout = std::make_unique<fb::flat_tensor::TensorLayoutT>(*base.directory.named_data[0]->tensor_layout);
    base.directory.named_data.push_back(std::move(row));
  }
  const std::string bytes = Build(base);
  EXPECT_GT(bytes.size(), size_t{40} << 20);
  ASSERT_OK_AND_ASSIGN(const PtdFile file, PtdFile::Open(MakeSource(SourceKind::kMemory, bytes)));
  EXPECT_EQ(file.entries().size(), 400'003U);
  EXPECT_THAT(file.Find(long_part + "399999"), IsOk());
}

// Many ranges of one large payload, each another one: hashing them all would read the file thousands of times.
TEST(DumpTest, WhatOverlappingPayloadsWouldCostToHashIsBounded) {
  constexpr uint64_t kData = 1 << 16;
  fb::ProgramT program = MinimalProgram();
  for (uint64_t i = 0; i < 1000; ++i) program.segments.push_back(SegmentRow(0, kData - i));
  ASSERT_OK_AND_ASSIGN(const PteFile file,
                       PteFile::Open(MakeSource(SourceKind::kMemory, WithPteHeader(Pack(program), kData) + std::string(kData, 'x'))));
  std::string json;
  StringSink sink(json);
  EXPECT_THAT(DumpJson(file, sink), IsOk());
  EXPECT_THAT(DumpJson(file, sink, {.payload_hash = true}), HasCodeAndMessage(StatusCode::kResourceExhausted, "memory: "));
}

TEST(DumpTest, WhatAliasingWouldGrowToIsBounded) {
  ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(MakeSource(SourceKind::kMemory, Aliased(499'000))));
  std::string json;
  StringSink sink(json);
  EXPECT_THAT(DumpJson(file, sink, {.limits = {.max_unpacked_bytes = 100'000}}),
              IsFault(StatusCode::kResourceExhausted, "F4", std::nullopt));
}

}  // namespace
}  // namespace pte::test
