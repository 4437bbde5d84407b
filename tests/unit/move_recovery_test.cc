// What a process that died in the middle of a move leaves: it is undone or finished, by the next save too, and what is not understood is
// not touched.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/recover.h"
#include "src/io/hidden_names.h"
#include "src/io/journal.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

const std::vector<MoveShop::Engine> kEngines = {{"a", 150 * kKiB}, {"b", 130 * kKiB + 5}};

class MoveRecoveryTest : public testing::Test {
 protected:
  void SetUp() override {
    shop_ = MoveShop::On(Disk::kMemory);
    if (shop_ == nullptr) GTEST_SKIP() << kNoDisk;
    shop_->Make(kEngines, true);
  }

  const std::filesystem::path& target() const { return shop_->target(); }
  std::filesystem::path Hidden(std::string_view suffix) const { return shop_->out() / HiddenName(target().filename().string(), suffix); }

  void Die(const std::function<bool(const Syscall&)>& here) {
    const PtdContents contents = shop_->Contents();
    ASSERT_TRUE(DiesIn([&] { (void)SavePtd(contents, target(), BlockLayout(), Consuming()); }, here));
    std::filesystem::remove(Hidden(kLockSuffix));  // of no meaning to anybody once its owner is dead
  }
  // Before the commit point, with all bytes written that can be, and after it, with a piece drained.
  void DiePrepared() {
    Die([](const Syscall& call) { return call.name == "renameat2"; });
  }
  void DieCommitted() {
    int cuts = 0;
    Die([&](const Syscall& call) { return call.name == "ftruncate" && ++cuts == 3; });
  }

  // The calls of a recovery, in order; with the suffix of the file, where they name one: "unlink.pte-move".
  std::vector<std::string> CallsOfRecovery() {
    std::vector<std::string> calls;
    const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
      calls.push_back(std::string(call.name) + std::filesystem::path(call.path).extension().string());
      return std::nullopt;
    }});
    EXPECT_THAT(Recover(target()), IsOk());
    return calls;
  }

  absl::Status SaveSomething() { return SaveBytes(Bytes::FromString("something"), target()).status(); }

  // That neither a recovery nor a save to the target touches anything.
  void ExpectRefused(StatusCode code, const std::string& text) {
    const std::map<std::string, FileState> before = shop_->State();
    EXPECT_THAT(Recover(target()), HasCodeAndMessage(code, text));
    EXPECT_TRUE(shop_->State() == before) << "by the recovery";
    EXPECT_THAT(SaveSomething(), HasCodeAndMessage(code, text));
    EXPECT_TRUE(shop_->State() == before) << "by the save";
    EXPECT_THAT(FindUnfinishedMoves(shop_->out()), IsOk());
    EXPECT_THAT(*FindUnfinishedMoves(shop_->out()), ElementsAre(target()));
  }

  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_;
};

TEST_F(MoveRecoveryTest, WhereNothingWasInterruptedThereIsNothingToDo) {
  EXPECT_EQ(*Recover(target()), Recovery::kNothingToDo);
  EXPECT_EQ(*Recover(shop_->out() / "never there"), Recovery::kNothingToDo);
  EXPECT_THAT(*FindUnfinishedMoves(shop_->out()), IsEmpty());
  EXPECT_THAT(FindUnfinishedMoves(shop_->out() / "missing"), HasCode(StatusCode::kNotFound));
  shop_->ExpectAsBefore();
}

TEST_F(MoveRecoveryTest, AMoveThatWasNotCommittedIsUndone) {
  DiePrepared();
  EXPECT_THAT(*FindUnfinishedMoves(shop_->out()), ElementsAre(target()));
  ASSERT_THAT(Recover(target()), IsOk());
  shop_->ExpectAsBefore();
}

TEST_F(MoveRecoveryTest, AMoveThatWasCommittedIsFinished) {
  DieCommitted();
  EXPECT_THAT(*FindUnfinishedMoves(shop_->out()), ElementsAre(target()));
  EXPECT_EQ(*Recover(target()), Recovery::kFinished);
  EXPECT_TRUE(ReadFile(target()) == shop_->expected());
  EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
  EXPECT_THAT(NamesIn(shop_->out()), ElementsAre("model.ptd"));
  EXPECT_EQ(*Recover(target()), Recovery::kNothingToDo);
}

TEST_F(MoveRecoveryTest, ASaveUndoesWhatWasNotCommittedAndGoesOn) {
  DiePrepared();
  ASSERT_THAT(shop_->Save(Consuming()), IsOk());
  shop_->ExpectDone();
}

TEST_F(MoveRecoveryTest, ASaveFinishesWhatWasCommittedAndReplacesItOnlyWhenAskedAgain) {
  for (const bool consume : {false, true}) {
    shop_->Make(kEngines, true);
    DieCommitted();
    SaveOptions options;
    options.consume = consume;
    EXPECT_THAT(SaveBytes(Bytes::FromString("something"), target(), options), HasCodeAndMessage(StatusCode::kAborted, "finished just now"));
    EXPECT_TRUE(ReadFile(target()) == shop_->expected());
    EXPECT_THAT(SaveSomething(), IsOk());
    EXPECT_EQ(ReadFile(target()), "something");
    EXPECT_THAT(NamesIn(shop_->out()), ElementsAre("model.ptd"));
    EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
  }
}

TEST_F(MoveRecoveryTest, AnEngineThatIsBeingEmptiedCannotBeGivenOrLent) {
  DieCommitted();
  const std::vector<std::string> names = NamesIn(shop_->in());
  EXPECT_THAT(names, ElementsAre(EndsWith(".pte-drain"), EndsWith(".pte-drain")));
  for (const std::string& name : names) {
    EXPECT_THAT(FileBackedData::Give(shop_->in() / name), HasCodeAndMessage(StatusCode::kFailedPrecondition, "recovering"));
    EXPECT_THAT(FileBackedData::Lend(shop_->in() / name), HasCodeAndMessage(StatusCode::kFailedPrecondition, "recovering"));
    EXPECT_THAT(FileBackedData::Lend(shop_->in() / name, 0, 1), HasCodeAndMessage(StatusCode::kFailedPrecondition, "recovering"));
  }
}

TEST_F(MoveRecoveryTest, ADamagedJournalIsRefusedAndNothingIsTouched) {
  DieCommitted();
  const std::string journal = ReadFile(Hidden(kJournalSuffix));
  for (size_t at = 0; at < journal.size() && !HasFailure(); ++at) {
    std::string damaged = journal;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    WriteFile(Hidden(kJournalSuffix), damaged);
    ExpectRefused(StatusCode::kDataLoss, "nothing was touched");
  }
  for (size_t size = 0; size < journal.size() && !HasFailure(); ++size) {
    WriteFile(Hidden(kJournalSuffix), journal.substr(0, size));
    ExpectRefused(StatusCode::kDataLoss, "nothing was touched");
  }
  WriteFile(Hidden(kJournalSuffix), journal + '\0');
  ExpectRefused(StatusCode::kDataLoss, "nothing was touched");
  WriteFile(Hidden(kJournalSuffix), journal);
  EXPECT_EQ(*Recover(target()), Recovery::kFinished);
  EXPECT_TRUE(ReadFile(target()) == shop_->expected());
}

TEST_F(MoveRecoveryTest, AJournalOfANewerVersionIsRefusedAndNothingIsTouched) {
  DieCommitted();
  std::string journal = ReadFile(Hidden(kJournalSuffix));
  ++journal[std::string_view("pte-move").size()];
  const uint64_t checksum = XXH3_64bits(journal.data(), journal.size() - sizeof checksum);
  std::memcpy(journal.data() + journal.size() - sizeof checksum, &checksum, sizeof checksum);
  WriteFile(Hidden(kJournalSuffix), journal);
  ExpectRefused(StatusCode::kUnimplemented, "another version");
}

TEST_F(MoveRecoveryTest, TheJournalOfAnotherFileIsRefusedAndNothingIsTouched) {
  DieCommitted();
  std::filesystem::rename(Hidden(kJournalSuffix), shop_->out() / HiddenName("other", kJournalSuffix));
  const std::map<std::string, FileState> before = shop_->State();
  EXPECT_THAT(Recover(shop_->out() / "other"), HasCodeAndMessage(StatusCode::kDataLoss, "journal of another file"));
  EXPECT_TRUE(shop_->State() == before);
}

TEST_F(MoveRecoveryTest, FilesThatAreNotThoseOfTheJournalAreNotTouched) {
  for (const bool is_work : {true, false}) {
    shop_->Make(kEngines, true);
    DieCommitted();
    const std::filesystem::path folder = is_work ? shop_->out() : shop_->in();
    for (const std::string& name : NamesIn(folder)) {
      if (!name.ends_with(is_work ? ".pte-work" : ".pte-drain")) continue;
      std::filesystem::rename(folder / name, folder / "moved");
      ExpectRefused(StatusCode::kDataLoss, "nothing was touched");
      WriteFile(folder / name, "another");
      ExpectRefused(StatusCode::kDataLoss, "nothing was touched");
      std::filesystem::rename(folder / "moved", folder / name);
    }
    EXPECT_EQ(*Recover(target()), Recovery::kFinished);
    EXPECT_TRUE(ReadFile(target()) == shop_->expected());
  }
}

TEST_F(MoveRecoveryTest, AnEngineWhoseNameIsTakenWaitsUntilItIsFree) {
  int renames = 0;
  Die([&](const Syscall& call) { return call.name == "renameat2" && ++renames == 2; });
  WriteFile(shop_->EnginePath("a"), "theirs");
  EXPECT_THAT(Recover(target()), HasCodeAndMessage(StatusCode::kAborted, "another file has its name"));
  EXPECT_EQ(ReadFile(shop_->EnginePath("a")), "theirs");
  std::filesystem::remove(shop_->EnginePath("a"));
  EXPECT_EQ(*Recover(target()), Recovery::kUndone);
  shop_->ExpectAsBefore();
}

TEST_F(MoveRecoveryTest, AJournalThatWasNotYetInPlaceGoes) {
  Die([](const Syscall& call) { return call.name == "rename"; });
  EXPECT_TRUE(std::filesystem::exists(Hidden(kNewJournalSuffix)));
  EXPECT_THAT(Recover(target()), IsOk());
  shop_->ExpectAsBefore();
}

// Two moves have taken the same engine, one after the other; the older one never got as far as touching it.
TEST_F(MoveRecoveryTest, UndoingAMoveLeavesAnEngineToTheMoveThatClaimedItSince) {
  DiePrepared();
  const std::filesystem::path second = shop_->out() / "second.ptd";
  const PtdContents contents = shop_->Contents();
  int cuts = 0;
  ASSERT_TRUE(DiesIn([&] { (void)SavePtd(contents, second, BlockLayout(), Consuming()); },
                     [&](const Syscall& call) { return call.name == "ftruncate" && ++cuts == 2; }));
  EXPECT_THAT(Recover(target()), IsOk());
  EXPECT_EQ(ReadFile(target()), kOldTarget);
  EXPECT_EQ(*Recover(second), Recovery::kFinished);
  EXPECT_TRUE(ReadFile(second) == shop_->expected());
  EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
}

// A cut that took the last bytes off an engine need not have reached the disk when the target did.
TEST_F(MoveRecoveryTest, AnEngineWhoseBytesAPowerCutBroughtBackGoesOnceTheTargetIsComplete) {
  Die([](const Syscall& call) { return call.name == "unlink" && call.path.ends_with(kClaimSuffix); });
  const std::vector<std::string> names = NamesIn(shop_->in());
  ASSERT_THAT(names, testing::SizeIs(kEngines.size()));
  std::filesystem::resize_file(shop_->in() / names[0], 16 * kKiB);
  EXPECT_EQ(*Recover(target()), Recovery::kFinished);
  EXPECT_TRUE(ReadFile(target()) == shop_->expected());
  EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
}

// Else a power cut could leave an engine under its hidden name, and no journal that knows it.
TEST_F(MoveRecoveryTest, TheNamesOfEnginesAreOnTheDiskBeforeTheJournalGoes) {
  int renames = 0;
  Die([&](const Syscall& call) { return call.name == "renameat2" && ++renames == 2; });
  const std::vector<std::string> calls = CallsOfRecovery();
  const auto renamed = std::find_if(calls.begin(), calls.end(), [](const std::string& call) { return call.starts_with("renameat2"); });
  const auto gone = std::find(calls.begin(), calls.end(), "unlink.pte-move");
  ASSERT_LT(renamed, gone);
  ASSERT_NE(gone, calls.end());
  EXPECT_EQ(std::count(renamed, gone, "fsync"), 2) << "of both folders";
  shop_->ExpectAsBefore();
}

// As after a start of the system, which numbers devices anew.
TEST_F(MoveRecoveryTest, TheDevicesMayHaveOtherNumbersThanInTheJournal) {
  enum class State { kPrepared, kCommitted, kPublished };
  for (const State state : {State::kPrepared, State::kCommitted, State::kPublished}) {
    shop_->Make(kEngines, true);
    if (state == State::kPrepared) DiePrepared();
    if (state == State::kCommitted) DieCommitted();
    if (state == State::kPublished) Die([](const Syscall& call) { return call.name == "unlink" && call.path.ends_with(kClaimSuffix); });
    const Target place = *ResolveTarget(target());
    Journal journal = **ReadJournal(place);
    journal.work_device += 1;
    for (JournalEntry& entry : journal.entries) entry.identity.device += 1;
    ASSERT_THAT(WriteJournal(place, journal), IsOk());
    EXPECT_THAT(Recover(target()), IsOk());
    if (state == State::kPrepared) {
      shop_->ExpectAsBefore();
    } else {
      EXPECT_TRUE(ReadFile(target()) == shop_->expected());
      EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
      EXPECT_THAT(NamesIn(shop_->out()), ElementsAre("model.ptd"));
    }
  }
}

// Its writer may have died between giving it its name and syncing the folder.
TEST_F(MoveRecoveryTest, TheRecordOfTheCommitIsOnTheDiskBeforeARecoveryEmptiesAnEngine) {
  int journals = 0;
  Die([&](const Syscall& call) {
    if (call.name == "rename" && call.path.ends_with(kJournalSuffix)) ++journals;
    return journals == 2 && call.name == "fsync";
  });
  const std::vector<std::string> calls = CallsOfRecovery();
  const auto synced = std::find(calls.begin(), calls.end(), "fsync");
  EXPECT_LT(synced, std::find(calls.begin(), calls.end(), "copy_file_range"));
  EXPECT_LT(synced, std::find(calls.begin(), calls.end(), "pwrite"));
  EXPECT_NE(std::find(synced, calls.end(), "ftruncate"), calls.end());
  EXPECT_TRUE(ReadFile(target()) == shop_->expected());
}

// The record of the commit is in place, but the folder cannot be synced: the move is undone, and may die while it is.
TEST_F(MoveRecoveryTest, AMoveThatDiesWhileItsFailedCommitIsUndoneLosesNothing) {
  for (int64_t n = 1; n < 100 && !HasFailure(); ++n) {
    shop_->Make(kEngines, true);
    const PtdContents contents = shop_->Contents();
    int journals = 0;
    int64_t left = n;
    const auto work = [&] {
      const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
        if (journals >= 2 && --left == 0) ::kill(::getpid(), SIGKILL);
        if (call.name == "rename" && call.path.ends_with(kJournalSuffix)) ++journals;
        if (call.name == "fsync") return journals == 2 ? std::exchange(journals, 3), Instead{-1, EIO} : Instead{0, 0};
        return std::nullopt;
      }});
      (void)SavePtd(contents, target(), BlockLayout(), Consuming());
    };
    const bool died = DiesIn(work, [](const Syscall&) { return false; });
    SCOPED_TRACE(testing::Message() << "killed at call " << n << " after the commit");
    EXPECT_THAT(Recover(target()), IsOk());
    if (ReadFile(target()) == kOldTarget) {
      shop_->ExpectAsBefore();
    } else {
      EXPECT_TRUE(ReadFile(target()) == shop_->expected());
      EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
    }
    if (!died) break;
  }
}

}  // namespace
}  // namespace pte::test
