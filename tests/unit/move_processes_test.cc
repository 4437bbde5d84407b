// Moves that meet: one target or one engine for two processes, and moves that are cancelled.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/recover.h"
#include "src/io/syscalls.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::IsEmpty;

class MoveProcessesTest : public testing::TestWithParam<Disk> {
 protected:
  void SetUp() override {
    shop_ = MoveShop::On(GetParam());
    if (shop_ == nullptr) GTEST_SKIP() << kNoDisk;
    shop_->Make(kEngines, true);
  }

  inline static const std::vector<MoveShop::Engine> kEngines = {{"a", 150 * kKiB}, {"b", 130 * kKiB + 5}};

  static std::optional<Instead> DoNotSync(const Syscall& call) {
    return call.name == "fsync" ? std::optional(Instead{0, 0}) : std::nullopt;
  }

  // What a save in another process gives.
  absl::StatusCode SaveElsewhere(const PtdContents& contents, const std::filesystem::path& target) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(static_cast<int>(SavePtd(contents, target, BlockLayout(), Consuming(Durability::kAtomic)).status().code()));
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    return static_cast<absl::StatusCode>(WEXITSTATUS(status));
  }

  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_;
};

TEST_P(MoveProcessesTest, OfTwoMovesToOneTargetTheSecondIsAborted) {
  const PtdContents contents = shop_->Contents();
  int calls = 0;
  std::vector<StatusCode> codes;
  SaveOptions options = Consuming();
  options.progress = [&](const Progress&) {
    if (++calls == 1) codes.push_back(SaveElsewhere(contents, shop_->target()));
    return true;
  };
  ASSERT_THAT(SavePtd(contents, shop_->target(), BlockLayout(), options), IsOk());
  EXPECT_THAT(codes, ElementsAre(StatusCode::kAborted));
  shop_->ExpectDone();
}

// The second process comes in front of each system call of the first in turn.
TEST_P(MoveProcessesTest, OfTwoMovesOfOneEngineOneGetsItAndTheOtherIsUndone) {
  const std::filesystem::path second = shop_->out() / "second.ptd";
  int64_t firsts = 0;
  for (int64_t n = 1; n < 1000 && !HasFailure(); ++n) {
    shop_->Make(kEngines, true);
    const PtdContents theirs = shop_->Contents();
    for (const MoveShop::Engine& engine : kEngines) {
      const absl::StatusOr<FileBackedData> again = FileBackedData::Give(shop_->EnginePath(engine.key));
      ASSERT_THAT(again, IsOk());
      shop_->handles().insert_or_assign(engine.key, *again);
    }
    const PtdContents contents = shop_->Contents();
    int64_t left = n;
    std::optional<StatusCode> other;
    absl::Status status;
    {
      const ScopedHooks hooks({.any = [&](Syscall& call) {
        if (--left == 0) other = SaveElsewhere(theirs, second);
        return DoNotSync(call);
      }});
      status = SavePtd(contents, shop_->target(), BlockLayout(), Consuming()).status();
    }
    if (!other) break;
    SCOPED_TRACE(testing::Message() << "at call " << n << ": " << status << ", and " << absl::StatusCodeToString(*other));
    EXPECT_NE(status.ok(), *other == StatusCode::kOk);
    EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
    firsts += status.ok() ? 1 : 0;
    if (status.ok()) {
      EXPECT_EQ(*other, StatusCode::kAborted);
      shop_->ExpectDone();
    } else {
      EXPECT_EQ(status.code(), StatusCode::kAborted);
      EXPECT_EQ(ReadFile(shop_->target()), kOldTarget);
      EXPECT_TRUE(ReadFile(second) == shop_->expected());
      EXPECT_THAT(NamesIn(shop_->out()), ElementsAre("model.ptd", "second.ptd"));
    }
  }
  EXPECT_GT(firsts, 10);
}

TEST_P(MoveProcessesTest, WhatIsCancelledBeforeTheCommitPointIsUndone) {
  const std::vector<MoveShop::Engine> engines = {{"a", 9 * kMiB}, {"b", 6 * kMiB + 5}, {"c", 9 * kMiB + 4096, true}};
  const SmallPieces pieces(4 * kMiB);
  int cancelled = 0;
  for (int n = 1; n < 100 && !HasFailure(); ++n) {
    shop_->Make(engines, true);
    SaveOptions options = Consuming(Durability::kAtomic);
    int calls = 0;
    options.progress = [&](const Progress&) { return ++calls != n; };
    const absl::Status status = shop_->Save(options).status();
    SCOPED_TRACE(testing::Message() << "at call " << n << ": " << status);
    if (status.ok()) {
      shop_->ExpectDone();
      if (calls < n) break;
    } else {
      ++cancelled;
      EXPECT_EQ(status.code(), StatusCode::kCancelled);
      shop_->ExpectAsBefore();
    }
  }
  EXPECT_GE(cancelled, 1);
}

// Opening a file breaks the lease by which we see whether it is used; the system says so by a signal that must not kill.
TEST_P(MoveProcessesTest, LookingWhetherAFileIsUsedKillsNobody) {
  EXPECT_TRUE(InChild([&] {
    const std::filesystem::path path = shop_->EnginePath("a");
    const pid_t opener = ::fork();
    while (opener == 0) ::close(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 50'000; ++i) (void)sys::CheckUnused(fd);
    ::kill(opener, SIGKILL);
    ::waitpid(opener, nullptr, 0);
    return true;
  }));
}

INSTANTIATE_TEST_SUITE_P(Disks, MoveProcessesTest, testing::Values(Disk::kMemory, Disk::kExt4, Disk::kXfs),
                         [](const auto& disk) { return std::string(NameOf(disk.param)); });

}  // namespace
}  // namespace pte::test
