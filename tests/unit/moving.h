// What the tests of moving share: engines in files, saves that move them, and what must be true afterwards.
#ifndef PTE_TESTS_UNIT_MOVING_H_
#define PTE_TESTS_UNIT_MOVING_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/contents.h"
#include "pte/file_backed_data.h"
#include "pte/layout.h"
#include "pte/ptd_file.h"
#include "pte/save.h"
#include "tests/support/files.h"
#include "tests/unit/disks.h"
#include "tests/unit/saving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {

// Engines are drained in pieces of this size while one of these lives.
class SmallPieces {
 public:
  explicit SmallPieces(uint64_t size = 64 * kKiB);
  ~SmallPieces();
};

// Everything that a folder and those in it hold, with modes and times of the last change.
struct FileState {
  std::string bytes;
  int64_t modified_ns = 0;
  uint32_t mode = 0;
  bool operator==(const FileState&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const FileState& state) {
    return out << state.bytes.size() << " bytes, mode " << std::oct << state.mode << std::dec << ", changed at " << state.modified_ns;
  }
};
std::map<std::string, FileState> StateOf(const std::filesystem::path& folder);

// Consuming; all strategies but `only` and copying are forbidden.
SaveOptions Consuming(Durability durability = Durability::kSynced);
SaveOptions ConsumingOnlyBy(Strategy only, Durability durability = Durability::kSynced);

// Payloads from `kLarge` bytes on stand at whole blocks.
inline constexpr uint64_t kLarge = 64 * kKiB;
LayoutOptions BlockLayout();

inline constexpr char kNoDisk[] = "no file system of this kind can be mounted here";

inline constexpr std::string_view kOldTarget = "what stood there before";

// Runs `work` in a process that is killed in front of the first system call for which `here` is true; nothing waits for the disk there.
// Whether it was killed.
bool DiesIn(const std::function<void()>& work, const std::function<bool(const Syscall&)>& here, bool has_renameat2 = true);

// Engines in a folder, and the folder that they are moved to; both on one file system, in a folder of their own.
class MoveShop {
 public:
  explicit MoveShop(const std::filesystem::path& parent);

  // On a file system of this kind; nullptr where none can be mounted here.
  static std::unique_ptr<MoveShop> On(Disk disk);

  struct Engine {
    std::string key;
    size_t size = 0;
    bool has_second_name = false;  // and can therefore only be cloned or copied
  };

  // Writes the engines anew, and the old target where there is to be one; whatever else stands there goes, and the handles of before.
  void Make(const std::vector<Engine>& engines, bool has_old_target = false);

  // Two keys of memory around the engines, which are given.
  PtdContents Contents();
  absl::StatusOr<SaveReport> Save(const SaveOptions& options);
  absl::StatusOr<SaveReport> SaveTo(const std::filesystem::path& target, const SaveOptions& options);

  // The file that copying gives.
  const std::string& expected();

  // That the move is complete: the target has the expected bytes, the sources and all hidden files are gone, and the handles read on.
  void ExpectDone();
  // That everything is as Make left it, to the nanosecond.
  void ExpectAsBefore() const;

  // That whatever ended the move and its recovery, it is finished or undone, and each engine is found once: under its own name, or in a
  // target that is sound. Whether it is finished; `lost` grows by the engines that are found nowhere.
  bool ExpectNothingLost(int64_t& lost) const;

  std::map<std::string, FileState> State() const { return StateOf(dir_.path()); }

  std::filesystem::path EnginePath(std::string_view key) const { return in_ / (std::string(key) + ".plan"); }
  const std::string& EngineBytes(const std::string& key) const { return bytes_.at(key); }
  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& in() const { return in_; }
  const std::filesystem::path& out() const { return out_; }
  std::map<std::string, FileBackedData>& handles() { return handles_; }
  const std::vector<Engine>& engines() const { return engines_; }

 private:
  std::optional<PtdFile> Published() const;
  int64_t CountOf(const Engine& engine, const std::optional<PtdFile>& target) const;

  TempDir dir_;
  std::filesystem::path in_ = dir_ / "in";
  std::filesystem::path out_ = dir_ / "out";
  std::filesystem::path names_ = dir_ / "names";  // second names
  std::filesystem::path target_ = out_ / "model.ptd";
  std::vector<Engine> engines_;
  std::map<std::string, std::string> bytes_;
  std::map<std::string, FileBackedData> handles_;
  std::map<std::string, FileState> before_;
  bool has_old_target_ = false;
  std::string expected_;
};

}  // namespace pte::test

#endif  // PTE_TESTS_UNIT_MOVING_H_
