// Files as sources: short reads, interruptions, shrinking, refused maps, one gigabyte a call.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/byte_source.h"
#include "pte/payload.h"
#include "tests/support/files.h"
#include "tests/support/status.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

using absl::StatusCode;

class FileSourceTest : public testing::Test {
 protected:
  FileSourceTest() : bytes_(96, '\0') {
    std::iota(bytes_.begin(), bytes_.end(), '\1');
    WriteFile(path_, bytes_);
  }

  std::shared_ptr<const ByteSource> Open() const {
    absl::StatusOr<std::shared_ptr<const ByteSource>> source = OpenFileSource(path_);
    EXPECT_THAT(source, IsOk());
    return *source;
  }

  static std::string Text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

  TempDir dir_;
  std::filesystem::path path_ = dir_ / "file";
  std::string bytes_;
};

TEST_F(FileSourceTest, ShortReadsAreContinued) {
  for (const size_t most : {size_t{1}, size_t{7}, size_t{95}}) {
    int calls = 0;
    const ScopedHooks hooks({.pread = [&](ReadCall& call) {
      ++calls;
      call.length = std::min(call.length, most);
      return std::optional<Instead>();
    }});
    std::vector<std::byte> out(bytes_.size());
    EXPECT_THAT(Open()->ReadAt(0, out), IsOk());
    EXPECT_EQ(Text(out), bytes_);
    EXPECT_EQ(static_cast<size_t>(calls), (bytes_.size() + most - 1) / most);
  }
}

TEST_F(FileSourceTest, InterruptionsAreRetried) {
  int calls = 0;
  const ScopedHooks hooks({.pread = [&](ReadCall&) -> std::optional<Instead> {
    return ++calls % 2 == 1 ? std::optional(Instead{-1, EINTR}) : std::nullopt;
  }});
  std::vector<std::byte> out(bytes_.size());
  EXPECT_THAT(Open()->ReadAt(0, out), IsOk());
  EXPECT_EQ(Text(out), bytes_);
}

TEST_F(FileSourceTest, AFailingReadSaysWhatAndWhere) {
  const ScopedHooks hooks({.pread = [](ReadCall&) { return std::optional(Instead{-1, EIO}); }});
  std::vector<std::byte> out(16);
  EXPECT_THAT(Open()->ReadAt(32, out), HasCodeAndMessage(StatusCode::kUnknown, "reading 16 (0x10) bytes at offset 32 (0x20)"));
}

TEST_F(FileSourceTest, OneCallNeverAsksForMoreThanAGibibyte) {
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  constexpr uint64_t kSize = 2 * kGiB + 4101;
  std::filesystem::resize_file(path_, kSize);
  std::vector<std::pair<size_t, int64_t>> calls;
  // Nothing is written to the buffer: its memory is never touched, whatever its size.
  const ScopedHooks hooks({.pread = [&](ReadCall& call) {
    calls.emplace_back(call.length, call.offset);
    return std::optional(Instead{static_cast<int64_t>(call.length), 0});
  }});
  std::byte nothing{};
  EXPECT_THAT(Open()->ReadAt(0, std::span(&nothing, kSize)), IsOk());
  EXPECT_THAT(calls, testing::ElementsAre(std::pair(kGiB, 0), std::pair(kGiB, kGiB), std::pair(4101, 2 * kGiB)));
}

TEST_F(FileSourceTest, BytesBeyondTwoGibibytesAreRead) {
  constexpr uint64_t kEdges[] = {0, 0x7ffff000 - 1, 0x7ffff000, uint64_t{1} << 31, (uint64_t{1} << 31) + 4100};
  std::filesystem::resize_file(path_, (uint64_t{1} << 31) + 4101);
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  for (const uint64_t at : kEdges) ASSERT_EQ(::pwrite(fd, "!", 1, static_cast<off_t>(at)), 1);
  ::close(fd);
  const auto source = Open();
  for (const uint64_t at : kEdges) {
    std::byte read{};
    EXPECT_THAT(source->ReadAt(at, std::span(&read, 1)), IsOk());
    EXPECT_EQ(static_cast<char>(read), '!') << at;
  }
}

TEST_F(FileSourceTest, AShrinkingFileIsAbortedWithBothSizes) {
  const auto source = Open();
  std::filesystem::resize_file(path_, 10);
  std::vector<std::byte> out(bytes_.size());
  EXPECT_THAT(source->ReadAt(0, out), HasCodeAndMessage(StatusCode::kAborted, "wanted at least 96 (0x60) bytes, found 10 (0xa)"));
  EXPECT_THAT(source->View(0, 96), HasCodeAndMessage(StatusCode::kAborted, "wanted at least 96 (0x60) bytes, found 10 (0xa)"));
}

TEST_F(FileSourceTest, RangesBeyondTheEndAreRefused) {
  const auto source = Open();
  std::byte two[2];
  EXPECT_THAT(source->ReadAt(95, two), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(source->ReadAt(UINT64_MAX, two), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(source->View(UINT64_MAX, 2), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(source->View(0, 97), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(source->ReadAt(96, {}), IsOk());
}

TEST_F(FileSourceTest, ARefusedMapFallsBackToReading) {
  const ScopedHooks hooks({.mmap = [] { return std::optional(Instead{-1, ENODEV}); }});
  const auto source = Open();
  EXPECT_THAT(source->View(0, 96), HasCode(StatusCode::kUnimplemented));
  ASSERT_OK_AND_ASSIGN(const Bytes loaded, Payload(source, 8, 16, 8).Load());
  EXPECT_EQ(loaded.string_view(), bytes_.substr(8, 16));
}

// A container in an archive: what it has at a multiple of 16 is there in memory, too.
TEST_F(FileSourceTest, APayloadAtAnOddPlaceIsReadRatherThanMapped) {
  WriteFile(path_, "1234567" + bytes_);
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_OK_AND_ASSIGN(const auto source, OpenFileSource(fd, 7, bytes_.size()));
  ::close(fd);
  ASSERT_OK_AND_ASSIGN(const Bytes loaded, Payload(source, 32, 16, 39).Load());
  EXPECT_EQ(loaded.string_view(), bytes_.substr(32, 16));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(loaded.data()) % 16, 0U);
}

TEST_F(FileSourceTest, MapsAtAnyOffsetAndPageSize) {
  const std::string junk(3 * 16384 + 5, 'j');
  WriteFile(path_, junk + bytes_);
  for (const int64_t page : {4096, 16384}) {
    const ScopedHooks hooks({.page_size = page});
    ASSERT_OK_AND_ASSIGN(const Bytes view, Open()->View(junk.size() + 3, 64));
    EXPECT_EQ(view.string_view(), bytes_.substr(3, 64));
  }
}

TEST_F(FileSourceTest, AViewOutlivesItsSourceAndTheFilesName) {
  auto source = Open();
  ASSERT_OK_AND_ASSIGN(const Bytes view, source->View(1, 4));
  source.reset();
  std::filesystem::remove(path_);
  EXPECT_EQ(view.string_view(), bytes_.substr(1, 4));
}

TEST_F(FileSourceTest, ADescriptorIsNeitherMovedNorClosed) {
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(fd, 5, SEEK_SET), 5);
  {
    ASSERT_OK_AND_ASSIGN(const auto source, OpenFileSource(fd, 10, 20));
    std::vector<std::byte> out(20);
    EXPECT_THAT(source->ReadAt(0, out), IsOk());
    EXPECT_EQ(Text(out), bytes_.substr(10, 20));
    std::vector<std::byte> one_more(21);
    EXPECT_THAT(source->ReadAt(0, one_more), HasCode(StatusCode::kOutOfRange));
  }
  EXPECT_EQ(::lseek(fd, 0, SEEK_CUR), 5);
  EXPECT_THAT(OpenFileSource(fd, 90, 7), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(OpenFileSource(fd, UINT64_MAX, 2), HasCode(StatusCode::kOutOfRange));
  ::close(fd);
  EXPECT_THAT(OpenFileSource(fd, 0, 1), HasCode(StatusCode::kFailedPrecondition));
}

TEST_F(FileSourceTest, WhatCannotBeReadByRangeIsRefusedAtOnce) {
  EXPECT_THAT(OpenFileSource(dir_ / "missing"), HasCode(StatusCode::kNotFound));
  EXPECT_THAT(OpenFileSource(dir_.path()), HasCode(StatusCode::kFailedPrecondition));
  const std::filesystem::path pipe = dir_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(OpenFileSource(pipe), HasCode(StatusCode::kInvalidArgument));
  const ScopedHooks hooks({.open = [] { return std::optional(Instead{-1, EACCES}); }});
  EXPECT_THAT(OpenFileSource(path_), HasCode(StatusCode::kPermissionDenied));
}

TEST_F(FileSourceTest, OpeningIsRetriedWhenInterrupted) {
  int calls = 0;
  const ScopedHooks hooks({.open = [&]() -> std::optional<Instead> {
    return ++calls == 1 ? std::optional(Instead{-1, EINTR}) : std::nullopt;
  }});
  EXPECT_THAT(OpenFileSource(path_), IsOk());
  EXPECT_EQ(calls, 2);
}

TEST_F(FileSourceTest, ARefusedStatIsReported) {
  const ScopedHooks hooks({.fstat = [] { return std::optional(Instead{-1, EIO}); }});
  EXPECT_THAT(OpenFileSource(path_), HasCodeAndMessage(StatusCode::kUnknown, "asking for its size"));
}

}  // namespace
}  // namespace pte::test
