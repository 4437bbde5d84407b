// Whichever system call of a move fails: everything is as it was, or the output is complete.
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/recover.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

// Saves that make more calls than this are going round in circles.
constexpr int64_t kMostCalls = 2000;

struct Move {
  std::string name;
  Disk disk;
  std::vector<MoveShop::Engine> engines;
  std::vector<Strategy> forbidden;
  Durability durability = Durability::kSynced;
  bool has_old_target = true;
  bool has_renameat2 = true;

  friend std::ostream& operator<<(std::ostream& out, const Move& move) { return out << move.name; }
};

const std::vector<MoveShop::Engine> kOne = {{"a", 150 * kKiB + 7}};
const std::vector<MoveShop::Engine> kMany = {{"a", 150 * kKiB}, {"b", 170 * kKiB + 5}, {"c", 70 * kKiB, true}, {"d", 50 * kKiB + 1}};

const std::vector<Move> kMoves = {
    {"Copy", Disk::kMemory, kOne, {Strategy::kDrain}},
    {"Drain", Disk::kMemory, kOne, {}},
    {"DrainAtomic", Disk::kMemory, kOne, {}, Durability::kAtomic},
    {"DrainNew", Disk::kMemory, kOne, {}, Durability::kSynced, false},
    {"DrainWithoutRenameat2", Disk::kMemory, kOne, {}, Durability::kSynced, true, false},
    {"Clone", Disk::kXfs, kOne, {}},
    {"CloneAtomic", Disk::kBtrfs, kOne, {}, Durability::kAtomic},
    {"Adopt", Disk::kExt4, kOne, {}},
    {"AdoptAtomic", Disk::kXfsWithoutReflink, kOne, {}, Durability::kAtomic},
    {"AdoptNew", Disk::kExt4, kOne, {}, Durability::kSynced, false},
    {"AdoptWithoutRenameat2", Disk::kExt4, kOne, {}, Durability::kSynced, true, false},
    {"AdoptDrainCopy", Disk::kExt4, kMany, {}},
    {"AdoptDrainCopyAtomic", Disk::kXfsWithoutReflink, kMany, {}, Durability::kAtomic, false},
    {"CloneDrain", Disk::kXfs, kMany, {}},
    {"CloneDrainAtomic", Disk::kBtrfs, kMany, {}, Durability::kAtomic, false},
};

class MoveFailingCallsTest : public testing::TestWithParam<Move> {
 protected:
  void SetUp() override {
    shop_ = MoveShop::On(GetParam().disk);
    if (shop_ == nullptr) GTEST_SKIP() << kNoDisk;
  }

  // Nothing here asks what survives a power cut, and waiting for the disk takes longer than all else.
  std::optional<Instead> Fail(const Syscall& call, NthCallFails& fault) const {
    std::optional<Instead> instead = fault.See(call);
    if (instead) return instead;
    if (call.name == "fsync") return Instead{0, 0};
    if (call.name == "renameat2" && !GetParam().has_renameat2) return Instead{-1, EINVAL};
    return std::nullopt;
  }

  absl::StatusOr<SaveReport> Save(NthCallFails& fault) {
    SaveOptions options = Consuming(GetParam().durability);
    options.forbidden = GetParam().forbidden;
    const PtdContents contents = shop_->Contents();
    const ScopedHooks hooks({.any = [&](Syscall& call) { return Fail(call, fault); }});
    return SavePtd(contents, shop_->target(), BlockLayout(), options);
  }

  // The output is there; the sources are gone, or the report says that they are not.
  void ExpectDone(const SaveReport& report) {
    std::vector<std::string> kept;
    for (const SourceOutcome& source : report.sources) {
      if (source.removed) continue;
      EXPECT_THAT(source.why_kept, testing::Not(testing::IsEmpty()));
      kept.push_back(source.path.filename().string());
      EXPECT_TRUE(ReadFile(source.path) == shop_->EngineBytes(source.path.stem().string()));
    }
    EXPECT_THAT(NamesIn(shop_->in()), testing::UnorderedElementsAreArray(kept));
    EXPECT_THAT(NamesIn(shop_->out()), testing::ElementsAre("model.ptd"));
    EXPECT_TRUE(ReadFile(shop_->target()) == shop_->expected());
    for (const auto& [key, handle] : shop_->handles()) EXPECT_TRUE(TextOf(handle.AsRope()) == shop_->EngineBytes(key)) << key;
  }

  absl::StatusOr<Recovery> RecoverWith(NthCallFails& fault) {
    const ScopedHooks hooks({.any = [&](Syscall& call) { return Fail(call, fault); }});
    return Recover(shop_->target());
  }

  // Whatever was left is finished or undone, and the engines are in one place.
  void ExpectRecovered() {
    const absl::StatusOr<Recovery> recovered = Recover(shop_->target());
    ASSERT_THAT(recovered, IsOk());
    const bool is_published = std::filesystem::exists(shop_->target()) && ReadFile(shop_->target()) == shop_->expected();
    if (is_published) {
      EXPECT_THAT(NamesIn(shop_->in()), testing::IsEmpty());
      EXPECT_THAT(NamesIn(shop_->out()), testing::ElementsAre("model.ptd"));
    } else {
      shop_->ExpectAsBefore();
    }
    EXPECT_THAT(FindUnfinishedMoves(shop_->out()), IsOk());
    EXPECT_THAT(*FindUnfinishedMoves(shop_->out()), testing::IsEmpty());
  }

  static bool Says(const absl::Status& status, std::string_view text) { return status.ToString().find(text) != std::string::npos; }

  // Whether there was an nth call to fail.
  bool FailOnce(int64_t n, int error) {
    shop_->Make(GetParam().engines, GetParam().has_old_target);
    NthCallFails fault(n, error);
    const size_t descriptors = CountDescriptors();
    const absl::StatusOr<SaveReport> report = Save(fault);
    const absl::Status& status = report.status();
    SCOPED_TRACE(testing::Message() << "call " << n << " (" << fault.failed() << ") failed: " << std::strerror(error) << "; " << status);
    EXPECT_EQ(CountDescriptors(), descriptors);
    if (status.ok()) {
      ExpectDone(*report);
    } else if (Says(status, "unfinished") || Says(status, "complete and in place")) {
      ExpectRecovered();
      EXPECT_TRUE(ReadFile(shop_->target()) == shop_->expected());
    } else {
      shop_->ExpectAsBefore();
    }
    return !fault.failed().empty();
  }

  bool FailFromThenOn(int64_t n, int error) {
    shop_->Make(GetParam().engines, GetParam().has_old_target);
    NthCallFails fault(n, error, true);
    const size_t descriptors = CountDescriptors();
    const absl::Status status = Save(fault).status();
    SCOPED_TRACE(testing::Message() << "all from call " << n << " (" << fault.failed() << ") failed: " << std::strerror(error) << "; "
                                    << status);
    EXPECT_EQ(CountDescriptors(), descriptors);
    ExpectRecovered();
    return !fault.failed().empty();
  }

  // A move that stopped at the nth call, whose recovery then fails at each of its own.
  bool FailInRecovery(int64_t n, int64_t in_recovery) {
    shop_->Make(GetParam().engines, GetParam().has_old_target);
    NthCallFails first(n, EIO, true);
    Save(first).status().IgnoreError();
    NthCallFails second(in_recovery, EIO);
    const absl::StatusOr<Recovery> recovered = RecoverWith(second);
    SCOPED_TRACE(testing::Message() << "all from call " << n << " (" << first.failed() << ") failed, and call " << in_recovery << " ("
                                    << second.failed() << ") of the recovery: " << recovered.status());
    ExpectRecovered();
    return !second.failed().empty();
  }

  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_;
};

TEST_P(MoveFailingCallsTest, EverythingIsAsItWasOrDoneWhenTheNthCallFails) {
  for (const int error : {EIO, ENOSPC}) {
    int64_t n = 1;
    while (!HasFailure() && n < kMostCalls && FailOnce(n, error)) ++n;
    EXPECT_GT(n, 10) << "hardly any call was seen: the wrappers are not in front of the library";
    EXPECT_LT(n, kMostCalls);
  }
}

TEST_P(MoveFailingCallsTest, RecoveryUndoesOrFinishesWhenAllCallsFailFromTheNthOn) {
  for (const int error : {EIO, ENOSPC}) {
    int64_t n = 1;
    while (!HasFailure() && n < kMostCalls && FailFromThenOn(n, error)) ++n;
  }
}

TEST_P(MoveFailingCallsTest, RecoveryMayFailAtEachOfItsCallsAndIsMadeAgain) {
  NthCallFails none(kMostCalls, EIO);
  shop_->Make(GetParam().engines, GetParam().has_old_target);
  ASSERT_THAT(Save(none), IsOk());
  for (int64_t n = 10; n < kMostCalls && !HasFailure(); n += 7) {
    shop_->Make(GetParam().engines, GetParam().has_old_target);
    NthCallFails fault(n, EIO, true);
    if (Save(fault).ok() && fault.failed().empty()) break;
    for (int64_t m = 1; m < kMostCalls && !HasFailure() && FailInRecovery(n, m);) ++m;
  }
}

TEST_P(MoveFailingCallsTest, AnInterruptedCallIsMadeAgain) {
  for (int64_t n = 1; n < kMostCalls && !HasFailure(); ++n) {
    shop_->Make(GetParam().engines, GetParam().has_old_target);
    NthCallFails fault(n, EINTR);
    const absl::StatusOr<SaveReport> report = Save(fault);
    SCOPED_TRACE(testing::Message() << "call " << n << " (" << fault.failed() << ") was interrupted; " << report.status());
    ASSERT_THAT(report, IsOk());
    ExpectDone(*report);
    if (fault.failed().empty()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Moves, MoveFailingCallsTest, testing::ValuesIn(kMoves), [](const auto& move) { return move.param.name; });

}  // namespace
}  // namespace pte::test
