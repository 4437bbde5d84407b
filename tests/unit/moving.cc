#include "tests/unit/moving.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/verify.h"
#include "src/io/move_steps.h"
#include "tests/support/contents.h"
#include "tests/support/sha256.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

constexpr int64_t kNanoseconds = 1'000'000'000;
constexpr mode_t kAllModeBits = 07777;

}  // namespace

SmallPieces::SmallPieces(uint64_t size) { SetDrainChunk(size); }
SmallPieces::~SmallPieces() { SetDrainChunk(kDrainChunk); }

std::map<std::string, FileState> StateOf(const std::filesystem::path& folder) {
  std::map<std::string, FileState> states;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    struct stat st {};
    if (::lstat(entry.path().c_str(), &st) != 0 || !S_ISREG(st.st_mode)) continue;
    const int64_t modified = st.st_mtim.tv_sec * kNanoseconds + st.st_mtim.tv_nsec;
    states[entry.path().lexically_relative(folder).string()] = {ReadFile(entry.path()), modified, st.st_mode & kAllModeBits};
  }
  return states;
}

SaveOptions Consuming(Durability durability) {
  SaveOptions options;
  options.consume = true;
  options.durability = durability;
  return options;
}

SaveOptions ConsumingOnlyBy(Strategy only, Durability durability) {
  SaveOptions options = Consuming(durability);
  for (const Strategy strategy : {Strategy::kClone, Strategy::kAdopt, Strategy::kDrain}) {
    if (strategy != only) options.forbidden.push_back(strategy);
  }
  return options;
}

LayoutOptions BlockLayout() {
  LayoutOptions layout;
  layout.large_segment_threshold = kLarge;
  return layout;
}

bool DiesIn(const std::function<void()>& work, const std::function<bool(const Syscall&)>& here, bool has_renameat2) {
  const pid_t child = ::fork();
  if (child == 0) {
    const ScopedHooks hooks({.any = [&](Syscall& call) -> std::optional<Instead> {
      if (here(call)) ::kill(::getpid(), SIGKILL);
      if (call.name == "fsync") return Instead{0, 0};
      if (call.name == "renameat2" && !has_renameat2) return Instead{-1, EINVAL};
      return std::nullopt;
    }});
    work();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

MoveShop::MoveShop(const std::filesystem::path& parent) : dir_(parent) {
  for (const std::filesystem::path& folder : {in_, out_, names_}) std::filesystem::create_directory(folder);
}

std::unique_ptr<MoveShop> MoveShop::On(Disk disk) {
  const std::optional<std::filesystem::path> folder = FolderOn(disk);
  return folder ? std::make_unique<MoveShop>(*folder) : nullptr;
}

std::optional<PtdFile> MoveShop::Published() const {
  if (!std::filesystem::exists(target_)) return std::nullopt;
  if (has_old_target_ && ReadFile(target_) == kOldTarget) return std::nullopt;
  const absl::StatusOr<VerifyReport> verified = VerifyFile(target_);
  EXPECT_TRUE(verified.ok() && verified->verdict != Verdict::kError);
  absl::StatusOr<PtdFile> file = PtdFile::Open(target_);
  EXPECT_THAT(file, IsOk());
  return file.ok() ? std::optional(*std::move(file)) : std::nullopt;
}

int64_t MoveShop::CountOf(const Engine& engine, const std::optional<PtdFile>& target) const {
  const std::string wanted = Sha256(EngineBytes(engine.key));
  const std::filesystem::path path = EnginePath(engine.key);
  const bool has_source = std::filesystem::exists(path) && Sha256(ReadFile(path)) == wanted;
  const bool has_part = target && Sha256(TextOf(target->Find(engine.key))) == wanted;
  return (has_source ? 1 : 0) + (has_part ? 1 : 0);
}

bool MoveShop::ExpectNothingLost(int64_t& lost) const {
  const std::optional<PtdFile> target = Published();
  for (const Engine& engine : engines_) {
    const int64_t count = CountOf(engine, target);
    EXPECT_EQ(count, 1) << "engine " << engine.key;
    if (count == 0) ++lost;
  }
  if (!target) {
    ExpectAsBefore();
    return false;
  }
  EXPECT_THAT(NamesIn(in_), testing::IsEmpty());
  EXPECT_THAT(NamesIn(out_), testing::ElementsAre("model.ptd"));
  return true;
}

void MoveShop::Make(const std::vector<Engine>& engines, bool has_old_target) {
  has_old_target_ = has_old_target;
  if (engines.size() != engines_.size()) {
    bytes_.clear();
    expected_.clear();
  }
  engines_ = engines;
  handles_.clear();
  for (const std::filesystem::path& folder : {in_, out_, names_}) {
    for (const std::string& name : NamesIn(folder)) std::filesystem::remove(folder / name);
  }
  if (has_old_target) WriteFile(target_, kOldTarget);
  uint64_t seed = 1;
  for (const Engine& engine : engines) {
    std::string& bytes = bytes_[engine.key];
    if (bytes.size() != engine.size) bytes = Noise(engine.size, seed);
    ++seed;
    WriteFile(EnginePath(engine.key), bytes);
    if (engine.has_second_name) std::filesystem::create_hard_link(EnginePath(engine.key), names_ / engine.key);
    absl::StatusOr<FileBackedData> given = FileBackedData::Give(EnginePath(engine.key));
    ASSERT_THAT(given, IsOk());
    handles_.emplace(engine.key, *std::move(given));
  }
  before_ = State();
}

PtdContents MoveShop::Contents() {
  PtdContents contents;
  EXPECT_THAT(contents.named_data.Add("first", Bytes::FromString(Noise(20 * kKiB, 100))), IsOk());
  for (const Engine& engine : engines_) EXPECT_THAT(contents.named_data.Add(engine.key, handles_.at(engine.key)), IsOk());
  EXPECT_THAT(contents.named_data.Add("last", Bytes::FromString(Noise(3 * kKiB, 101))), IsOk());
  return contents;
}

absl::StatusOr<SaveReport> MoveShop::Save(const SaveOptions& options) { return SaveTo(target_, options); }

absl::StatusOr<SaveReport> MoveShop::SaveTo(const std::filesystem::path& target, const SaveOptions& options) {
  return SavePtd(Contents(), target, BlockLayout(), options);
}

const std::string& MoveShop::expected() {
  if (!expected_.empty()) return expected_;
  PtdContents contents;
  EXPECT_THAT(contents.named_data.Add("first", Bytes::FromString(Noise(20 * kKiB, 100))), IsOk());
  for (const Engine& engine : engines_) EXPECT_THAT(contents.named_data.Add(engine.key, Bytes::FromString(bytes_.at(engine.key))), IsOk());
  EXPECT_THAT(contents.named_data.Add("last", Bytes::FromString(Noise(3 * kKiB, 101))), IsOk());
  expected_ = Written(contents, BlockLayout());
  return expected_;
}

void MoveShop::ExpectDone() {
  EXPECT_THAT(NamesIn(in_), testing::IsEmpty());
  EXPECT_THAT(NamesIn(out_), testing::ElementsAre(target_.filename().string()));
  EXPECT_TRUE(std::filesystem::exists(target_) && ReadFile(target_) == expected()) << "the target's bytes are others";
  for (const auto& [key, handle] : handles_) {
    EXPECT_EQ(handle.path(), target_);
    EXPECT_TRUE(TextOf(handle.AsRope()) == bytes_.at(key)) << key;
  }
}

void MoveShop::ExpectAsBefore() const {
  const std::map<std::string, FileState> now = State();
  for (const auto& [name, state] : now) {
    const auto was = before_.find(name);
    if (was == before_.end()) {
      ADD_FAILURE() << name << " was left";
    } else {
      EXPECT_TRUE(was->second == state) << name << " was " << was->second << " and is " << state;
    }
  }
  for (const auto& [name, state] : before_) EXPECT_TRUE(now.contains(name)) << name << " is gone";
}

}  // namespace pte::test
