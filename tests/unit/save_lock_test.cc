// Several savers: one at a time to each target, and what dead ones left is removed by the next.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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
using testing::EndsWith;
using testing::IsEmpty;

constexpr char kWorkEnding[] = ".pte-work";
constexpr char kLockEnding[] = ".pte-lock";

class SaveLockTest : public testing::Test {
 protected:
  static Rope Text(const std::string& text) { return Bytes::FromString(text); }

  // Saves, and calls `meanwhile` once while its work file stands.
  static absl::Status SaveAndMeanwhile(const std::filesystem::path& target, const std::function<void()>& meanwhile) {
    bool called = false;
    SaveOptions options;
    options.progress = [&](const Progress&) {
      if (!std::exchange(called, true)) meanwhile();
      return true;
    };
    return SaveBytes(Text("outer"), target, options).status();
  }

  // A process that is killed while it saves.
  static void SaveAndDie(const std::filesystem::path& target) {
    const pid_t child = ::fork();
    if (child == 0) {
      SaveAndMeanwhile(target, [] { ::kill(::getpid(), SIGKILL); }).IgnoreError();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  // The hidden names of a save to `target`.
  std::vector<std::string> HiddenNames(const std::filesystem::path& target) {
    std::vector<std::string> names;
    EXPECT_THAT(SaveAndMeanwhile(target,
                                 [&] {
                                   for (const std::string& name : NamesIn(dir_.path())) {
                                     if (name[0] == '.') names.push_back(name);
                                   }
                                 }),
                IsOk());
    return names;
  }

  TempDir dir_;
  std::filesystem::path target_ = dir_ / "model.pte";
};

TEST_F(SaveLockTest, WorkAndLockFileAreHiddenAndMatchNoPatternForContainers) {
  EXPECT_THAT(HiddenNames(target_), ElementsAre(EndsWith(kWorkEnding), EndsWith(kLockEnding)));
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("model.pte"));
}

TEST_F(SaveLockTest, ASecondSaveToTheSameTargetIsAborted) {
  absl::Status inner;
  EXPECT_THAT(SaveAndMeanwhile(target_, [&] { inner = SaveBytes(Text("inner"), target_).status(); }), IsOk());
  EXPECT_THAT(inner, HasCodeAndMessage(StatusCode::kAborted, "model.pte: another save to this file is going on"));
  EXPECT_EQ(ReadFile(target_), "outer");
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("model.pte"));
}

TEST_F(SaveLockTest, ASecondSaveThroughALinkIsAbortedToo) {
  std::filesystem::create_symlink("model.pte", dir_ / "link");
  absl::Status inner;
  EXPECT_THAT(SaveAndMeanwhile(target_, [&] { inner = SaveBytes(Text("inner"), dir_ / "link").status(); }), IsOk());
  EXPECT_THAT(inner, HasCode(StatusCode::kAborted));
}

TEST_F(SaveLockTest, TheNextSaveRemovesWhatADeadSaverLeft) {
  SaveAndDie(target_);
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre(EndsWith(kWorkEnding), EndsWith(kLockEnding)));
  EXPECT_THAT(SaveBytes(Text("next"), target_), IsOk());
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("model.pte"));
}

TEST_F(SaveLockTest, WhatADeadSaverLeftIsRemovedByASaveThatFailsToo) {
  SaveAndDie(target_);
  SaveOptions options;
  options.progress = [](const Progress&) { return false; };
  EXPECT_THAT(SaveBytes(Text("next"), target_, options), HasCode(StatusCode::kCancelled));
  EXPECT_THAT(NamesIn(dir_.path()), IsEmpty());
}

TEST_F(SaveLockTest, WorkFilesOfOtherTargetsAreNotTouched) {
  for (const std::string other : {"model", "model.pt", "model.pte2", "model.pte.2", "Model.pte", ".model.pte"}) {
    EXPECT_THAT(SaveAndMeanwhile(dir_ / other, [&] { EXPECT_THAT(SaveBytes(Text("inner"), target_), IsOk()); }), IsOk()) << other;
    EXPECT_EQ(ReadFile(dir_ / other), "outer");
    std::filesystem::remove(dir_ / other);
  }
}

TEST_F(SaveLockTest, ATargetNamedLikeTheHiddenFilesOfAnotherKeepsItsWorkFile) {
  const std::string work = HiddenNames(target_)[0];
  const std::string stem = work.substr(1, work.size() - std::string("0123456789abcdef.pte-work").size() - 1);
  for (const std::string& other : {stem, stem + "x", stem + "0123456789abcdef"}) {
    EXPECT_THAT(SaveAndMeanwhile(dir_ / other, [&] { EXPECT_THAT(SaveBytes(Text("inner"), target_), IsOk()); }), IsOk()) << other;
    EXPECT_EQ(ReadFile(dir_ / other), "outer");
  }
}

TEST_F(SaveLockTest, FilesThatNoSaverMadeAreNotTouched) {
  const std::string work = HiddenNames(target_)[0];
  const std::string stem = work.substr(0, work.size() - std::string("0123456789abcdef.pte-work").size());
  const std::vector<std::string> theirs = {stem + "notes.pte-work", stem + "0123456789abcdeg.pte-work",
                                           stem + "0123456789abcdef.pte-work~"};
  for (const std::string& name : theirs) WriteFile(dir_ / name, "theirs");
  EXPECT_THAT(SaveBytes(Text("next"), target_), IsOk());
  for (const std::string& name : theirs) EXPECT_TRUE(std::filesystem::exists(dir_ / name)) << name;
}

TEST_F(SaveLockTest, LongNamesThatBeginAlikeAreDifferentTargets) {
  const std::string a = std::string(250, 'n') + ".pte";
  const std::string b = std::string(251, 'n') + ".pte";
  EXPECT_THAT(SaveAndMeanwhile(dir_ / a, [&] { EXPECT_THAT(SaveBytes(Text("inner"), dir_ / b), IsOk()); }), IsOk());
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre(a, b));
}

TEST_F(SaveLockTest, WhereLocksAreRefusedASaveWorksAndLeavesNoLockFile) {
  for (const int error : {ENOLCK, ENOSYS, EOPNOTSUPP, EBADF}) {
    const ScopedHooks hooks({.any = [&](Syscall& call) {
      return call.name == "flock" ? std::optional(Instead{-1, error}) : std::nullopt;
    }});
    EXPECT_THAT(SaveBytes(Text("text"), target_), IsOk()) << error;
    EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("model.pte")) << error;
  }
}

TEST_F(SaveLockTest, WhereLocksAreRefusedNothingIsTakenForDead) {
  SaveAndDie(target_);
  const ScopedHooks hooks({.any = [](Syscall& call) { return call.name == "flock" ? std::optional(Instead{-1, ENOLCK}) : std::nullopt; }});
  EXPECT_THAT(SaveBytes(Text("text"), target_), IsOk());
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre(EndsWith(kWorkEnding), EndsWith(kLockEnding), "model.pte"));
}

TEST_F(SaveLockTest, ALockFileThatCannotBeLookedAtEndsTheTryingNotTheSave) {
  for (const std::string name : {"lstat", "fstat"}) {
    int calls = 0;
    const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
      const bool is_lock = name == "fstat" || call.path.ends_with(kLockEnding);
      if (call.name != name || !is_lock || ++calls > 10000) return std::nullopt;
      return Instead{-1, EIO};
    }});
    EXPECT_THAT(SaveBytes(Text("text"), target_), IsOk()) << name;
    EXPECT_LE(calls, 1000) << name;
    EXPECT_EQ(ReadFile(target_), "text");
  }
}

TEST_F(SaveLockTest, ALockFileRemovedWhileItIsLockedIsMadeAgain) {
  int locks = 0;
  const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
    if (call.name == "flock" && ++locks == 1) {
      for (const std::string& name : NamesIn(dir_.path())) std::filesystem::remove(dir_ / name);
    }
    return std::nullopt;
  }});
  absl::Status inner;
  EXPECT_THAT(SaveAndMeanwhile(target_, [&] { inner = SaveBytes(Text("inner"), target_).status(); }), IsOk());
  EXPECT_THAT(inner, HasCode(StatusCode::kAborted));
  EXPECT_EQ(locks, 3);
}

TEST_F(SaveLockTest, AWorkNameThatIsTakenIsNotUsed) {
  const ScopedHooks hooks({.any = [](Syscall& call) {
    return call.name == "getrandom" || call.name == "flock" ? std::optional(Instead{-1, ENOSYS}) : std::nullopt;
  }});
  // Without random numbers and locks both savers begin with the same name.
  EXPECT_THAT(SaveAndMeanwhile(target_, [&] { EXPECT_THAT(SaveBytes(Text("inner"), target_), IsOk()); }), IsOk());
  EXPECT_EQ(ReadFile(target_), "outer");
  EXPECT_THAT(NamesIn(dir_.path()), ElementsAre("model.pte"));
}

}  // namespace
}  // namespace pte::test
