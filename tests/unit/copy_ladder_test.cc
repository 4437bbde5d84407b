// Ranges of files come into the output by cloning, by copying in the kernel or through a buffer; whatever of it is refused, the bytes are
// the same and holes stay holes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/files.h"
#include "tests/support/status.h"
#include "tests/unit/saving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

using absl::StatusCode;

constexpr int kRefusals[] = {EXDEV, EOPNOTSUPP, ENOSYS, EPERM, EINVAL, ENOTTY};
constexpr std::string_view kCalls[] = {"FICLONERANGE", "copy_file_range", "lseek", "fallocate"};
constexpr size_t kCallSets = size_t{1} << std::size(kCalls);

// The calls of a set given as bits.
std::vector<std::string_view> CallsOf(size_t set) {
  std::vector<std::string_view> calls;
  for (size_t i = 0; i < std::size(kCalls); ++i) {
    if ((set >> i & 1) != 0) calls.push_back(kCalls[i]);
  }
  return calls;
}

class CopyLadderTest : public testing::Test {
 protected:
  absl::StatusOr<SaveReport> Save(const Rope& rope, std::function<std::optional<Instead>(Syscall&)> hook) {
    const ScopedHooks hooks({.any = std::move(hook)});
    return SaveBytes(rope, target_);
  }

  static std::optional<Instead> Refuse(const Syscall& call, const std::vector<std::string_view>& calls, int error) {
    const bool refused = std::find(calls.begin(), calls.end(), call.name) != calls.end();
    return refused ? std::optional(Instead{-1, error}) : std::nullopt;
  }

  // What FICLONERANGE does where it is supported: whole blocks alone, inside the source. Holes are skipped, since the target has them
  // already.
  std::optional<Instead> Clone(const Syscall& call) {
    if (call.name != "FICLONERANGE") return std::nullopt;
    struct stat from {};
    struct stat to {};
    EXPECT_TRUE(::fstat(call.from_fd, &from) == 0 && ::fstat(call.fd, &to) == 0);
    EXPECT_EQ(call.from_offset % to.st_blksize, 0);
    EXPECT_EQ(call.offset % to.st_blksize, 0);
    EXPECT_EQ(call.length % static_cast<uint64_t>(to.st_blksize), 0U);
    EXPECT_GT(call.length, 0U);
    const off_t end = call.from_offset + static_cast<off_t>(call.length);
    EXPECT_LE(end, from.st_size);
    for (off_t at = call.from_offset; (at = ::lseek(call.from_fd, at, SEEK_DATA)) >= 0 && at < end;) {
      const off_t stop = std::min(end, ::lseek(call.from_fd, at, SEEK_HOLE));
      std::string bytes(static_cast<size_t>(stop - at), '\0');
      EXPECT_EQ(::pread(call.from_fd, bytes.data(), bytes.size(), at), stop - at);
      EXPECT_EQ(::pwrite(call.fd, bytes.data(), bytes.size(), call.offset + (at - call.from_offset)), stop - at);
      at = stop;
    }
    if (to.st_size < call.offset + static_cast<off_t>(call.length)) {
      EXPECT_EQ(::ftruncate(call.fd, call.offset + static_cast<off_t>(call.length)), 0);
    }
    cloned_ += call.length;
    return Instead{0, 0};
  }

  TempDir dir_{FolderInMemory()};
  std::filesystem::path source_ = dir_ / "source";
  std::filesystem::path target_ = dir_ / "target";
  uint64_t cloned_ = 0;
};

TEST_F(CopyLadderTest, AnyRungsMayBeRefused) {
  const std::string head = Noise(kMiB + 3, 1);
  WriteSparse(source_, 2 * kMiB + 7, {{0, Noise(200 * kKiB, 2)}, {kMiB + 5, Noise(300 * kKiB + 1, 3)}});
  Rope rope(Bytes::Borrow(head));
  ASSERT_THAT(rope.Append(Lent(source_)), IsOk());
  const SparseBytes wanted = SparseBytesOf(head + ReadFile(source_));
  for (size_t set = 0; set < kCallSets; ++set) {
    const std::vector<std::string_view> calls = CallsOf(set);
    for (const int error : kRefusals) {
      SCOPED_TRACE(testing::Message() << testing::PrintToString(calls) << ": " << std::strerror(error));
      ASSERT_OK_AND_ASSIGN(const SaveReport report, Save(rope, [&](Syscall& call) { return Refuse(call, calls, error); }));
      EXPECT_EQ(ReadSparse(target_), wanted);
      EXPECT_EQ(report.bytes_written, head.size());
      EXPECT_EQ(report.bytes_copied + report.bytes_cloned, 2 * kMiB + 7);
      EXPECT_EQ(report.file_size, wanted.size);
    }
  }
}

TEST_F(CopyLadderTest, TheBufferTakesOverWhereTheKernelStopped) {
  constexpr uint64_t kDone = 100 * kKiB + 1;
  WriteFile(source_, Noise(300 * kKiB, 1));
  for (const int error : kRefusals) {
    int copies = 0;
    std::vector<int64_t> reads;
    const auto hook = [&](Syscall& call) -> std::optional<Instead> {
      if (call.name == "pread") reads.push_back(call.offset);
      if (call.name == "copy_file_range" && ++copies > 1) return Instead{-1, error};
      return Shorten(call, kDone);
    };
    EXPECT_THAT(Save(Lent(source_), hook), IsOk());
    EXPECT_EQ(ReadFile(target_), ReadFile(source_)) << std::strerror(error);
    EXPECT_EQ(copies, 2);
    EXPECT_THAT(reads, testing::Contains(static_cast<int64_t>(kDone)));
    EXPECT_THAT(reads, testing::Each(testing::Ge(static_cast<int64_t>(kDone))));
  }
}

TEST_F(CopyLadderTest, CopyingTakesOverWhereCloningStopped) {
  WriteSparse(source_, 2 * kGiB + 5, {{0, "first"}, {kGiB - 1, "edge"}, {kGiB + 100 * kKiB, Noise(200 * kKiB, 1)}, {2 * kGiB, "last"}});
  int clones = 0;
  ASSERT_OK_AND_ASSIGN(const SaveReport report, Save(Lent(source_), [&](Syscall& call) -> std::optional<Instead> {
                         EXPECT_TRUE(call.name != "copy_file_range" || call.from_offset >= static_cast<int64_t>(kGiB));
                         if (call.name == "FICLONERANGE" && ++clones > 1) return Instead{-1, EINVAL};
                         return Clone(call);
                       }));
  EXPECT_EQ(clones, 2);
  EXPECT_EQ(report.bytes_cloned, kGiB);
  EXPECT_EQ(report.bytes_copied, kGiB + 5);
  EXPECT_EQ(ReadSparse(target_), ReadSparse(source_));
}

TEST_F(CopyLadderTest, WholeBlocksAreClonedAndTheRestIsCopied) {
  const std::string bytes = Noise(300 * kKiB + 5, 1);
  WriteFile(source_, bytes);
  struct Case {
    uint64_t lead, offset, size, cloned;
  };
  constexpr uint64_t kBlock = 4096;
  constexpr Case kCases[] = {
      {0, 0, 300 * kKiB + 5, 300 * kKiB},
      {0, kBlock, 64 * kKiB, 64 * kKiB},
      {kBlock + 100, 100, 300 * kKiB - 95, 300 * kKiB - kBlock},
      {5 * kBlock, 3 * kBlock, 100 * kKiB + 1, 100 * kKiB},
      {kBlock - 1, kBlock - 1, 20 * kBlock, 19 * kBlock},
      {100, 0, 300 * kKiB, 0},  // no block of the one is a block of the other
      {1, 2, 200 * kKiB, 0},
      {0, 0, 64 * kKiB - 1, 0},  // too short to be worth it
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.lead << " bytes, then " << c.size << " from " << c.offset);
    cloned_ = 0;
    const std::string head = Noise(c.lead, 2);
    Rope rope(Bytes::Borrow(head));
    ASSERT_THAT(rope.Append(Lent(source_, c.offset, c.size)), IsOk());
    rope.Append(Bytes::FromString("tail"));
    ASSERT_OK_AND_ASSIGN(const SaveReport report, Save(rope, [&](Syscall& call) { return Clone(call); }));
    EXPECT_EQ(ReadFile(target_), head + bytes.substr(c.offset, c.size) + "tail");
    EXPECT_EQ(cloned_, c.cloned);
    EXPECT_EQ(report.bytes_cloned, c.cloned);
    EXPECT_EQ(report.bytes_copied, c.size - c.cloned);
    EXPECT_EQ(report.bytes_written, c.lead + 4);
  }
}

TEST_F(CopyLadderTest, SevenBytesACallAreEnough) {
  WriteFile(source_, Noise(200 * kKiB + 3, 1));
  for (const uint64_t size : {uint64_t{96}, 70 * kKiB, 200 * kKiB + 3}) {
    for (const bool in_kernel : {true, false}) {
      Rope rope(Bytes::FromString(Noise(96, 2)));
      ASSERT_THAT(rope.Append(Lent(source_, 0, size)), IsOk());
      const auto hook = [&](Syscall& call) {
        if (call.name == "copy_file_range" && !in_kernel) return std::optional(Instead{-1, ENOSYS});
        return Shorten(call, 7);
      };
      EXPECT_THAT(Save(rope, hook), IsOk());
      EXPECT_EQ(ReadFile(target_), Noise(96, 2) + ReadFile(source_).substr(0, size)) << size << ", in kernel: " << in_kernel;
    }
  }
}

TEST_F(CopyLadderTest, EveryCallMayBeInterruptedEachTime) {
  WriteFile(source_, Noise(200 * kKiB, 1));
  Rope rope(Bytes::FromString(Noise(2 * kMiB, 2)));
  ASSERT_THAT(rope.Append(Lent(source_)), IsOk());
  bool interrupt = false;
  EXPECT_THAT(Save(rope,
                   [&](Syscall& call) -> std::optional<Instead> {
                     interrupt = !interrupt && call.name != "close";
                     return interrupt ? std::optional(Instead{-1, EINTR}) : Shorten(call, 50 * kKiB);
                   }),
              IsOk());
  EXPECT_EQ(ReadFile(target_), Noise(2 * kMiB, 2) + ReadFile(source_));
  EXPECT_THAT(NamesIn(dir_.path()), testing::ElementsAre("source", "target"));
}

TEST_F(CopyLadderTest, AKernelThatCopiesNothingLeavesItToTheBuffer) {
  WriteFile(source_, Noise(200 * kKiB, 1));
  const auto hook = [](Syscall& call) { return call.name == "copy_file_range" ? std::optional(Instead{0, 0}) : std::nullopt; };
  EXPECT_THAT(Save(Lent(source_), hook), IsOk());
  EXPECT_EQ(ReadFile(target_), ReadFile(source_));
}

TEST_F(CopyLadderTest, AWriteThatWritesNothingIsAFullDisk) {
  const auto hook = [](Syscall& call) { return call.name == "pwrite" ? std::optional(Instead{0, 0}) : std::nullopt; };
  EXPECT_THAT(Save(Bytes::FromString("text"), hook), HasCodeAndMessage(StatusCode::kResourceExhausted, "writing 4 bytes at offset 0"));
}

TEST_F(CopyLadderTest, HolesStayHolesOnEveryRung) {
  WriteSparse(source_, 6 * kMiB, {{kMiB + 1, Noise(100 * kKiB, 1)}, {3 * kMiB, Noise(70 * kKiB, 2)}});
  struct Range {
    uint64_t offset, size;
  };
  // The whole; from and to the middle of holes; of data; a hole alone.
  constexpr Range kRanges[] = {{0, 6 * kMiB}, {300 * kKiB + 5, 5 * kMiB}, {kMiB + 50 * kKiB, 2 * kMiB}, {4 * kMiB, kMiB}};
  for (const Range& range : kRanges) {
    const SparseBytes wanted = SparseBytesOf(ReadFile(source_).substr(range.offset, range.size));
    for (size_t set = 0; set < kCallSets; ++set) {
      const std::vector<std::string_view> calls = CallsOf(set);
      const bool is_told = (set & 4) == 0;
      SCOPED_TRACE(testing::Message() << range.size << " from " << range.offset << ", refused: " << testing::PrintToString(calls));
      EXPECT_THAT(Save(Lent(source_, range.offset, range.size), [&](Syscall& call) { return Refuse(call, calls, ENOSYS); }), IsOk());
      EXPECT_EQ(ReadSparse(target_), wanted);
      EXPECT_TRUE(!is_told || BytesOnDisk(target_) < 300 * kKiB) << BytesOnDisk(target_);
    }
  }
}

TEST_F(CopyLadderTest, AFileSystemThatTellsNonsenseAboutHolesLosesNoBytes) {
  WriteSparse(source_, kMiB, {{200 * kKiB, Noise(100 * kKiB, 1)}, {900 * kKiB, Noise(5000, 2)}});
  constexpr int64_t kNowhere = -1;
  const std::array<std::function<int64_t(const Syscall&)>, 4> answers = {
      [](const Syscall& call) { return call.offset; },                                          // whatever is asked
      [](const Syscall& call) { return call.whence == SEEK_HOLE ? int64_t{0} : call.offset; },  // no hole, not even at the end
      [](const Syscall& call) { return call.offset == 0 ? int64_t{0} : call.offset - 1; },      // before what was asked
      [](const Syscall& call) { return call.whence == SEEK_HOLE ? kNowhere : call.offset; },
  };
  for (const auto& answer : answers) {
    int calls = 0;
    const auto hook = [&](Syscall& call) -> std::optional<Instead> {
      if (call.name != "lseek" || ++calls > 1000) return std::nullopt;
      return Instead{answer(call), EIO};
    };
    EXPECT_THAT(Save(Lent(source_), hook), IsOk());
    EXPECT_LT(calls, 100) << "no end of asking, answer " << &answer - answers.data();
    EXPECT_EQ(ReadSparse(target_), ReadSparse(source_)) << "answer " << &answer - answers.data();
  }
}

TEST_F(CopyLadderTest, FiveGibibytesOfHolesStayHoles) {
  WriteSparse(source_, 5 * kGiB, {{0, "first"}, {4 * kGiB + 1, Noise(kMiB, 1)}, {5 * kGiB - 1, "z"}});
  Rope rope(Bytes::FromString("head"));
  ASSERT_THAT(rope.Append(Lent(source_)), IsOk());
  ASSERT_OK_AND_ASSIGN(const SaveReport report, SaveBytes(rope, target_));
  EXPECT_EQ(report.file_size, 5 * kGiB + 4);
  EXPECT_EQ(std::filesystem::file_size(target_), 5 * kGiB + 4);
  EXPECT_LT(BytesOnDisk(target_), 2 * kMiB);
}

TEST_F(CopyLadderTest, BytesAtTheTwoGibibyteEdgesComeOutOnEveryRung) {
  constexpr uint64_t kSize = 2 * kGiB + 4101;
  WriteSparse(source_, kSize, {{0, "a"}, {0x7ffff000 - 1, "b"}, {0x7ffff000, "c"}, {2 * kGiB, "d"}, {kSize - 1, "e"}});
  const SparseBytes wanted = ReadSparse(source_);
  ASSERT_EQ(wanted.size, kSize);
  EXPECT_THAT(Save(Lent(source_), [&](Syscall& call) { return Clone(call); }), IsOk());
  EXPECT_EQ(ReadSparse(target_), wanted) << "cloned";
  EXPECT_THAT(Save(Lent(source_), {}), IsOk());
  EXPECT_EQ(ReadSparse(target_), wanted) << "copied";
  EXPECT_THAT(Save(Lent(source_), [](Syscall& call) { return Refuse(call, CallsOf(3), ENOSYS); }), IsOk());
  EXPECT_EQ(ReadSparse(target_), wanted) << "through the buffer";
}

// All is data to a file system that knows no holes; the disk is spared by calls that only pretend.
TEST_F(CopyLadderTest, NoCallAsksForMoreThanTheSystemTakes) {
  constexpr uint64_t kSize = 2 * kGiB + 4101;
  WriteSparse(source_, kSize, {});
  uint64_t copied = 0;
  EXPECT_THAT(Save(Lent(source_),
                   [&](Syscall& call) -> std::optional<Instead> {
                     if (call.name == "lseek") return Instead{-1, EINVAL};
                     if (call.name != "copy_file_range") return std::nullopt;
                     EXPECT_EQ(call.offset, static_cast<int64_t>(copied));
                     EXPECT_EQ(call.from_offset, static_cast<int64_t>(copied));
                     EXPECT_LE(call.length, kGiB);
                     copied += call.length;
                     return Instead{static_cast<int64_t>(call.length), 0};
                   }),
              IsOk());
  EXPECT_EQ(std::filesystem::file_size(target_), kSize);
}

// Also after a system that copied less than it was asked for.
TEST_F(CopyLadderTest, KernelCopiesBeginAtMultiplesOfARoundOnceTheyCan) {
  constexpr uint64_t kRound = 64 * kKiB;
  const std::string head = Noise(3 * kKiB, 1);
  WriteSparse(source_, 3 * kMiB, {{0, Noise(3 * kMiB, 2)}});
  Rope rope(Bytes::Borrow(head));
  ASSERT_THAT(rope.Append(Lent(source_)), IsOk());
  std::vector<uint64_t> begins;
  EXPECT_THAT(Save(rope,
                   [&](Syscall& call) -> std::optional<Instead> {
                     if (call.name != "copy_file_range") return std::nullopt;
                     begins.push_back(static_cast<uint64_t>(call.offset));
                     if (begins.size() == 2) call.length = kMiB + 5;
                     return std::nullopt;
                   }),
              IsOk());
  EXPECT_THAT(begins, testing::ElementsAre(head.size(), kRound, kRound + kMiB + 5, 2 * kRound + kMiB));
  EXPECT_EQ(ReadFile(target_), head + ReadFile(source_));
}

}  // namespace
}  // namespace pte::test
