// What a save does to the name it is given: modes, links, what cannot be replaced, and files that come and go meanwhile.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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
using testing::ElementsAre;
using testing::IsEmpty;

constexpr mode_t kAllModeBits = 07777;

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat st {};
  EXPECT_EQ(::lstat(path.c_str(), &st), 0) << path;
  return st.st_mode & kAllModeBits;
}

ino_t InodeOf(const std::filesystem::path& path) {
  struct stat st {};
  EXPECT_EQ(::stat(path.c_str(), &st), 0) << path;
  return st.st_ino;
}

class SaveTargetTest : public testing::Test {
 protected:
  SaveTargetTest() : old_mask_(::umask(022)) {}
  ~SaveTargetTest() override { ::umask(old_mask_); }

  static absl::Status Save(const std::filesystem::path& path, const std::string& text = "new", const SaveOptions& options = {}) {
    return SaveBytes(Bytes::FromString(text), path, options).status();
  }
  static SaveOptions FailIfExists() {
    SaveOptions options;
    options.if_exists = IfExists::kFail;
    return options;
  }

  mode_t old_mask_;
  TempDir dir_;
  std::filesystem::path target_ = dir_ / "target";
};

TEST_F(SaveTargetTest, ANewFileHasTheModeThatTheUmaskLeaves) {
  for (const mode_t mask : {0U, 022U, 027U, 077U}) {
    ::umask(mask);
    std::filesystem::remove(target_);
    EXPECT_THAT(Save(target_), IsOk());
    EXPECT_EQ(ModeOf(target_), 0666U & ~mask);
  }
}

TEST_F(SaveTargetTest, AReplacedFilesModeIsKeptWhateverTheUmask) {
  ::umask(077);
  for (const mode_t mode : {0600U, 0644U, 0664U, 0755U, 0444U, 0666U, 0400U}) {
    WriteFile(target_, "old");
    ASSERT_EQ(::chmod(target_.c_str(), mode), 0);
    EXPECT_THAT(Save(target_), IsOk());
    EXPECT_EQ(ModeOf(target_), mode);
    EXPECT_EQ(ReadFile(target_), "new");
    std::filesystem::remove(target_);
  }
}

TEST_F(SaveTargetTest, TheBitsThatLendTheOwnersRightsAreNotPassedOn) {
  for (const mode_t mode : {04755U, 02775U, 06777U}) {
    WriteFile(target_, "old");
    ASSERT_EQ(::chmod(target_.c_str(), mode), 0);
    EXPECT_THAT(Save(target_), IsOk());
    EXPECT_EQ(ModeOf(target_), mode & 0777U);
  }
}

TEST_F(SaveTargetTest, WhileItIsWrittenAFileIsOpenToNobodyNew) {
  ::umask(0);
  WriteFile(target_, "old");
  for (const mode_t mode : {0600U, 0640U, 0604U, 0755U, 0400U}) {
    ASSERT_EQ(::chmod(target_.c_str(), mode), 0);
    SaveOptions options;
    options.progress = [&](const Progress&) {
      for (const std::string& name : NamesIn(dir_.path())) {
        EXPECT_TRUE(!name.ends_with(".pte-work") || (ModeOf(dir_ / name) & ~mode) == 0) << name;
      }
      return true;
    };
    EXPECT_THAT(Save(target_, "new", options), IsOk());
  }
}

TEST_F(SaveTargetTest, TheFileThatALinkLeadsToIsReplacedAndTheLinkStays) {
  std::filesystem::create_directory(dir_ / "sub");
  WriteFile(dir_ / "sub/real", "old");
  std::filesystem::create_symlink("sub/second", dir_ / "first");
  std::filesystem::create_symlink("real", dir_ / "sub/second");
  EXPECT_THAT(Save(dir_ / "first"), IsOk());
  EXPECT_EQ(ReadFile(dir_ / "sub/real"), "new");
  EXPECT_EQ(std::filesystem::read_symlink(dir_ / "first"), "sub/second");
  EXPECT_EQ(std::filesystem::read_symlink(dir_ / "sub/second"), "real");
  EXPECT_THAT(NamesIn(dir_ / "sub"), ElementsAre("real", "second"));
  std::filesystem::create_symlink(dir_ / "sub/real", dir_ / "absolute");
  EXPECT_THAT(Save(dir_ / "absolute", "newer"), IsOk());
  EXPECT_EQ(ReadFile(dir_ / "sub/real"), "newer");
}

TEST_F(SaveTargetTest, ALinkThroughAFolderThatIsALinkLeadsWhereTheSystemSays) {
  std::filesystem::create_directories(dir_ / "deep/er");
  std::filesystem::create_symlink("deep/er", dir_ / "folder");
  std::filesystem::create_symlink("../real", dir_ / "deep/er/link");
  EXPECT_THAT(Save(dir_ / "folder/link"), IsOk());
  EXPECT_EQ(ReadFile(dir_ / "deep/real"), "new");
  EXPECT_THAT(Save(dir_ / "folder/../beside"), IsOk());
  EXPECT_EQ(ReadFile(dir_ / "deep/beside"), "new");
}

TEST_F(SaveTargetTest, ADanglingLinksFileIsMade) {
  std::filesystem::create_symlink("real", dir_ / "link");
  EXPECT_THAT(Save(dir_ / "link", "new", FailIfExists()), IsOk());
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "link"));
  EXPECT_EQ(ReadFile(dir_ / "real"), "new");
  EXPECT_THAT(Save(dir_ / "link", "new", FailIfExists()), HasCode(StatusCode::kAlreadyExists));
  std::filesystem::create_symlink("missing/real", dir_ / "nowhere");
  EXPECT_THAT(Save(dir_ / "nowhere"), HasCode(StatusCode::kNotFound));
}

TEST_F(SaveTargetTest, LinksInACircleAreRefused) {
  std::filesystem::create_symlink("b", dir_ / "a");
  std::filesystem::create_symlink("a", dir_ / "b");
  EXPECT_THAT(Save(dir_ / "a"), HasCodeAndMessage(StatusCode::kFailedPrecondition, "following symbolic links"));
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("a", "b"));
}

TEST_F(SaveTargetTest, WhatIsNoFileIsNotReplaced) {
  std::filesystem::create_directory(dir_ / "folder");
  std::filesystem::create_symlink("folder", dir_ / "link");
  ASSERT_EQ(::mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  for (const std::string name : {"folder", "folder/", "link", "link/", ".", "folder/..", "/"}) {
    EXPECT_THAT(Save(dir_.path() / name), HasCode(StatusCode::kFailedPrecondition)) << name;
  }
  for (const std::filesystem::path& path : {dir_ / "pipe", std::filesystem::path("/dev/null"), std::filesystem::path("/dev/full")}) {
    EXPECT_THAT(Save(path), HasCodeAndMessage(StatusCode::kInvalidArgument, "write to a ByteSink instead")) << path;
  }
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("folder", "link", "pipe"));
  EXPECT_THAT(NamesIn(dir_ / "folder"), IsEmpty());
}

TEST_F(SaveTargetTest, APathMustNameAFile) {
  EXPECT_THAT(Save(""), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(Save(dir_ / "missing/"), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(Save(dir_ / "missing/file"), HasCode(StatusCode::kNotFound));
  EXPECT_THAT(Save(dir_.path() / std::string("name\0.pte", 9)), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(Save(dir_.path() / std::string("folder\0/name", 12)), HasCode(StatusCode::kInvalidArgument));
  WriteFile(target_, "old");
  EXPECT_THAT(Save(target_ / "below"), HasCode(StatusCode::kFailedPrecondition));
  EXPECT_THAT(Save(dir_ / "target/"), HasCode(StatusCode::kFailedPrecondition));
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target"));
}

TEST_F(SaveTargetTest, ANameAloneIsInTheCurrentFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  EXPECT_THAT(Save("plain"), IsOk());
  EXPECT_THAT(Save("./dotted"), IsOk());
  std::filesystem::current_path(before);
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("dotted", "plain"));
}

TEST_F(SaveTargetTest, NamesAreAsLongAsTheSystemTakesThem) {
  constexpr size_t kLongest = 255;
  EXPECT_THAT(Save(dir_ / std::string(kLongest, 'n')), IsOk());
  EXPECT_THAT(Save(dir_ / std::string(kLongest, 'n'), "again"), IsOk());
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre(std::string(kLongest, 'n')));
  EXPECT_FALSE(Save(dir_ / std::string(kLongest + 1, 'n')).ok());
  EXPECT_EQ(NamesIn(dir_.path()).size(), 1U);
}

TEST_F(SaveTargetTest, AnOpenReaderOfTheOldFileKeepsItsBytes) {
  WriteFile(target_, "old");
  ASSERT_OK_AND_ASSIGN(const auto source, OpenFileSource(target_));
  ASSERT_OK_AND_ASSIGN(const Bytes view, source->View(0, 3));
  EXPECT_THAT(Save(target_, ""), IsOk());
  EXPECT_EQ(view.string_view(), "old");
  std::byte bytes[3];
  EXPECT_THAT(source->ReadAt(0, bytes), IsOk());
}

TEST_F(SaveTargetTest, TheOutputMayBeOneOfTheInputs) {
  const std::string old = Noise(300 * kKiB, 1);
  for (const std::string name : {"target", "symbolic", "hard"}) {
    for (const std::string& entry : NamesIn(dir_.path())) std::filesystem::remove(dir_ / entry);
    WriteFile(target_, old);
    std::filesystem::create_symlink("target", dir_ / "symbolic");
    std::filesystem::create_hard_link(target_, dir_ / "hard");
    Rope rope(Bytes::FromString("head"));
    ASSERT_THAT(rope.Append(Lent(target_)), IsOk());
    ASSERT_THAT(rope.Append(Lent(dir_ / "symbolic")), IsOk());
    EXPECT_THAT(SaveBytes(rope, dir_ / name), IsOk());
    EXPECT_EQ(ReadFile(dir_ / name), "head" + old + old) << name;
    EXPECT_EQ(ReadFile(name == "hard" ? target_ : dir_ / "hard"), old) << "the other name of the old file";
    EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("hard", "symbolic", "target"));
  }
}

TEST_F(SaveTargetTest, TwiceSavedIsAFreshFileEachTime) {
  EXPECT_THAT(Save(target_, Noise(kMiB, 1)), IsOk());
  const ino_t first = InodeOf(target_);
  EXPECT_THAT(Save(target_, "short"), IsOk());
  EXPECT_EQ(ReadFile(target_), "short");
  EXPECT_NE(InodeOf(target_), first);
}

TEST_F(SaveTargetTest, AFileThatIsThereIsNotReplacedUnlessWanted) {
  WriteFile(target_, "old");
  EXPECT_THAT(Save(target_, "new", FailIfExists()), HasCode(StatusCode::kAlreadyExists));
  EXPECT_EQ(ReadFile(target_), "old");
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target"));
}

TEST_F(SaveTargetTest, AFileThatAppearsMeanwhileIsNotReplacedUnlessWanted) {
  // By what renaming without replacing answers; 0 stands for a system that can.
  for (const int error : {0, ENOSYS, EINVAL}) {
    std::filesystem::remove(target_);
    SaveOptions options = FailIfExists();
    options.progress = [&](const Progress&) {
      WriteFile(target_, "theirs");
      return true;
    };
    const ScopedHooks hooks({.any = [&](Syscall& call) {
      return call.name == "renameat2" && error != 0 ? std::optional(Instead{-1, error}) : std::nullopt;
    }});
    EXPECT_THAT(Save(target_, "new", options), HasCodeAndMessage(StatusCode::kAlreadyExists, "target: the file is there already")) << error;
    EXPECT_EQ(ReadFile(target_), "theirs");
    EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target"));
  }
}

TEST_F(SaveTargetTest, WhereRenamingWithoutReplacingIsRefusedALinkDoesIt) {
  for (const int error : {ENOSYS, EINVAL}) {
    std::filesystem::remove(target_);
    const ScopedHooks hooks({.any = [&](Syscall& call) {
      return call.name == "renameat2" ? std::optional(Instead{-1, error}) : std::nullopt;
    }});
    EXPECT_THAT(Save(target_, "new", FailIfExists()), IsOk());
    EXPECT_EQ(ReadFile(target_), "new");
    EXPECT_EQ(std::filesystem::hard_link_count(target_), 1U);
    EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target"));
  }
}

TEST_F(SaveTargetTest, AFolderThatAppearsMeanwhileIsNotReplaced) {
  for (const IfExists if_exists : {IfExists::kReplace, IfExists::kFail}) {
    SaveOptions options;
    options.if_exists = if_exists;
    options.progress = [&](const Progress&) { return std::filesystem::create_directory(target_), true; };
    EXPECT_FALSE(Save(target_, "new", options).ok());
    EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target"));
    std::filesystem::remove(target_);
  }
}

TEST_F(SaveTargetTest, AFolderThatCannotBeSyncedIsFoundBeforeTheTargetIsReplaced) {
  WriteFile(target_, "old");
  SaveOptions options;
  options.durability = Durability::kSynced;
  const ScopedHooks hooks({.any = [&](Syscall& call) {
    return call.name == "open" && call.path == dir_.path().native() ? std::optional(Instead{-1, EACCES}) : std::nullopt;
  }});
  EXPECT_THAT(Save(target_, "new", options), HasCode(StatusCode::kPermissionDenied));
  EXPECT_EQ(ReadFile(target_), "old");
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("target"));
}

TEST_F(SaveTargetTest, ASyncedSaveSyncsTheFileThenItsFolder) {
  std::vector<std::string> calls;
  bool renames = true;
  const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
    struct stat st {};
    if (call.name == "fsync") calls.emplace_back(::fstat(call.fd, &st) == 0 && S_ISDIR(st.st_mode) ? "sync folder" : "sync file");
    if (call.name == "rename" || call.name == "renameat2" || call.name == "link") calls.emplace_back(call.name);
    if (call.name == "unlink" && call.path.ends_with(".pte-work")) calls.emplace_back("remove work file");
    return call.name == "renameat2" && !renames ? std::optional(Instead{-1, EINVAL}) : std::nullopt;
  }});
  const auto calls_of = [&](Durability durability, IfExists if_exists) {
    calls.clear();
    std::filesystem::remove(target_);
    SaveOptions options;
    options.durability = durability;
    options.if_exists = if_exists;
    EXPECT_THAT(Save(target_, "new", options), IsOk());
    return calls;
  };
  EXPECT_THAT(calls_of(Durability::kAtomic, IfExists::kReplace), ElementsAre("rename"));
  EXPECT_THAT(calls_of(Durability::kSynced, IfExists::kReplace), ElementsAre("sync file", "rename", "sync folder"));
  EXPECT_THAT(calls_of(Durability::kSynced, IfExists::kFail), ElementsAre("sync file", "renameat2", "sync folder"));
  renames = false;
  EXPECT_THAT(calls_of(Durability::kSynced, IfExists::kFail),
              ElementsAre("sync file", "renameat2", "link", "remove work file", "sync folder"));
}

}  // namespace
}  // namespace pte::test
