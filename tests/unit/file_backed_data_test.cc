// Payloads in files: what is lent and given, and files that change before and while they are copied.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/byte_source.h"
#include "pte/file_backed_data.h"
#include "pte/save.h"
#include "tests/support/files.h"
#include "tests/support/status.h"
#include "tests/unit/saving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::IsEmpty;

// Gives a file a time of last change, in seconds since 1970.
void SetModified(const std::filesystem::path& path, int64_t seconds) {
  const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = 5}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

void AppendTo(const std::filesystem::path& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

struct Change {
  std::string_view name;
  std::function<void(const std::filesystem::path&)> make;
};
// What can happen to a file without its name coming to mean another one.
const Change kChanges[] = {
    {"longer", [](const auto& path) { AppendTo(path, "more"); }},
    {"shorter", [](const auto& path) { std::filesystem::resize_file(path, 10); }},
    {"empty", [](const auto& path) { std::filesystem::resize_file(path, 0); }},
    {"touched", [](const auto& path) { SetModified(path, 1'000'000'000); }},
};

class FileBackedDataTest : public testing::Test {
 protected:
  FileBackedDataTest() { WriteFile(source_, bytes_); }

  void PutBack() {
    std::filesystem::remove(source_);
    WriteFile(source_, bytes_);
  }

  void ReplaceSource(std::string_view bytes) {
    WriteFile(in_ / "other", bytes);
    std::filesystem::rename(in_ / "other", source_);
  }

  void CheckNothingWasDone() {
    EXPECT_THAT(NamesIn(out_.path()), IsEmpty());
    EXPECT_THAT(NamesIn(in_.path()), ElementsAre("source"));
  }

  TempDir in_;
  TempDir out_;
  std::filesystem::path source_ = in_ / "source";
  std::filesystem::path target_ = out_ / "target";
  std::string bytes_ = Noise(300 * kKiB, 1);
};

TEST_F(FileBackedDataTest, LendsAFileOrARangeOfIt) {
  ASSERT_OK_AND_ASSIGN(const FileBackedData whole, FileBackedData::Lend(source_));
  EXPECT_EQ(whole.size(), bytes_.size());
  EXPECT_EQ(whole.path(), source_);
  EXPECT_FALSE(whole.given());
  ASSERT_OK_AND_ASSIGN(const FileBackedData range, FileBackedData::Lend(source_, 12345, 70001));
  EXPECT_EQ(range.size(), 70001U);
  EXPECT_THAT(SaveBytes(range, target_), IsOk());
  EXPECT_EQ(ReadFile(target_), bytes_.substr(12345, 70001));
  std::string middle(10, '\0');
  EXPECT_THAT(range.AsRope().ReadAt(5, std::as_writable_bytes(std::span(middle))), IsOk());
  EXPECT_EQ(middle, bytes_.substr(12350, 10));
}

TEST_F(FileBackedDataTest, RangesEndInsideTheFile) {
  const uint64_t size = bytes_.size();
  EXPECT_THAT(FileBackedData::Lend(source_, size, 0), IsOk());
  EXPECT_THAT(FileBackedData::Lend(source_, size - 1, 1), IsOk());
  EXPECT_THAT(FileBackedData::Lend(source_, size, 1), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(FileBackedData::Lend(source_, size + 1, 0), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(FileBackedData::Lend(source_, 1, UINT64_MAX), HasCode(StatusCode::kOutOfRange));
  EXPECT_THAT(FileBackedData::Lend(source_, UINT64_MAX, 2), HasCode(StatusCode::kOutOfRange));
}

TEST_F(FileBackedDataTest, AFileWithoutBytesIsAPayloadWithoutBytes) {
  WriteFile(source_, "");
  ASSERT_OK_AND_ASSIGN(const FileBackedData empty, FileBackedData::Lend(source_));
  EXPECT_TRUE(empty.AsRope().empty());
  EXPECT_THAT(SaveBytes(empty, target_), IsOk());
  EXPECT_EQ(ReadFile(target_), "");
}

TEST_F(FileBackedDataTest, OnlyRegularFilesAreTaken) {
  ASSERT_EQ(::mkfifo((in_ / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("source", in_ / "link");
  for (const auto& take : {+[](const std::filesystem::path& path) { return FileBackedData::Lend(path).status(); },
                           +[](const std::filesystem::path& path) { return FileBackedData::Give(path).status(); }}) {
    EXPECT_THAT(take(in_ / "missing"), HasCode(StatusCode::kNotFound));
    EXPECT_THAT(take(in_.path()), HasCode(StatusCode::kFailedPrecondition));
    EXPECT_THAT(take(in_ / "pipe"), HasCode(StatusCode::kInvalidArgument));
    EXPECT_THAT(take("/dev/null"), HasCode(StatusCode::kInvalidArgument));
    EXPECT_THAT(take(in_ / "link"), IsOk());
  }
}

TEST_F(FileBackedDataTest, APathWithANulIsNotThePathBeforeIt) {
  const std::filesystem::path path = source_.string() + std::string("\0.plan", 6);
  EXPECT_THAT(FileBackedData::Lend(path), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(OpenFileSource(path), HasCode(StatusCode::kInvalidArgument));
}

TEST_F(FileBackedDataTest, NoDescriptorIsHeldBetweenReads) {
  const size_t before = CountDescriptors();
  std::vector<Rope> ropes;
  for (int i = 0; i < 100; ++i) ropes.push_back(Lent(source_));
  EXPECT_EQ(CountDescriptors(), before);
}

TEST_F(FileBackedDataTest, AFileThatChangedBeforeItIsCopiedIsAborted) {
  for (const Change& change : kChanges) {
    PutBack();
    const Rope lent = Lent(source_);
    change.make(source_);
    const std::string found = ReadFile(source_);
    const absl::Status status = SaveBytes(lent, target_).status();
    EXPECT_THAT(status, HasCodeAndMessage(StatusCode::kAborted, "source: the file has changed since it was opened")) << change.name;
    EXPECT_THAT(status, HasCodeAndMessage(StatusCode::kAborted, "wanted size " + std::to_string(bytes_.size()))) << change.name;
    EXPECT_THAT(status, HasCodeAndMessage(StatusCode::kAborted, "found size " + std::to_string(found.size()))) << change.name;
    CheckNothingWasDone();
    EXPECT_EQ(ReadFile(source_), found);
    std::byte byte{};
    EXPECT_THAT(lent.ReadAt(0, std::span(&byte, 1)), HasCode(StatusCode::kAborted)) << change.name;
  }
}

TEST_F(FileBackedDataTest, AFileThatIsAnotherByNowIsAborted) {
  const Rope lent = Lent(source_);
  ReplaceSource(bytes_);
  EXPECT_THAT(SaveBytes(lent, target_), HasCodeAndMessage(StatusCode::kAborted, ", found size 307200, changed at "));
  CheckNothingWasDone();
}

TEST_F(FileBackedDataTest, AFileThatIsGoneIsNotFound) {
  const Rope lent = Lent(source_);
  std::filesystem::remove(source_);
  EXPECT_THAT(SaveBytes(lent, target_), HasCode(StatusCode::kNotFound));
  EXPECT_THAT(NamesIn(out_.path()), IsEmpty());
  std::filesystem::create_directory(source_);
  EXPECT_THAT(SaveBytes(lent, target_), HasCode(StatusCode::kFailedPrecondition));
}

TEST_F(FileBackedDataTest, AFileThatChangesWhileItIsCopiedIsAborted) {
  // By the call at which it changes: each rung of the ladder, and the buffer for small pieces.
  for (const std::string_view at : {"FICLONERANGE", "copy_file_range", "pread", "pwrite"}) {
    for (const uint64_t size : {uint64_t{300 * kKiB}, uint64_t{100}}) {
      if (size == 100 && at != "pread") continue;  // these are read into the buffer alone
      for (const Change& change : kChanges) {
        PutBack();
        const Rope lent = Lent(source_, 0, size);
        int calls = 0;
        const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
          if (call.name == at && ++calls == 1) change.make(source_);
          return call.name == "copy_file_range" && at != call.name ? std::optional(Instead{-1, ENOSYS}) : std::nullopt;
        }});
        EXPECT_THAT(SaveBytes(lent, target_), HasCode(StatusCode::kAborted)) << change.name << " at " << at << ", of " << size;
        EXPECT_GT(calls, 0) << at;
        CheckNothingWasDone();
      }
    }
  }
}

TEST_F(FileBackedDataTest, AnOpenFileThatChangesIsAbortedToo) {
  for (const Change& change : kChanges) {
    PutBack();
    ASSERT_OK_AND_ASSIGN(const auto source, OpenFileSource(source_));
    Rope rope;
    ASSERT_THAT(rope.Append(source, 1, 200 * kKiB), IsOk());
    change.make(source_);
    EXPECT_THAT(SaveBytes(rope, target_), HasCode(StatusCode::kAborted)) << change.name;
    std::string bytes;
    StringSink sink(bytes);
    EXPECT_THAT(rope.CopyTo(sink), HasCode(StatusCode::kAborted)) << change.name;
    CheckNothingWasDone();
  }
}

TEST_F(FileBackedDataTest, AFileReplacedWhileItIsCopiedIsCopiedToItsEnd) {
  int calls = 0;
  const Rope lent = Lent(source_);
  const ScopedHooks hooks({.any = [&](Syscall& call) {
    if (call.name == "copy_file_range" && ++calls == 1) ReplaceSource("another file");
    return Shorten(call, 100 * kKiB);
  }});
  EXPECT_THAT(SaveBytes(lent, target_), IsOk());
  EXPECT_EQ(ReadFile(target_), bytes_);
  EXPECT_EQ(ReadFile(source_), "another file");
}

TEST_F(FileBackedDataTest, TimesBeyondTheRangeOfNanosecondsAreTold) {
  constexpr int64_t kYear2400 = 13'569'465'600;
  SetModified(source_, kYear2400);
  const Rope lent = Lent(source_);
  EXPECT_THAT(SaveBytes(lent, target_), IsOk());
  SetModified(source_, kYear2400 + 1);
  EXPECT_THAT(SaveBytes(lent, target_), HasCode(StatusCode::kAborted));
}

TEST_F(FileBackedDataTest, AGivenFileStaysUnlessItIsToGo) {
  {
    ASSERT_OK_AND_ASSIGN(const FileBackedData given, FileBackedData::Give(source_));
    EXPECT_TRUE(given.given());
    EXPECT_THAT(SaveBytes(given, target_), IsOk());
  }
  EXPECT_EQ(ReadFile(source_), bytes_);
}

TEST_F(FileBackedDataTest, AGivenFileGoesWithTheLastHandleOrRope) {
  Rope rope;
  {
    ASSERT_OK_AND_ASSIGN(const FileBackedData given, FileBackedData::Give(source_, {.remove_on_destruction = true}));
    const FileBackedData copy = given;  // NOLINT(performance-unnecessary-copy-initialization): a second handle
    rope = copy.AsRope();
  }
  EXPECT_THAT(SaveBytes(rope, target_), IsOk());
  EXPECT_EQ(ReadFile(target_), bytes_);
  EXPECT_TRUE(std::filesystem::exists(source_));
  rope = Rope();
  EXPECT_FALSE(std::filesystem::exists(source_));
}

TEST_F(FileBackedDataTest, AGivenFileIsRemovedOnce) {
  {
    ASSERT_OK_AND_ASSIGN(const FileBackedData first, FileBackedData::Give(source_, {.remove_on_destruction = true}));
    ASSERT_OK_AND_ASSIGN(const FileBackedData second, FileBackedData::Give(source_, {.remove_on_destruction = true}));
  }
  EXPECT_THAT(NamesIn(in_.path()), IsEmpty());
}

TEST_F(FileBackedDataTest, AGivenFileThatChangedIsNotRemoved) {
  for (const Change& change : kChanges) {
    PutBack();
    {
      ASSERT_OK_AND_ASSIGN(const FileBackedData given, FileBackedData::Give(source_, {.remove_on_destruction = true}));
      change.make(source_);
    }
    EXPECT_TRUE(std::filesystem::exists(source_)) << change.name;
  }
  PutBack();
  {
    ASSERT_OK_AND_ASSIGN(const FileBackedData given, FileBackedData::Give(source_, {.remove_on_destruction = true}));
    ReplaceSource(bytes_);
  }
  EXPECT_TRUE(std::filesystem::exists(source_));
}

}  // namespace
}  // namespace pte::test
