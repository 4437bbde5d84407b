// Processes that move engines, and those that recover, killed at any system call: no engine is ever lost.
//
// PTE_STORM_KILLS sets how many kills there are over all file systems together.
#include <algorithm>
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
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

constexpr int64_t kUsualKills = 308;
constexpr int64_t kMostCalls = 400;

int64_t KillsForEachDisk() {
  const char* wanted = std::getenv("PTE_STORM_KILLS");
  int64_t kills = kUsualKills;
  if (wanted != nullptr && !absl::SimpleAtoi(wanted, &kills)) ADD_FAILURE() << "PTE_STORM_KILLS is no number: " << wanted;
  constexpr int64_t kDisks = std::size(kAllDisks);
  return (kills + kDisks - 1) / kDisks;
}

// What one process of a storm does, and when it dies.
struct Plan {
  SaveOptions options;
  std::vector<MoveShop::Engine> engines;
  bool has_old_target = false;
  bool has_renameat2 = true;
};

struct Figures {
  int64_t kills = 0;
  int64_t kills_in_recovery = 0;
  int64_t undone = 0;
  int64_t finished = 0;
  int64_t lost = 0;
};

class MoveStormTest : public testing::TestWithParam<Disk> {
 protected:
  void SetUp() override {
    shop_ = MoveShop::On(GetParam());
    if (shop_ == nullptr) GTEST_SKIP() << kNoDisk;
  }

  bool Chance(int in) { return Number(1, in) == 1; }
  int64_t Number(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }

  Plan AnyPlan() {
    Plan plan;
    plan.options = Consuming(Chance(2) ? Durability::kSynced : Durability::kAtomic);
    if (Chance(2)) plan.options.forbidden.push_back(Strategy::kClone);
    if (Chance(3)) plan.options.forbidden.push_back(Strategy::kAdopt);
    if (Chance(4)) plan.options.forbidden.push_back(Strategy::kDrain);
    plan.engines = {{"a", 200 * kKiB}, {"b", 130 * kKiB + 5}, {"c", 90 * kKiB, true}, {"d", 50 * kKiB + 1}, {"e", 70 * kKiB}};
    plan.engines.resize(static_cast<size_t>(Number(1, static_cast<int64_t>(plan.engines.size()))));
    plan.has_old_target = Chance(2);
    plan.has_renameat2 = !Chance(4);
    return plan;
  }

  template <class Work>
  static bool DiesAt(int64_t n, bool has_renameat2, Work work) {
    int64_t left = n;
    return DiesIn(
        work, [&](const Syscall&) { return --left == 0; }, has_renameat2);
  }

  void KillOnce(Figures& figures) {
    const Plan plan = AnyPlan();
    shop_->Make(plan.engines, plan.has_old_target);
    const PtdContents contents = shop_->Contents();
    const int64_t n = Number(1, most_calls_);
    const bool died = DiesAt(n, plan.has_renameat2, [&] { (void)SavePtd(contents, shop_->target(), BlockLayout(), plan.options); });
    if (!died) most_calls_ = std::max<int64_t>(50, most_calls_ - 1);
    if (died) most_calls_ = std::min(kMostCalls, most_calls_ + 2);
    if (!died) return;
    ++figures.kills;
    SCOPED_TRACE(testing::Message() << "killed at call " << n << "; " << plan.engines.size() << " engines"
                                    << (plan.has_renameat2 ? "" : "; no renameat2")
                                    << (plan.options.durability == Durability::kSynced ? "; synced" : ""));
    const auto recover = [&] { (void)Recover(shop_->target()); };
    for (int64_t i = Number(0, 3); i > 0; --i) figures.kills_in_recovery += DiesAt(Number(1, 60), plan.has_renameat2, recover) ? 1 : 0;
    EXPECT_THAT(Recover(shop_->target()), IsOk());
    ++(shop_->ExpectNothingLost(figures.lost) ? figures.finished : figures.undone);
  }

  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_{16 * kKiB};
  std::mt19937_64 random_{static_cast<uint64_t>(GetParam()) + 1};
  int64_t most_calls_ = 200;
};

TEST_P(MoveStormTest, NoEngineIsLostWhoeverIsKilled) {
  Figures figures;
  const int64_t kills = KillsForEachDisk();
  for (int64_t tries = 0; figures.kills < kills && tries < 20 * kills && !HasFailure(); ++tries) KillOnce(figures);
  std::cout << NameOf(GetParam()) << ": " << figures.kills << " kills and " << figures.kills_in_recovery << " in recovery; "
            << figures.undone << " undone, " << figures.finished << " finished, " << figures.lost << " engines lost\n";
  RecordProperty("kills", static_cast<int>(figures.kills));
  RecordProperty("lost", static_cast<int>(figures.lost));
  EXPECT_EQ(figures.lost, 0);
  EXPECT_GE(figures.kills, kills);
}

INSTANTIATE_TEST_SUITE_P(Disks, MoveStormTest, testing::ValuesIn(kAllDisks),
                         [](const auto& disk) { return std::string(NameOf(disk.param)); });

}  // namespace
}  // namespace pte::test
