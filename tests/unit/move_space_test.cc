// Moves for which there is no room: a full disk, a quota, a limit for the size of files. All is as before, and with the limit lifted the
// same objects save.
#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"
#include "tests/unit/moving.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

// Room for neither of two engines and their container.
const std::vector<MoveShop::Engine> kEngines = {{"a", 300 * kKiB}, {"b", 129 * kKiB}};

// A save for which there is no room, after which everything is as Make left it.
void ExpectRefused(MoveShop& shop, const PtdContents& contents, const SaveOptions& options, std::string_view reason) {
  const absl::Status status = SavePtd(contents, shop.target(), BlockLayout(), options).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(reason)));
  shop.ExpectAsBefore();
}

void ExpectSaved(MoveShop& shop, const PtdContents& contents, const SaveOptions& options) {
  EXPECT_THAT(SavePtd(contents, shop.target(), BlockLayout(), options), IsOk());
  shop.ExpectDone();
}

// However little space there is: all is as before, or all is done.
TEST(MoveSpaceTest, AFullDiskIsNoticedBeforeTheCommitPoint) {
  constexpr uint64_t kPage = 4 * kKiB;
  const SmallPieces pieces;
  for (const std::vector<MoveShop::Engine>& engines : std::vector<std::vector<MoveShop::Engine>>{
           {{"a", 300 * kKiB}, {"b", 129 * kKiB}}, {{"a", 129 * kKiB + 1}, {"b", 300 * kKiB}}, {{"a", 20 * kKiB}, {"b", 300 * kKiB + 1}}}) {
    int failed = 0;
    for (uint64_t pages = 2; pages < 60 && !testing::Test::HasFailure(); ++pages) {
      const TempDir folder(FolderInMemory());
      const uint64_t size = (engines[0].size + engines[1].size + 2 * kPage) / kPage * kPage + pages * kPage;
      if (!MountMemory(folder.path(), size)) GTEST_SKIP() << "no file system can be mounted here";
      {
        MoveShop shop(folder.path());
        shop.Make(engines);
        const absl::Status status = shop.Save(Consuming()).status();
        SCOPED_TRACE(testing::Message() << pages << " pages free: " << status);
        if (status.ok()) {
          shop.ExpectDone();
        } else {
          ++failed;
          EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
          shop.ExpectAsBefore();
        }
      }
      Unmount(folder.path());
    }
    EXPECT_GT(failed, 1);
    EXPECT_LT(failed, 50);
  }
}

TEST(MoveSpaceTest, OnADiskThatWasFullTheSameObjectsSaveWhenThereIsRoom) {
  const SmallPieces pieces;
  const TempDir folder(FolderInMemory());
  if (!MountMemory(folder.path(), kMiB)) GTEST_SKIP() << "no file system can be mounted here";
  {
    MoveShop shop(folder.path());
    shop.Make(kEngines, true);
    const PtdContents contents = shop.Contents();
    const std::filesystem::path ballast = folder / "ballast";
    WriteFile(ballast, Noise(kMiB - 440 * kKiB - 30 * kKiB, 5));
    ExpectRefused(shop, contents, Consuming(), "No space left on device");
    std::filesystem::remove(ballast);
    ExpectSaved(shop, contents, Consuming());
  }
  Unmount(folder.path());
}

class MoveLimitTest : public testing::TestWithParam<Disk> {
 protected:
  void SetUp() override {
    shop_ = MoveShop::On(GetParam());
    if (shop_ == nullptr) GTEST_SKIP() << kNoDisk;
  }

  static void LimitFiles(uint64_t bytes) { SetLimit(RLIMIT_FSIZE, bytes); }

  std::unique_ptr<MoveShop> shop_;
  const SmallPieces small_pieces_;
};

// Above each engine, below the container.
constexpr uint64_t kLimit = 350 * kKiB;
constexpr char kSaysLimit[] = "found a limit of 358400";

TEST_P(MoveLimitTest, ALimitForFileSizesChangesNothing) {
  InChild([&] {
    shop_->Make(kEngines, true);
    const PtdContents contents = shop_->Contents();
    LimitFiles(kLimit);
    ExpectRefused(*shop_, contents, Consuming(), kSaysLimit);
    LimitFiles(RLIM_INFINITY);
    ExpectSaved(*shop_, contents, Consuming());
    return true;
  });
}

TEST_P(MoveLimitTest, ALimitForFileSizesLeavesAnEngineOnAnotherFileSystem) {
  const std::optional<std::filesystem::path> other = FolderOn(GetParam() == Disk::kMemory ? Disk::kExt4 : Disk::kMemory);
  if (!other) GTEST_SKIP() << "no second file system can be mounted here";
  InChild([&] {
    shop_->Make(kEngines, true);
    const TempDir folder(*other);
    const std::filesystem::path path = folder / "far.plan";
    const std::string bytes = Noise(200 * kKiB, 9);
    WriteFile(path, bytes);
    absl::StatusOr<FileBackedData> far = FileBackedData::Give(path);
    EXPECT_THAT(far, IsOk());
    PtdContents contents = shop_->Contents();
    EXPECT_THAT(contents.named_data.Add("far", *far), IsOk());
    LimitFiles(kLimit);
    ExpectRefused(*shop_, contents, Consuming(), kSaysLimit);
    EXPECT_TRUE(ReadFile(path) == bytes);
    LimitFiles(RLIM_INFINITY);
    EXPECT_THAT(SavePtd(contents, shop_->target(), BlockLayout(), Consuming()), IsOk());
    EXPECT_THAT(NamesIn(folder.path()), testing::IsEmpty());
    EXPECT_THAT(NamesIn(shop_->in()), testing::IsEmpty());
    const absl::StatusOr<PtdFile> saved = PtdFile::Open(shop_->target());
    EXPECT_THAT(saved, IsOk());
    EXPECT_TRUE(saved.ok() && TextOf(saved->Find("far")) == bytes);
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(Disks, MoveLimitTest, testing::ValuesIn(kAllDisks),
                         [](const auto& disk) { return std::string(NameOf(disk.param)); });

// Btrfs counts in the kernel itself, for the superuser, too.
class Quota {
 public:
  explicit Quota(std::filesystem::path folder) : folder_(std::move(folder)) {
    is_there_ = RunCommand(absl::StrCat("btrfs subvolume create ", Folder())) && RunCommand(absl::StrCat("btrfs quota enable ", Folder()));
  }
  ~Quota() {
    RunCommand(absl::StrCat("btrfs quota disable ", Folder()));
    RunCommand(absl::StrCat("btrfs subvolume delete ", Folder()));
  }

  bool is_there() const { return is_there_; }
  // Bytes of the folder, or "none". What has been written is counted first.
  bool Limit(std::string_view bytes) const {
    return RunCommand(absl::StrCat("sync -f ", Folder(), " && btrfs quota rescan -w ", Folder())) &&
           RunCommand(absl::StrCat("btrfs qgroup limit ", std::string(bytes), " ", Folder()));
  }

 private:
  std::string Folder() const { return folder_.string(); }

  std::filesystem::path folder_;
  bool is_there_ = false;
};

TEST(MoveQuotaTest, AQuotaChangesNothing) {
  const std::optional<std::filesystem::path> disk = FolderOn(Disk::kBtrfs);
  if (!disk) GTEST_SKIP() << kNoDisk;
  const SmallPieces pieces;
  const Quota quota(*disk / "quota");
  if (!quota.is_there()) GTEST_SKIP() << "quotas cannot be had here";
  for (const SaveOptions& options : {ConsumingOnlyBy(Strategy::kDrain), ConsumingOnlyBy(Strategy::kCopy)}) {
    MoveShop shop(*disk / "quota");
    shop.Make(kEngines, true);
    const PtdContents contents = shop.Contents();
    ASSERT_TRUE(quota.Limit("480K"));
    ExpectRefused(shop, contents, options, "Disk quota exceeded");
    ASSERT_TRUE(quota.Limit("none"));
    ExpectSaved(shop, contents, options);
  }
}

}  // namespace
}  // namespace pte::test
