// Moving by each strategy on each file system: the same bytes, nothing left, and a report that adds up.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/ptd_file.h"
#include "pte/verify.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

using testing::IsEmpty;
using testing::Not;

// The last is below a block; the one before it stands at no block; the second is no whole number of blocks.
const std::vector<MoveShop::Engine> kEngines = {
    {"a", 200 * kKiB}, {"b", 300 * kKiB + 5}, {"c", 100 * kKiB + 9, true}, {"d", 50 * kKiB + 1}, {"e", 1234}};

using Where = std::tuple<Disk, Strategy>;

class MoveStrategyTest : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    shop_ = MoveShop::On(disk());
    if (shop_ == nullptr) GTEST_SKIP() << kNoDisk;
  }

  Disk disk() const { return std::get<0>(GetParam()); }
  Strategy strategy() const { return std::get<1>(GetParam()); }

  // Of an engine; nullopt where the machine's own file system decides.
  std::optional<Strategy> Wanted(const std::string& key, Durability durability) const {
    if (strategy() == Strategy::kCopy) return Strategy::kCopy;
    if (disk() == Disk::kOwn) return std::nullopt;
    const bool is_at_block = key != "d" && key != "e";
    if (strategy() == Strategy::kClone) return CanClone(disk()) && is_at_block ? Strategy::kClone : Strategy::kCopy;
    if (strategy() == Strategy::kDrain) return key == "c" ? Strategy::kCopy : Strategy::kDrain;
    const bool can_adopt = CanInsert(disk()) && (durability == Durability::kAtomic || disk() == Disk::kExt4);
    return can_adopt && key == "b" ? Strategy::kAdopt : Strategy::kCopy;
  }

  void ExpectWanted(const SaveReport& report, Durability durability) const {
    for (const SourceOutcome& source : report.sources) {
      const std::string key = source.path.stem().string();
      const std::optional<Strategy> wanted = Wanted(key, durability);
      EXPECT_EQ(StrategyName(source.strategy), StrategyName(wanted.value_or(source.strategy))) << key << ": " << source.reason;
      EXPECT_TRUE(source.strategy == Strategy::kClone || !source.reason.empty()) << key << " by " << StrategyName(source.strategy);
      EXPECT_TRUE(source.removed) << key << ": " << source.why_kept;
      EXPECT_THAT(source.why_kept, IsEmpty());
      EXPECT_EQ(source.size, shop_->EngineBytes(key).size());
      EXPECT_TRUE(shop_->expected().substr(source.file_offset, source.size) == shop_->EngineBytes(key)) << key;
    }
  }

  static void ExpectSums(const SaveReport& report) {
    EXPECT_EQ(report.bytes_written + report.bytes_copied + report.bytes_cloned + report.bytes_moved, report.file_size);
    uint64_t moved = 0;
    for (const SourceOutcome& source : report.sources) {
      if (source.strategy == Strategy::kAdopt || source.strategy == Strategy::kDrain) moved += source.size;
    }
    EXPECT_EQ(report.bytes_moved, moved);
    for (const SavedPayload& payload : report.payloads) {
      for (const SourceOutcome& source : report.sources) {
        // A copy that the kernel makes by sharing blocks is one all the same.
        if (source.path.stem() != payload.key || source.strategy == Strategy::kCopy) continue;
        EXPECT_EQ(StrategyName(payload.strategy), StrategyName(source.strategy)) << payload.key;
      }
    }
  }

  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_;
};

TEST_P(MoveStrategyTest, TheOutputIsTheSameAndTheSourcesAreGone) {
  for (const Durability durability : {Durability::kSynced, Durability::kAtomic}) {
    for (const bool has_old : {false, true}) {
      shop_->Make(kEngines, has_old);
      ASSERT_OK_AND_ASSIGN(const SaveReport report, shop_->Save(ConsumingOnlyBy(strategy(), durability)));
      shop_->ExpectDone();
      ASSERT_EQ(report.sources.size(), kEngines.size());
      ExpectWanted(report, durability);
      ExpectSums(report);
      ASSERT_OK_AND_ASSIGN(const VerifyReport verified, VerifyFile(shop_->target()));
      EXPECT_NE(verified.verdict, Verdict::kError);
    }
  }
}

TEST_P(MoveStrategyTest, CopiesOfHandlesAndRopesMadeBeforeReadFromTheOutput) {
  shop_->Make(kEngines);
  const std::map<std::string, FileBackedData> copies = shop_->handles();
  std::map<std::string, Rope> ropes;
  for (const auto& [key, handle] : copies) {
    const absl::StatusOr<Rope> slice = handle.AsRope().Slice(100, 1000);
    ASSERT_THAT(slice, IsOk());
    ropes[key] = *slice;
  }
  ASSERT_THAT(shop_->Save(ConsumingOnlyBy(strategy())), IsOk());
  for (const auto& [key, handle] : copies) {
    EXPECT_TRUE(TextOf(handle.AsRope()) == shop_->EngineBytes(key)) << key;
    EXPECT_TRUE(TextOf(ropes[key]) == shop_->EngineBytes(key).substr(100, 1000)) << key;
  }
}

TEST_P(MoveStrategyTest, WithoutConsumeTheSourcesStay) {
  shop_->Make(kEngines);
  SaveOptions options = ConsumingOnlyBy(strategy());
  options.consume = false;
  ASSERT_OK_AND_ASSIGN(const SaveReport report, shop_->Save(options));
  EXPECT_THAT(report.sources, IsEmpty());
  EXPECT_TRUE(ReadFile(shop_->target()) == shop_->expected());
  std::filesystem::remove(shop_->target());
  shop_->ExpectAsBefore();
}

TEST_P(MoveStrategyTest, TheOutputHasTheModeOfAnyNewFileOrOfTheOneItReplaces) {
  const mode_t old_mask = ::umask(027);
  for (const bool has_old : {false, true}) {
    shop_->Make(kEngines, has_old);
    ASSERT_TRUE(!has_old || ::chmod(shop_->target().c_str(), 0604) == 0);
    for (const MoveShop::Engine& engine : kEngines) ASSERT_EQ(::chmod(shop_->EnginePath(engine.key).c_str(), 0755), 0);
    ASSERT_THAT(shop_->Save(ConsumingOnlyBy(strategy())), IsOk());
    EXPECT_EQ(StateOf(shop_->out())["model.ptd"].mode, has_old ? 0604U : 0640U);
  }
  ::umask(old_mask);
}

// The first engine of a container may stand in its first byte where there is no container.
TEST_P(MoveStrategyTest, AFileOfBytesMayBeginWithItsEngine) {
  shop_->Make({{"a", 200 * kKiB}});
  Rope rope = shop_->handles().at("a").AsRope();
  rope.Append(Bytes::FromString("behind"));
  ASSERT_OK_AND_ASSIGN(const SaveReport report, SaveBytes(rope, shop_->target(), ConsumingOnlyBy(strategy())));
  EXPECT_TRUE(ReadFile(shop_->target()) == shop_->EngineBytes("a") + "behind");
  EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
  EXPECT_EQ(report.sources.size(), 1U);
}

TEST_P(MoveStrategyTest, HolesStayHoles) {
  constexpr uint64_t kSize = 64 * kMiB;
  shop_->Make({});
  const std::filesystem::path path = shop_->EnginePath("sparse");
  WriteSparse(path, kSize, {{0, "first"}, {20 * kMiB + 5, Noise(100 * kKiB, 2)}, {kSize - 1, "z"}});
  const std::string bytes = ReadFile(path);
  ASSERT_OK_AND_ASSIGN(const FileBackedData given, FileBackedData::Give(path));
  const SmallPieces pieces(kMiB);
  ASSERT_THAT(SaveBytes(given.AsRope(), shop_->target(), ConsumingOnlyBy(strategy())), IsOk());
  EXPECT_TRUE(ReadFile(shop_->target()) == bytes);
  EXPECT_LT(BytesOnDisk(shop_->target()), 4 * kMiB);
}

std::string NameOfWhere(const testing::TestParamInfo<Where>& info) {
  const std::string strategy(StrategyName(std::get<1>(info.param)));
  return std::string(NameOf(std::get<0>(info.param))) + static_cast<char>(strategy[0] - 'a' + 'A') + strategy.substr(1);
}

INSTANTIATE_TEST_SUITE_P(Disks, MoveStrategyTest,
                         testing::Combine(testing::ValuesIn(kAllDisks),
                                          testing::Values(Strategy::kClone, Strategy::kAdopt, Strategy::kDrain, Strategy::kCopy)),
                         NameOfWhere);

}  // namespace
}  // namespace pte::test
