// Checked sums, frames, little-endian loads, faults.
#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/cord.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/checked.h"
#include "src/base/fault.h"
#include "src/base/little_endian.h"
#include "src/format/frames.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

static_assert(CheckedAdd(1, 2) == 3);
static_assert(CheckedAdd(UINT64_MAX, 0) == UINT64_MAX);
static_assert(!CheckedAdd(UINT64_MAX, 1).has_value());
static_assert(RangeInside(0, 0, 0));
static_assert(RangeInside(3, 1, 4));
static_assert(!RangeInside(4, 1, 4));
static_assert(!RangeInside(UINT64_MAX, 2, 4));
static_assert(!RangeInside(2, UINT64_MAX, 4));

// Offsets of different frames meet in Resolve alone.
static_assert(Resolve(FileOffset(8), SegmentOffset(4)) == FileOffset(12));
static_assert(!Resolve(FileOffset(UINT64_MAX), SegmentOffset(1)).has_value());
template <class A, class B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Compares = requires(A a, B b) {
  a == b;
};
template <class A, class B>
concept Converts = requires(A a) {
  B(a);
};
static_assert(!Adds<FileOffset, SegmentOffset> && !Adds<FileOffset, FileOffset> && !Adds<FileOffset, uint64_t>);
static_assert(!Compares<FileOffset, SegmentOffset> && !Compares<FileOffset, uint64_t>);
static_assert(!Converts<SegmentOffset, FileOffset> && !Converts<ByteCount, SegmentOffset>);

TEST(LittleEndianTest, LoadsEachByteToItsPlace) {
  const std::array<std::byte, 8> bytes = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                          std::byte{5}, std::byte{6}, std::byte{7}, std::byte{0x88}};
  EXPECT_EQ(LoadU16(bytes.data()), 0x0201);
  EXPECT_EQ(LoadU32(bytes.data()), 0x04030201U);
  EXPECT_EQ(LoadU64(bytes.data()), 0x8807060504030201U);
}

TEST(FaultTest, SurvivesTheStatus) {
  const Fault fault{"H15", 32, "header.segment_data_size", "what: is wrong", "5:6", std::string("a\0b", 3)};
  const absl::Status status = WithName(AtFileOffset(FaultStatus(absl::StatusCode::kOutOfRange, fault), 64), "bundle.bpte");
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  const std::optional<Fault> read = FaultOf(status);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->rule, fault.rule);
  EXPECT_EQ(read->file_offset, 96U);
  EXPECT_EQ(read->path, fault.path);
  EXPECT_EQ(read->what, fault.what);
  EXPECT_EQ(read->expected, fault.expected);
  EXPECT_EQ(read->actual, fault.actual);
}

TEST(FaultTest, TheMessageLeavesOutWhatIsNotKnown) {
  EXPECT_EQ(FaultStatus(absl::StatusCode::kDataLoss, {"", std::nullopt, "", "it broke", "", ""}).message(), "it broke");
  EXPECT_EQ(FaultStatus(absl::StatusCode::kDataLoss, {"F1", 16, "a.b", "it broke", "", "7"}).message(),
            "offset 0x10: F1: a.b: it broke; found 7");
  EXPECT_EQ(FaultStatus(absl::StatusCode::kDataLoss, {"F1", std::nullopt, "", "it broke", "6", "7"}).message(),
            "F1: it broke; wanted 6, found 7");
}

TEST(FaultTest, OtherStatusesHaveNone) {
  EXPECT_FALSE(FaultOf(absl::OkStatus()).has_value());
  EXPECT_FALSE(FaultOf(absl::NotFoundError("x")).has_value());
  absl::Status odd = FaultStatus(absl::StatusCode::kDataLoss, {"F1", 16, "", "", "", ""});
  odd.ForEachPayload([&](absl::string_view url, const absl::Cord&) {
    for (const char* text : {"", "9", "9:F1", "x:", "2:F1", "99999999999999999999:F1"}) {
      absl::Status damaged = odd;
      damaged.SetPayload(url, absl::Cord(text));
      EXPECT_FALSE(FaultOf(damaged).has_value()) << text;
    }
  });
}

TEST(ShowBytesTest, NeverHoldsAControlCharacter) {
  EXPECT_EQ(ShowBytes("ET11"), "45 54 31 31 \"ET11\"");
  EXPECT_EQ(ShowBytes(std::string_view("\xff\0\x1b[", 4)), "ff 00 1b 5b");
}

}  // namespace
}  // namespace pte::test
