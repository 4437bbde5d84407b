// Power that goes at any system call of a move, of its undoing and of a recovery: no engine is ever lost.
//
// PTE_POWER_CUT_STEP sets at how many calls' distance the power goes; 1 is every call.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/recover.h"
#include "src/io/hidden_names.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"
#include "tests/unit/power_cut_disk.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

constexpr int64_t kUsualStep = 97;

int64_t Step() {
  const char* wanted = std::getenv("PTE_POWER_CUT_STEP");
  int64_t step = kUsualStep;
  if (wanted != nullptr && (!absl::SimpleAtoi(wanted, &step) || step < 1)) ADD_FAILURE() << "PTE_POWER_CUT_STEP is no step: " << wanted;
  return std::max<int64_t>(step, 1);
}

struct Plan {
  std::string_view name;
  std::vector<Strategy> forbidden = {};
  bool has_old_target = true;
  int64_t failing_rename = 0;  // of those that give a new name: the move is undone
};

const std::vector<Plan> kPlans = {
    {"best strategies"},
    {"no clones, new target", {Strategy::kClone}, false},
    {"drained alone", {Strategy::kClone, Strategy::kAdopt}},
    {"copied alone", {Strategy::kClone, Strategy::kAdopt, Strategy::kDrain}, false},
    {"undone", {Strategy::kClone}, true, 3},
};

const std::vector<MoveShop::Engine> kEngines = {
    {"a", 200 * kKiB}, {"b", 130 * kKiB + 5}, {"c", 90 * kKiB, true}, {"d", 50 * kKiB + 1}, {"e", 70 * kKiB}};

// What the system puts on the disk of its own accord in front of a call.
enum class Flush { kNothing, kAll, kTargetFolder, kSourceFolder };

// When the power goes.
struct Instant {
  int64_t call = 0;
  Flush flush = Flush::kNothing;
  int64_t flushed_at = 0;
};

struct Figures {
  int64_t cuts = 0;
  int64_t kills = 0;  // with a power cut in the recovery
  int64_t cuts_in_recovery = 0;
  int64_t undone = 0;
  int64_t finished = 0;
  int64_t lost = 0;
};

void SyncPath(const std::filesystem::path& path, int (*sync)(int)) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  (void)sync(fd);
  ::close(fd);
}

class MovePowerCutTest : public testing::TestWithParam<Disk> {
 protected:
  bool MakeDisk() {
    shop_.reset();
    disk_ = PowerCutDisk::Make(GetParam());
    if (disk_ == nullptr) return false;
    shop_ = std::make_unique<MoveShop>(disk_->folder());
    return true;
  }
  void TearDown() override { shop_.reset(); }

  int64_t Number(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }
  Instant InstantAt(int64_t call) {
    const auto flush = static_cast<Flush>(Number(0, 3));
    return {call, flush, Number(0, 1) == 0 ? call : Number(std::max<int64_t>(1, call - 20), call)};
  }

  void FlushNow(Flush flush) const {
    switch (flush) {
      case Flush::kNothing: break;
      case Flush::kAll: SyncPath(shop_->in(), ::syncfs); break;
      case Flush::kTargetFolder: SyncPath(shop_->out(), ::fsync); break;
      case Flush::kSourceFolder: SyncPath(shop_->in(), ::fsync); break;
    }
  }

  enum class End { kPowerCut, kKill };

  // Runs `work` in a process that is ended in front of a call; where it does not make that many, the power goes after the last. Whether it
  // was ended.
  template <class Work>
  bool EndsIn(End end, const Instant& instant, int64_t failing_rename, Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
      int64_t calls = 0;
      int64_t renames = 0;
      const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
        ++calls;
        if (calls == instant.flushed_at) FlushNow(instant.flush);
        if (calls == instant.call) ::kill(::getpid(), SIGSTOP);
        if (call.name == "renameat2" && ++renames == failing_rename) return Instead{-1, EACCES};
        return std::nullopt;
      }});
      work();
      if (calls < instant.flushed_at) FlushNow(instant.flush);
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, WUNTRACED), child);
    const bool stands_still = WIFSTOPPED(status);
    if (end == End::kPowerCut) disk_->Freeze();
    if (stands_still) {
      ::kill(child, SIGKILL);
      EXPECT_EQ(::waitpid(child, &status, 0), child);
    }
    shop_->handles().clear();
    if (end == End::kPowerCut) disk_->Cut();
    return stands_still;
  }

  // Whether the move makes that many calls.
  bool CutOnce(const Plan& plan, int64_t n, Figures& figures) {
    shop_->Make(kEngines, plan.has_old_target);
    disk_->SyncAll();
    SaveOptions options = Consuming(Durability::kSynced);
    options.forbidden = plan.forbidden;
    const Instant instant = InstantAt(n);
    SCOPED_TRACE(testing::Message() << plan.name << ", call " << n << "; flush " << static_cast<int>(instant.flush) << " at call "
                                    << instant.flushed_at);
    const auto save = [&] { (void)SavePtd(shop_->Contents(), shop_->target(), BlockLayout(), options); };
    // What a killed process left in memory alone, a recovery may take for what is on the disk.
    const End end = Number(1, 4) == 1 ? End::kKill : End::kPowerCut;
    const bool was_ended = EndsIn(end, instant, plan.failing_rename, save);
    ++(end == End::kKill ? figures.kills : figures.cuts);
    const auto recover = [&] { (void)Recover(shop_->target()); };
    for (int64_t i = end == End::kKill ? 1 : Number(-1, 2); i > 0 && !HasFatalFailure(); --i) {
      figures.cuts_in_recovery += EndsIn(End::kPowerCut, InstantAt(Number(1, 80)), 0, recover) ? 1 : 0;
    }
    if (HasFatalFailure()) return false;
    EXPECT_THAT(Recover(shop_->target()), IsOk());
    const absl::StatusOr<Recovery> again = Recover(shop_->target());
    EXPECT_TRUE(again.ok() && *again == Recovery::kNothingToDo) << again.status();
    ++(shop_->ExpectNothingLost(figures.lost) ? figures.finished : figures.undone);
    return was_ended;
  }

  std::unique_ptr<PowerCutDisk> disk_;
  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_{16 * kKiB};
  std::mt19937_64 random_{static_cast<uint64_t>(GetParam()) + 1};
};

// Else the tests below would prove nothing.
TEST_P(MovePowerCutTest, WhatIsNotSyncedIsLost) {
  if (!MakeDisk()) GTEST_SKIP() << kNoDisk;
  const std::filesystem::path synced = disk_->folder() / "synced";
  const std::filesystem::path lost = disk_->folder() / "lost";
  WriteFile(synced, "bytes");
  disk_->SyncAll();
  WriteFile(lost, "bytes");
  disk_->Freeze();
  disk_->Cut();
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(ReadFile(synced), "bytes");
  EXPECT_FALSE(std::filesystem::exists(lost));
}

// What most file systems would forgive, since they put changes of names on the disk in their order.
TEST_P(MovePowerCutTest, TheFoldersAreSyncedBeforeTheFirstSourceIsTouchedAndBeforeOneGoes) {
  if (!MakeDisk()) GTEST_SKIP() << kNoDisk;
  shop_->Make(kEngines, true);
  const PtdContents contents = shop_->Contents();
  int syncs = 0;
  int claims = 0;
  int removed = 0;
  const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
    const bool is_target = call.path == shop_->target().native();
    if (call.name == "fsync") ++syncs;
    if (call.name == "rename" && (is_target || call.path.ends_with(kJournalSuffix))) syncs = 0;
    if (call.name == "renameat2") {
      ++claims;
      EXPECT_GE(syncs, 1) << "the journal may not be on the disk when " << call.path << " gets its engine";
    }
    const bool is_source = std::filesystem::path(call.path).parent_path() == shop_->in();
    if (call.name == "unlink" && is_source) {
      ++removed;
      EXPECT_GE(syncs, 1) << "the target may not be on the disk when " << call.path << " goes";
    }
    return std::nullopt;
  }});
  EXPECT_THAT(SavePtd(contents, shop_->target(), BlockLayout(), Consuming()), IsOk());
  EXPECT_GE(claims + removed, static_cast<int>(kEngines.size()));
  EXPECT_GE(removed, 1);
}

TEST_P(MovePowerCutTest, NoEngineIsLostWheneverThePowerGoes) {
  Figures figures;
  const int64_t step = Step();
  for (const Plan& plan : kPlans) {
    if (!MakeDisk()) GTEST_SKIP() << kNoDisk;
    for (int64_t n = Number(1, step); CutOnce(plan, n, figures) && !HasFailure(); n += step) continue;
    if (HasFailure()) break;
  }
  std::cout << NameOf(GetParam()) << ": " << figures.cuts << " power cuts, " << figures.kills << " kills, and " << figures.cuts_in_recovery
            << " power cuts in recovery; " << figures.undone << " undone, " << figures.finished << " finished, " << figures.lost
            << " engines lost\n";
  RecordProperty("cuts", static_cast<int>(figures.cuts));
  RecordProperty("lost", static_cast<int>(figures.lost));
  EXPECT_EQ(figures.lost, 0);
  EXPECT_GE(figures.cuts + figures.kills, static_cast<int64_t>(kPlans.size()));
}

INSTANTIATE_TEST_SUITE_P(Disks, MovePowerCutTest, testing::Values(Disk::kExt4, Disk::kXfs, Disk::kXfsWithoutReflink, Disk::kBtrfs),
                         [](const auto& disk) { return std::string(NameOf(disk.param)); });

}  // namespace
}  // namespace pte::test
