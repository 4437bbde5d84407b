// Which given files are moved, which are only copied, and which stay: with the reason for each.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/ptd_file.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::IsEmpty;

class MoveSourcesTest : public testing::TestWithParam<Disk> {
 protected:
  void SetUp() override {
    shop_ = MoveShop::On(GetParam());
    if (shop_ == nullptr) GTEST_SKIP() << kNoDisk;
    shop_->Make({{"a", 150 * kKiB}, {"b", 90 * kKiB}});
  }

  static SaveOptions InPlaceOnly() {
    SaveOptions options = Consuming();
    options.forbidden = {Strategy::kClone};
    return options;
  }

  static SourceOutcome OutcomeOf(const SaveReport& report, const std::filesystem::path& path) {
    for (const SourceOutcome& source : report.sources) {
      if (source.path == path) return source;
    }
    ADD_FAILURE() << "no outcome for " << path;
    return {};
  }

  // Saves, and expects that "a" was copied for this reason, and removed.
  void ExpectCopied(const std::string& reason) {
    const absl::StatusOr<SaveReport> report = shop_->Save(InPlaceOnly());
    ASSERT_THAT(report, IsOk());
    const SourceOutcome outcome = OutcomeOf(*report, shop_->EnginePath("a"));
    EXPECT_EQ(outcome.strategy, Strategy::kCopy);
    EXPECT_THAT(outcome.reason, HasSubstr(reason));
    EXPECT_TRUE(outcome.removed);
    shop_->ExpectDone();
  }

  // The same, but it is left where it is.
  void ExpectKept(const SaveOptions& options, const std::filesystem::path& path, const std::string& why) {
    const absl::StatusOr<SaveReport> report = shop_->Save(options);
    ASSERT_THAT(report, IsOk());
    const SourceOutcome outcome = OutcomeOf(*report, path);
    EXPECT_FALSE(outcome.removed);
    EXPECT_THAT(outcome.why_kept, HasSubstr(why));
    EXPECT_TRUE(ReadFile(shop_->target()) == shop_->expected());
    for (const auto& [key, handle] : shop_->handles()) EXPECT_TRUE(TextOf(handle.AsRope()) == shop_->EngineBytes(key)) << key;
  }

  void Regive(const std::string& key, const std::filesystem::path& path) {
    absl::StatusOr<FileBackedData> given = FileBackedData::Give(path);
    ASSERT_THAT(given, IsOk());
    shop_->handles().insert_or_assign(key, *std::move(given));
  }

  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_;
};

TEST_P(MoveSourcesTest, AFileWithASecondNameIsCopiedAndTheOtherNameStays) {
  std::filesystem::create_hard_link(shop_->EnginePath("a"), shop_->in().parent_path() / "second");
  ExpectCopied("other names");
  EXPECT_TRUE(ReadFile(shop_->in().parent_path() / "second") == shop_->EngineBytes("a"));
}

TEST_P(MoveSourcesTest, ALinkIsCopiedAndStaysWithWhatItLeadsTo) {
  const std::filesystem::path real = shop_->in().parent_path() / "real";
  std::filesystem::rename(shop_->EnginePath("a"), real);
  std::filesystem::create_symlink(real, shop_->EnginePath("a"));
  Regive("a", shop_->EnginePath("a"));
  ExpectKept(Consuming(), shop_->EnginePath("a"), "symbolic link");
  EXPECT_TRUE(std::filesystem::is_symlink(shop_->EnginePath("a")));
  EXPECT_TRUE(ReadFile(real) == shop_->EngineBytes("a"));
}

TEST_P(MoveSourcesTest, AFileThatIsOpenElsewhereIsCopied) {
  const int fd = ::open(shop_->EnginePath("a").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  ExpectCopied("open or mapped");
  std::string bytes(shop_->EngineBytes("a").size(), '\0');
  EXPECT_EQ(::pread(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  EXPECT_TRUE(bytes == shop_->EngineBytes("a"));
  ::close(fd);
}

TEST_P(MoveSourcesTest, AViewOfAFileKeepsItsBytes) {
  ASSERT_OK_AND_ASSIGN(const auto source, OpenFileSource(shop_->EnginePath("a")));
  ASSERT_OK_AND_ASSIGN(const Bytes view, source->View(0, source->size()));
  ExpectCopied("open or mapped");
  EXPECT_TRUE(view.string_view() == shop_->EngineBytes("a"));
}

TEST_P(MoveSourcesTest, AFileThatSomebodyNeedsStays) {
  SaveOptions options = Consuming();
  options.keep = {shop_->EnginePath("a")};
  ExpectKept(options, shop_->EnginePath("a"), "needs it");
  EXPECT_TRUE(ReadFile(shop_->EnginePath("a")) == shop_->EngineBytes("a"));
}

TEST_P(MoveSourcesTest, AFileThatSomebodyNeedsThroughALinkStays) {
  const std::filesystem::path link = shop_->in().parent_path() / "link";
  std::filesystem::create_symlink(shop_->EnginePath("a"), link);
  SaveOptions options = Consuming();
  options.keep = {link};
  ExpectKept(options, shop_->EnginePath("a"), "needs it");
}

TEST_P(MoveSourcesTest, TheTargetItselfMayBeGiven) {
  std::filesystem::rename(shop_->EnginePath("a"), shop_->target());
  Regive("a", shop_->target());
  ExpectKept(Consuming(), shop_->target(), "replaced");
  EXPECT_THAT(NamesIn(shop_->out()), testing::ElementsAre("model.ptd"));
}

TEST_P(MoveSourcesTest, AFileOnAnotherFileSystemIsCopiedAndRemoved) {
  const std::optional<std::filesystem::path> other = FolderOn(GetParam() == Disk::kMemory ? Disk::kExt4 : Disk::kMemory);
  if (!other) GTEST_SKIP() << "no second file system can be mounted here";
  const TempDir folder(*other);
  std::filesystem::copy_file(shop_->EnginePath("a"), folder / "a.plan");
  std::filesystem::remove(shop_->EnginePath("a"));
  Regive("a", folder / "a.plan");
  ASSERT_OK_AND_ASSIGN(const SaveReport report, shop_->Save(Consuming()));
  const SourceOutcome outcome = OutcomeOf(report, folder / "a.plan");
  EXPECT_THAT(outcome.reason, HasSubstr("another file system"));
  EXPECT_TRUE(outcome.removed);
  EXPECT_THAT(NamesIn(folder.path()), IsEmpty());
  shop_->ExpectDone();
}

TEST_P(MoveSourcesTest, ATargetBehindALinkOnAnotherFileSystemIsJudgedByWhereItIs) {
  const std::optional<std::filesystem::path> other = FolderOn(GetParam() == Disk::kMemory ? Disk::kExt4 : Disk::kMemory);
  if (!other) GTEST_SKIP() << "no second file system can be mounted here";
  const TempDir folder(*other);
  std::filesystem::create_directory_symlink(folder.path(), shop_->in().parent_path() / "link");
  ASSERT_OK_AND_ASSIGN(const SaveReport report, shop_->SaveTo(shop_->in().parent_path() / "link/model.ptd", Consuming()));
  for (const SourceOutcome& source : report.sources) EXPECT_THAT(source.reason, HasSubstr("another file system"));
  EXPECT_TRUE(ReadFile(folder / "model.ptd") == shop_->expected());
  EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
}

TEST_P(MoveSourcesTest, AFileThatChangedSinceItWasGivenEndsTheSave) {
  std::filesystem::last_write_time(shop_->EnginePath("b"), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const std::map<std::string, FileState> before = shop_->State();
  EXPECT_THAT(shop_->Save(Consuming()), HasCodeAndMessage(StatusCode::kAborted, "has changed"));
  EXPECT_TRUE(shop_->State() == before);
}

TEST_P(MoveSourcesTest, AFileThatIsGoneSinceItWasGivenEndsTheSave) {
  std::filesystem::remove(shop_->EnginePath("b"));
  const std::map<std::string, FileState> before = shop_->State();
  EXPECT_THAT(shop_->Save(Consuming()), HasCodeAndMessage(StatusCode::kAborted, "b.plan"));
  EXPECT_TRUE(shop_->State() == before);
}

TEST_P(MoveSourcesTest, OneFileUnderTwoKeysIsOneSegment) {
  PtdContents contents;
  const FileBackedData& a = shop_->handles().at("a");
  ASSERT_OK_AND_ASSIGN(const FileBackedData again, FileBackedData::Give(shop_->EnginePath("a")));
  ASSERT_THAT(contents.named_data.Add("one", a), IsOk());
  ASSERT_THAT(contents.named_data.Add("two", a), IsOk());
  ASSERT_THAT(contents.named_data.Add("three", again), IsOk());
  ASSERT_OK_AND_ASSIGN(const SaveReport report, SavePtd(contents, shop_->target(), BlockLayout(), InPlaceOnly()));
  EXPECT_EQ(report.sources.size(), 1U);
  EXPECT_LT(report.file_size, 2 * a.size());
  EXPECT_FALSE(std::filesystem::exists(shop_->EnginePath("a")));
  for (const FileBackedData& handle : {a, again}) EXPECT_TRUE(TextOf(handle.AsRope()) == shop_->EngineBytes("a"));
  ASSERT_OK_AND_ASSIGN(const PtdFile file, PtdFile::Open(shop_->target()));
  for (const std::string key : {"one", "two", "three"}) EXPECT_TRUE(TextOf(file.Find(key)) == shop_->EngineBytes("a")) << key;
}

TEST_P(MoveSourcesTest, OfTwoFilesWithEqualBytesBothGoOrBothStay) {
  WriteFile(shop_->EnginePath("twin"), shop_->EngineBytes("a"));
  ASSERT_OK_AND_ASSIGN(const FileBackedData twin, FileBackedData::Give(shop_->EnginePath("twin")));
  PtdContents contents = shop_->Contents();
  ASSERT_THAT(contents.named_data.Add("twin", twin), IsOk());
  const std::map<std::string, FileState> before = shop_->State();
  {
    bool failed = false;
    const ScopedHooks hooks({.any = [&](Syscall& call) {
      return call.name == "ftruncate" && !std::exchange(failed, true) ? std::optional(Instead{-1, EIO}) : std::nullopt;
    }});
    EXPECT_FALSE(SavePtd(contents, shop_->target(), BlockLayout(), InPlaceOnly()).ok());
  }
  EXPECT_TRUE(shop_->State() == before);
  ASSERT_OK_AND_ASSIGN(const SaveReport report, SavePtd(contents, shop_->target(), BlockLayout(), InPlaceOnly()));
  EXPECT_EQ(report.sources.size(), 3U);
  EXPECT_TRUE(OutcomeOf(report, shop_->EnginePath("twin")).removed);
  EXPECT_THAT(NamesIn(shop_->in()), IsEmpty());
  EXPECT_LT(report.file_size, 2 * twin.size());
  EXPECT_TRUE(TextOf(twin.AsRope()) == shop_->EngineBytes("a"));
}

TEST_P(MoveSourcesTest, AFileFromBeforeTheYear1970GetsItsTimeBack) {
  const timespec times[2] = {{0, UTIME_OMIT}, {-1000, 123'456'789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, shop_->EnginePath("a").c_str(), times, 0), 0);
  Regive("a", shop_->EnginePath("a"));
  const std::map<std::string, FileState> before = shop_->State();
  const SaveOptions options = ConsumingOnlyBy(Strategy::kAdopt, Durability::kAtomic);
  const ScopedHooks hooks({.any = [&](Syscall& call) {
    return call.name == "rename" && call.path.ends_with("model.ptd") ? std::optional(Instead{-1, EIO}) : std::nullopt;
  }});
  EXPECT_FALSE(shop_->Save(options).ok());
  EXPECT_TRUE(shop_->State() == before);
}

TEST_P(MoveSourcesTest, EmptyFilesAndRangesAreNoEngines) {
  WriteFile(shop_->EnginePath("empty"), "");
  ASSERT_OK_AND_ASSIGN(const FileBackedData empty, FileBackedData::Give(shop_->EnginePath("empty")));
  PtdContents contents = shop_->Contents();
  ASSERT_THAT(contents.named_data.Add("empty", empty), IsOk());
  ASSERT_OK_AND_ASSIGN(Rope half, shop_->handles().at("a").AsRope().Slice(0, 1000));
  ASSERT_THAT(contents.named_data.Add("half", std::move(half)), IsOk());
  ASSERT_THAT(SavePtd(contents, shop_->target(), BlockLayout(), InPlaceOnly()), IsOk());
  ASSERT_OK_AND_ASSIGN(const PtdFile file, PtdFile::Open(shop_->target()));
  EXPECT_TRUE(TextOf(file.Find("half")) == shop_->EngineBytes("a").substr(0, 1000));
  EXPECT_TRUE(TextOf(file.Find("a")) == shop_->EngineBytes("a"));
  EXPECT_EQ(TextOf(file.Find("empty")), "");
}

INSTANTIATE_TEST_SUITE_P(Disks, MoveSourcesTest, testing::ValuesIn(kAllDisks),
                         [](const auto& disk) { return std::string(NameOf(disk.param)); });

}  // namespace
}  // namespace pte::test
