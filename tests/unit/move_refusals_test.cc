// Systems and folders that refuse parts of a move: it takes the next strategy, and loses nothing. Programs and their data files.
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"

namespace pte::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<MoveShop::Engine> kEngines = {{"a", 150 * kKiB}, {"b", 130 * kKiB + 5}};

class MoveRefusalsTest : public testing::TestWithParam<Disk> {
 protected:
  void SetUp() override {
    shop_ = MoveShop::On(GetParam());
    if (shop_ == nullptr) GTEST_SKIP() << kNoDisk;
    shop_->Make(kEngines, true);
  }

  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_;
};

TEST_P(MoveRefusalsTest, ACallThatIsRefusedChangesTheWayNotTheResult) {
  for (const std::string_view name : {"INSERT_RANGE", "FICLONERANGE", "FIEMAP", "F_SETLEASE", "fallocate", "copy_file_range", "lseek",
                                      "fstatfs", "fstatvfs", "renameat2"}) {
    for (const int error : {EOPNOTSUPP, EPERM, EINVAL, ENOSYS}) {
      if (name == "renameat2" && error != EINVAL && error != ENOSYS) continue;
      shop_->Make(kEngines, true);
      absl::StatusOr<SaveReport> report;
      {
        const ScopedHooks hooks({.any = [&](Syscall& call) {
          return call.name == name ? std::optional(Instead{-1, error}) : std::nullopt;
        }});
        report = shop_->Save(Consuming());
      }
      EXPECT_THAT(report, IsOk()) << name << ", errno " << error;
      shop_->ExpectDone();
    }
  }
}

// Where nobody can be kept from moving the same engines, nothing is moved.
TEST_P(MoveRefusalsTest, WithoutLocksFilesAreCopiedAndStay) {
  absl::StatusOr<SaveReport> report;
  {
    const ScopedHooks hooks({.any = [](Syscall& call) {
      return call.name == "flock" ? std::optional(Instead{-1, ENOLCK}) : std::nullopt;
    }});
    report = shop_->Save(Consuming());
  }
  ASSERT_THAT(report, IsOk());
  EXPECT_TRUE(ReadFile(shop_->target()) == shop_->expected());
  for (const SourceOutcome& source : report->sources) {
    EXPECT_FALSE(source.removed);
    EXPECT_THAT(source.why_kept, HasSubstr("locked"));
    EXPECT_TRUE(ReadFile(source.path) == shop_->EngineBytes(source.path.stem().string()));
  }
  EXPECT_THAT(NamesIn(shop_->out()), ElementsAre("model.ptd"));
}

TEST_P(MoveRefusalsTest, InAFolderThatCannotBeWrittenFilesAreCopiedAndStay) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  EXPECT_TRUE(InChild([&] {
    for (std::filesystem::path at = shop_->in(); at.has_relative_path(); at = at.parent_path()) (void)::chmod(at.c_str(), 0755);
    for (const std::filesystem::path& path : {shop_->out(), shop_->EnginePath("a"), shop_->EnginePath("b"), shop_->target()}) {
      if (::chown(path.c_str(), kNobody, kNobody) != 0) return false;
    }
    if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0)
      return false;
    const absl::StatusOr<SaveReport> report = shop_->Save(Consuming());
    EXPECT_THAT(report, IsOk());
    if (!report.ok()) return true;
    EXPECT_EQ(report->sources.size(), 2U);
    for (const SourceOutcome& source : report->sources) {
      EXPECT_FALSE(source.removed);
      EXPECT_THAT(source.why_kept, HasSubstr("folder cannot be written"));
      EXPECT_TRUE(ReadFile(source.path) == shop_->EngineBytes(source.path.stem().string()));
    }
    EXPECT_TRUE(ReadFile(shop_->target()) == shop_->expected());
    return true;
  }));
}

TEST_P(MoveRefusalsTest, AProgramsDelegatesAreMovedIntoIt) {
  PteContents contents;
  contents.program = WithDelegates({0, 1});
  for (const MoveShop::Engine& engine : kEngines) contents.delegate_payloads.emplace_back(shop_->handles().at(engine.key));
  const std::filesystem::path path = shop_->out() / "model.pte";
  ASSERT_OK_AND_ASSIGN(const SaveReport report, SavePte(contents, path, BlockLayout(), Consuming()));
  EXPECT_EQ(report.sources.size(), 2U);
  EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
  PteContents copied;
  copied.program = WithDelegates({0, 1});
  for (const MoveShop::Engine& engine : kEngines) copied.delegate_payloads.emplace_back(Bytes::FromString(shop_->EngineBytes(engine.key)));
  EXPECT_TRUE(ReadFile(path) == Written(copied, BlockLayout()));
}

TEST_P(MoveRefusalsTest, EnginesOfDataFilesAreMovedThere) {
  PteContents contents;
  contents.program = OneMethod();
  ASSERT_THAT(contents.named_data.Add("a", shop_->handles().at("a")), IsOk());
  ASSERT_THAT(contents.named_data.Add("b", shop_->handles().at("b"), {.external_tag = "engines"}), IsOk());
  const std::filesystem::path path = shop_->out() / "model.pte";
  ASSERT_OK_AND_ASSIGN(const SaveSetReport report, SaveProgramAndData(contents, path, BlockLayout(), Consuming()));
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
  EXPECT_EQ(report.files[0].sources.size(), 1U);
  EXPECT_EQ(report.files[1].sources.size(), 1U);
  ASSERT_OK_AND_ASSIGN(const PtdFile data, PtdFile::Open(shop_->out() / "engines.ptd"));
  EXPECT_TRUE(TextOf(data.Find("b")) == shop_->EngineBytes("b"));
  EXPECT_EQ(shop_->handles().at("b").path(), shop_->out() / "engines.ptd");
  EXPECT_TRUE(TextOf(shop_->handles().at("b").AsRope()) == shop_->EngineBytes("b"));
  EXPECT_TRUE(TextOf(shop_->handles().at("a").AsRope()) == shop_->EngineBytes("a"));
}

TEST_P(MoveRefusalsTest, WhatWasMovedOnceCanBeSavedAgain) {
  const PtdContents contents = shop_->Contents();
  ASSERT_THAT(SavePtd(contents, shop_->target(), BlockLayout(), Consuming()), IsOk());
  const std::filesystem::path second = shop_->out() / "second.ptd";
  ASSERT_OK_AND_ASSIGN(const SaveReport report, SavePtd(contents, second, BlockLayout(), Consuming()));
  EXPECT_THAT(report.sources, IsEmpty());
  for (const std::filesystem::path& path : {shop_->target(), second}) EXPECT_TRUE(ReadFile(path) == shop_->expected()) << path;
}

INSTANTIATE_TEST_SUITE_P(Disks, MoveRefusalsTest, testing::Values(Disk::kOwn, Disk::kMemory, Disk::kExt4, Disk::kXfs, Disk::kBtrfs),
                         [](const auto& disk) { return std::string(NameOf(disk.param)); });

}  // namespace
}  // namespace pte::test
