// Bytes, ropes and sources over them.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/byte_sink.h"
#include "pte/bytes.h"
#include "pte/payload.h"
#include "pte/rope.h"
#include "src/io/digest.h"
#include "src/io/memory.h"
#include "tests/support/counting_source.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

std::string Copied(const Rope& rope) {
  std::string out;
  StringSink sink(out);
  EXPECT_THAT(rope.CopyTo(sink), IsOk());
  return out;
}

TEST(BytesTest, ASliceKeepsItsOwnerAlive) {
  int released = 0;
  const std::string text = "0123456789";
  {
    absl::StatusOr<Bytes> slice;
    {
      const Bytes all = Bytes::WithReleaser(std::as_bytes(std::span(text)), [&] { ++released; });
      slice = all.Slice(2, 3);
    }
    EXPECT_EQ(slice->string_view(), "234");
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(BytesTest, ASpanOfALargerBufferIsItsOwnBytesAlone) {
  const std::string large = "abcdefgh";
  const Bytes four = Bytes::Borrow(std::string_view(large).substr(0, 4));
  EXPECT_EQ(four.size(), 4U);
  EXPECT_EQ(Copied(four), "abcd");
}

TEST(BytesTest, TakenBytesAreNotCopied) {
  std::vector<std::byte> bytes(100);
  const std::byte* data = bytes.data();
  EXPECT_EQ(Bytes::FromVector(std::move(bytes)).data(), data);
  std::string text(100, 'x');
  const void* characters = text.data();
  EXPECT_EQ(static_cast<const void*>(Bytes::FromString(std::move(text)).data()), characters);
}

TEST(BytesTest, SlicesBeyondTheEndAreRefused) {
  const Bytes bytes = Bytes::FromString("1234");
  EXPECT_THAT(bytes.Slice(4, 0), IsOk());
  EXPECT_THAT(bytes.Slice(3, 2), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(bytes.Slice(UINT64_MAX, 2), HasCode(StatusCode::kOutOfRange));
}

TEST(RopeTest, HandsOverItsPiecesInOrder) {
  Rope rope(Bytes::FromString("head"));
  EXPECT_THAT(rope.AppendZeros(3), IsOk());
  EXPECT_THAT(rope.Append(MakeSource(SourceKind::kFile, "0123456789"), 4, 4), IsOk());
  rope.Append(Bytes::FromString("tail"));
  EXPECT_EQ(rope.size(), 15U);
  EXPECT_EQ(Copied(rope), std::string("head\0\0\0"
                                      "4567"
                                      "tail",
                                      15));
}

TEST(RopeTest, NothingIsReadBeforeItIsCopied) {
  const auto source = std::make_shared<CountingSource>(MakeSource(SourceKind::kMemory, std::string(5 << 20, 'x')));
  Rope rope;
  EXPECT_THAT(rope.Append(source, 1, (5 << 20) - 1), IsOk());
  EXPECT_THAT(source->ranges(), testing::IsEmpty());
  EXPECT_EQ(Copied(rope).size(), static_cast<size_t>((5 << 20) - 1));
  for (const ReadRange& range : source->ranges()) EXPECT_LE(range.length, uint64_t{1} << 20);
}

TEST(RopeTest, RefusesARangeBeyondItsSource) {
  Rope rope;
  EXPECT_THAT(rope.Append(MakeSource(SourceKind::kMemory, "abc"), 2, 2), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(rope.Append(MakeSource(SourceKind::kMemory, "abc"), UINT64_MAX, 2), HasCode(StatusCode::kOutOfRange));
  EXPECT_TRUE(rope.empty());
}

TEST(RopeTest, ALengthThatWrapsIsRefused) {
  Rope rope;
  EXPECT_THAT(rope.AppendZeros(UINT64_MAX), IsOk());
  EXPECT_THAT(rope.AppendZeros(1), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(rope.Append(MakeSource(SourceKind::kMemory, "abc"), 0, 1), HasCode(StatusCode::kOutOfRange));
  EXPECT_EQ(rope.size(), UINT64_MAX);
}

TEST(RopeTest, ASinkThatFailsIsNotCalledAgain) {
  class FailingSink final : public ByteSink {
   public:
    absl::Status Append(std::span<const std::byte>) override {
      ++calls;
      return absl::DataLossError("full");
    }
    int calls = 0;
  } sink;
  Rope rope(Bytes::FromString("one"));
  rope.Append(Bytes::FromString("two"));
  EXPECT_THAT(rope.CopyTo(sink), HasCodeAndMessage(StatusCode::kDataLoss, "full"));
  EXPECT_EQ(sink.calls, 1);
}

class AnySource : public testing::TestWithParam<SourceKind> {};

TEST_P(AnySource, ReadsRangesAndRefusesMore) {
  const std::string bytes = "The bytes are the same from everywhere.";
  const auto source = MakeSource(GetParam(), bytes);
  EXPECT_EQ(source->size(), bytes.size());
  std::vector<std::byte> out(9);
  EXPECT_THAT(source->ReadAt(4, out), IsOk());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(out.data()), out.size()), "bytes are");
  EXPECT_THAT(source->ReadAt(bytes.size() - 8, out), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(source->ReadAt(UINT64_MAX, out), HasCode(StatusCode::kOutOfRange));
}

TEST_P(AnySource, LoadsWithAndWithoutMapping) {
  const std::string bytes(10000, 'q');
  const Payload payload(MakeSource(GetParam(), bytes), 100, 5000, 100);
  for (const bool map : {true, false}) {
    ASSERT_OK_AND_ASSIGN(const Bytes loaded, payload.Load({.map = map}));
    EXPECT_EQ(loaded.string_view(), bytes.substr(100, 5000));
  }
  EXPECT_THAT(payload.Load({.max_bytes = 4999}), HasCode(StatusCode::kResourceExhausted));
  std::vector<std::byte> out(2);
  EXPECT_THAT(payload.ReadAt(4999, out), HasCode(StatusCode::kOutOfRange));
  EXPECT_EQ(Copied(payload.AsRope()), bytes.substr(100, 5000));
}

TEST_P(AnySource, HasRanges) {
  ASSERT_OK_AND_ASSIGN(const auto range, RangeSource(MakeSource(GetParam(), "0123456789"), 3, 5));
  std::vector<std::byte> out(2);
  EXPECT_THAT(range->ReadAt(3, out), IsOk());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(out.data()), 2), "67");
  EXPECT_THAT(range->ReadAt(4, out), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(RangeSource(MakeSource(GetParam(), "0123456789"), 3, 8), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(RangeSource(nullptr, 0, 0), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(Rope().Append(nullptr, 0, 0), HasCode(StatusCode::kInvalidArgument));
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnySource, testing::ValuesIn(kSourceKinds), [](const auto& row) { return NameOf(row.param); });

TEST(MemoryTest, IsAlignedAndZeroedAtEverySize) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{100}, uint64_t{8} << 20, (uint64_t{9} << 20) + 1}) {
    ASSERT_OK_AND_ASSIGN(const Memory memory, AllocateZeroed(size));
    EXPECT_EQ(memory.span.size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.span.data()) % 4096, 0U);
    EXPECT_EQ(std::count(memory.span.begin(), memory.span.end(), std::byte{0}), static_cast<int64_t>(size));
    memory.span.back() = std::byte{1};
  }
}

TEST(MemoryTest, TooMuchIsAStatus) {
  constexpr uint64_t kTooMuch = uint64_t{1} << 62;
  EXPECT_THAT(AllocateMemory(kTooMuch).status(), HasCode(StatusCode::kResourceExhausted));
  EXPECT_THAT(ReserveZeroed(kTooMuch).status(), HasCode(StatusCode::kResourceExhausted));
  EXPECT_THAT(FixedList<uint64_t>::WithCapacity(SIZE_MAX / 2).status(), HasCode(StatusCode::kResourceExhausted));
  EXPECT_THAT(WithoutThrowing([]() -> absl::Status { throw std::bad_alloc(); }), HasCode(StatusCode::kResourceExhausted));
}

// The digests of "" and "abc" as their standards give them.
TEST(DigestTest, MatchesTheStandards) {
  DigestSink empty;
  ASSERT_OK_AND_ASSIGN(const Digests none, empty.Finish());
  EXPECT_EQ(none.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(none.xxh3_64, "2d06800538d394c2");
  DigestSink abc;
  EXPECT_THAT(abc.Append(Bytes::FromString("a").span()), IsOk());
  EXPECT_THAT(abc.Append(Bytes::FromString("bc").span()), IsOk());
  ASSERT_OK_AND_ASSIGN(const Digests digests, abc.Finish());
  EXPECT_EQ(digests.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace pte::test
