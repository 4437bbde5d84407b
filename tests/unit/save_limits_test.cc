// What the machine does not give: disk space, file sizes, memory, folders that may be written.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/allocations.h"
#include "tests/support/files.h"
#include "tests/support/status.h"
#include "tests/unit/saving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

// A file's flag that keeps even the superuser from changing a folder; false where it cannot be set.
bool SetImmutable(const std::filesystem::path& folder, bool immutable) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  int flags = 0;
  bool done = ::ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
  flags = immutable ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
  done = done && ::ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
  ::close(fd);
  return done;
}

class SaveLimitsTest : public testing::Test {
 protected:
  absl::Status Save(const Rope& rope, const SaveOptions& options = {}) { return SaveBytes(rope, target_, options).status(); }

  void ExpectOldFileAlone() {
    EXPECT_EQ(ReadFile(target_), "old");
    EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target"));
  }

  TempDir in_;
  TempDir dir_;
  std::filesystem::path source_ = in_ / "source";
  std::filesystem::path target_ = dir_ / "target";
};

TEST_F(SaveLimitsTest, AFileAboveTheProcesssLimitIsRefusedWithoutASignal) {
  InChild([&] {
    WriteFile(target_, "old");
    WriteFile(source_, Noise(200 * kKiB, 1));
    SetLimit(RLIMIT_FSIZE, 100 * kKiB);
    EXPECT_THAT(Save(Lent(source_)),
                HasCodeAndMessage(StatusCode::kResourceExhausted, "wanted 204800 (0x32000) bytes, found a limit of 102400"));
    EXPECT_THAT(Save(Bytes::FromString(Noise(100 * kKiB + 1, 2))), HasCode(StatusCode::kResourceExhausted));
    ExpectOldFileAlone();
    EXPECT_THAT(Save(Lent(source_, 7, 100 * kKiB)), IsOk());
    EXPECT_EQ(std::filesystem::file_size(target_), 100 * kKiB);
    return true;
  });
}

TEST_F(SaveLimitsTest, AFullDiskIsReportedAndLeavesTheOldFile) {
  const bool possible = InChild([&] {
    if (!MountTmpfs(dir_.path(), "size=1m")) return false;
    WriteFile(target_, "old");
    const std::string bytes = Noise(3 * kMiB, 1);
    WriteFile(source_, bytes);
    for (const bool in_kernel : {true, false}) {
      const ScopedHooks hooks({.any = [&](Syscall& call) {
        return call.name == "copy_file_range" && !in_kernel ? std::optional(Instead{-1, EXDEV}) : std::nullopt;
      }});
      EXPECT_THAT(Save(Bytes::Borrow(bytes)), HasCodeAndMessage(StatusCode::kResourceExhausted, "No space left on device"));
      ExpectOldFileAlone();
      EXPECT_THAT(Save(Lent(source_)), HasCodeAndMessage(StatusCode::kResourceExhausted, "No space left on device"));
      ExpectOldFileAlone();
    }
    EXPECT_THAT(Save(Lent(source_, 1, 500 * kKiB)), IsOk());
    EXPECT_EQ(ReadFile(target_), bytes.substr(1, 500 * kKiB));
    return true;
  });
  if (!possible) GTEST_SKIP() << "nothing may be mounted here";
}

TEST_F(SaveLimitsTest, AFullDiskIsCopiedFromInTheKernelToo) {
  const bool possible = InChild([&] {
    if (!MountTmpfs(dir_.path(), "size=1m")) return false;
    // On one file system the kernel copies, until it is full.
    const std::filesystem::path beside = dir_ / "beside";
    WriteFile(beside, Noise(700 * kKiB, 1));
    WriteFile(target_, "old");
    EXPECT_THAT(Save(Lent(beside)), HasCodeAndMessage(StatusCode::kResourceExhausted, "No space left on device"));
    EXPECT_EQ(ReadFile(target_), "old");
    EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("beside", "target"));
    return true;
  });
  if (!possible) GTEST_SKIP() << "nothing may be mounted here";
}

TEST_F(SaveLimitsTest, AFileSystemWithoutWritingIsReported) {
  const bool possible = InChild([&] {
    if (!MountTmpfs(dir_.path(), "size=1m")) return false;
    WriteFile(target_, "old");
    if (::mount(nullptr, dir_.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return false;
    EXPECT_THAT(Save(Bytes::FromString("new")), HasCodeAndMessage(StatusCode::kPermissionDenied, "target: creating a file beside it"));
    ExpectOldFileAlone();
    return true;
  });
  if (!possible) GTEST_SKIP() << "nothing may be mounted here";
}

TEST_F(SaveLimitsTest, AFolderThatMayNotBeWrittenIsReported) {
  WriteFile(target_, "old");
  std::filesystem::permissions(dir_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  // Permissions do not bind the superuser; this flag does, where the file system has it.
  const bool is_superuser = ::geteuid() == 0;
  const bool possible = !is_superuser || SetImmutable(dir_.path(), true);
  if (possible) {
    EXPECT_THAT(Save(Bytes::FromString("new")), HasCodeAndMessage(StatusCode::kPermissionDenied, "target: creating a file beside it"));
  }
  if (is_superuser && possible) SetImmutable(dir_.path(), false);
  std::filesystem::permissions(dir_.path(), std::filesystem::perms::owner_all);
  if (!possible) GTEST_SKIP() << "no folder can be kept from the superuser here";
  ExpectOldFileAlone();
}

TEST_F(SaveLimitsTest, WithoutDescriptorsNothingIsLeft) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizers need descriptors of their own";
  InChild([&] {
    WriteFile(target_, "old");
    WriteFile(source_, Noise(200 * kKiB, 1));
    const Rope lent = Lent(source_);
    // From no descriptor to as many as a save needs.
    constexpr uint64_t kEnough = 30;
    bool saved = false;
    for (uint64_t limit = 3; limit < kEnough && !saved; ++limit) {
      SaveOptions options;
      options.durability = Durability::kSynced;
      SetLimit(RLIMIT_NOFILE, limit);
      const absl::Status status = Save(lent, options);
      SetLimit(RLIMIT_NOFILE, 1024);
      saved = status.ok();
      EXPECT_TRUE(saved || ReadFile(target_) == "old") << limit << ": " << status;
      EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target")) << limit << ": " << status;
    }
    EXPECT_TRUE(saved);
    return true;
  });
}

TEST_F(SaveLimitsTest, MemoryDoesNotGrowWithTheFile) {
  WriteSparse(source_, kGiB, {{0, "first"}, {300 * kMiB, Noise(32 * kMiB, 1)}, {kGiB - 1, "z"}});
  for (const bool in_kernel : {true, false}) {
    InChild([&] {
      const Rope lent = Lent(source_);
      if (!kIsSanitized) SetLimit(RLIMIT_AS, 256 * kMiB);
      rusage before{};
      ::getrusage(RUSAGE_SELF, &before);
      const ScopedHooks hooks({.any = [&](Syscall& call) {
        return call.name == "copy_file_range" && !in_kernel ? std::optional(Instead{-1, EXDEV}) : std::nullopt;
      }});
      EXPECT_THAT(Save(lent), IsOk());
      rusage after{};
      ::getrusage(RUSAGE_SELF, &after);
      EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 * 1024) << "KiB more";
      return true;
    });
    EXPECT_EQ(ReadSparse(target_), ReadSparse(source_)) << "in kernel: " << in_kernel;
  }
}

TEST_F(SaveLimitsTest, NothingIsLeftWhenTheNthAllocationIsRefused) {
  // Abseil makes its table of error names when the first is asked for, and loses it where memory runs out meanwhile.
  EXPECT_THAT(absl::ErrnoToStatus(ENOENT, ""), testing::Not(IsOk()));
  WriteFile(source_, Noise(200 * kKiB, 1));
  Rope rope(Bytes::FromString("head"));
  ASSERT_THAT(rope.Append(Lent(source_)), IsOk());
  constexpr int64_t kMost = 1000;
  for (int64_t n = 1; n < kMost; ++n) {
    WriteFile(target_, "old");
    const size_t descriptors = CountDescriptors();
    RefuseAllocation(n);
    const absl::StatusOr<SaveReport> saved = SaveBytes(rope, target_);
    const bool refused = StopRefusing();
    EXPECT_EQ(CountDescriptors(), descriptors) << n;
    EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target")) << n;
    if (!refused) {
      EXPECT_THAT(saved, IsOk());
      EXPECT_GT(n, 10);
      break;
    }
    EXPECT_TRUE(saved.ok() || saved.status().code() == StatusCode::kResourceExhausted) << n << ": " << saved.status();
    EXPECT_TRUE(ReadFile(target_) == (saved.ok() ? "head" + ReadFile(source_) : "old")) << n << ": " << saved.status();
  }
}

}  // namespace
}  // namespace pte::test
