#include "src/io/atomic_file.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

constexpr std::string_view kWorkSuffix = ".pte-work";
constexpr size_t kRandomDigits = 16;     // of the number in a work file's name
constexpr uint32_t kNewFileMode = 0666;  // before the process's umask
constexpr uint32_t kPlainModeBits = 0777;

absl::Status AlreadyExists(const std::string& path) { return absl::AlreadyExistsError(absl::StrCat(path, ": the file is there already")); }

absl::Status CheckSizeLimit(const std::string& path, uint64_t size) {
  const uint64_t limit = sys::FileSizeLimit();
  if (size <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(path, ": larger than this process may write into a file; wanted ", Number(size),
                                                   " bytes, found a limit of ", Number(limit)));
}

// PREFIX + random number + suffix, and nothing else: another target's hidden names may begin and end alike.
bool IsWorkName(absl::string_view name, const std::string& prefix) {
  if (!absl::ConsumePrefix(&name, prefix) || !absl::ConsumeSuffix(&name, ToAbsl(kWorkSuffix))) return false;
  return name.size() == kRandomDigits && std::all_of(name.begin(), name.end(), absl::ascii_isxdigit);
}

// Work files of this target, whose savers are dead: we have the lock.
void RemoveLeftovers(const Target& target) {
  std::vector<std::string> names;
  if (sys::ListFolder(target.folder.c_str(), names) != 0) return;
  const std::string prefix = std::filesystem::path(target.Hidden("-")).filename().string();
  for (const std::string& name : names) {
    if (IsWorkName(name, prefix)) RemoveOwn(target.InFolder(name));
  }
}

struct WorkFile {
  Descriptor fd;
  std::string path;
};

// No wider open to others, at any time, than the file it replaces.
absl::StatusOr<WorkFile> CreateWorkFile(const Target& target) {
  constexpr int kTries = 100;
  const uint32_t mode = target.old_file ? target.old_file->mode & kPlainModeBits & kNewFileMode : kNewFileMode;
  for (uint64_t i = 0; i < kTries; ++i) {
    std::string path = target.Hidden(absl::StrCat("-", absl::Hex(sys::Random() + i, absl::kZeroPad16), ToAbsl(kWorkSuffix)));
    Descriptor fd(Uninterrupted([&] { return sys::CreateNew(path.c_str(), mode); }));
    if (fd.is_open()) return WorkFile{std::move(fd), std::move(path)};
    if (errno != EEXIST) return FromErrno(errno, target.path, "creating a file beside it");
  }
  return FromErrno(EEXIST, target.path, "creating a file beside it");
}

}  // namespace

absl::StatusOr<AtomicFile> AtomicFile::Create(const std::filesystem::path& path, uint64_t size, IfExists if_exists) {
  PTE_ASSIGN_OR_RETURN(Target target, ResolveTarget(path));
  if (target.old_file && if_exists == IfExists::kFail) return AlreadyExists(target.path);
  PTE_RETURN_IF_ERROR(CheckSizeLimit(target.path, size));
  PTE_ASSIGN_OR_RETURN(TargetLock lock, TargetLock::Take(target));
  if (lock.is_held()) RemoveLeftovers(target);
  PTE_ASSIGN_OR_RETURN(WorkFile work, CreateWorkFile(target));
  return AtomicFile(std::move(target), std::move(lock), if_exists, std::move(work.fd), std::move(work.path));
}

AtomicFile::AtomicFile(Target target, TargetLock lock, IfExists if_exists, Descriptor fd, std::string work_path)
    : target_(std::move(target)), lock_(std::move(lock)), if_exists_(if_exists), fd_(std::move(fd)), work_path_(std::move(work_path)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      lock_(std::move(other.lock_)),
      if_exists_(other.if_exists_),
      fd_(std::move(other.fd_)),
      work_path_(std::exchange(other.work_path_, {})) {}

AtomicFile::~AtomicFile() {
  if (!work_path_.empty()) RemoveOwn(work_path_);
}

absl::Status AtomicFile::Publish(Durability durability) {
  // Not the bits that lend the owner's rights: the owner may be another now.
  if (target_.old_file && Uninterrupted([&] { return sys::SetMode(fd_.get(), target_.old_file->mode & kPlainModeBits); }) != 0) {
    return FromErrno(errno, work_path_, "giving it the mode of the file it replaces");
  }
  const bool synced = durability == Durability::kSynced;
  Descriptor folder;
  if (synced) {
    // What can be refused is asked for while the target is what it was.
    folder = Descriptor(Uninterrupted([&] { return sys::OpenFolder(target_.folder.c_str()); }));
    if (!folder.is_open()) return FromErrno(errno, target_.folder, "opening the folder, to sync it");
    if (Uninterrupted([&] { return sys::Sync(fd_.get()); }) != 0) return FromErrno(errno, work_path_, "syncing it");
  }
  // An interrupted close has closed.
  if (fd_.Close() != 0 && errno != EINTR) return FromErrno(errno, work_path_, "closing it");
  PTE_RETURN_IF_ERROR(TakeName());
  return synced ? SyncFolder(folder) : absl::OkStatus();
}

absl::Status AtomicFile::TakeName() {
  const bool replace = if_exists_ == IfExists::kReplace;
  const char* from = work_path_.c_str();
  const char* to = target_.path.c_str();
  const int renamed = Uninterrupted([&] { return replace ? sys::Rename(from, to) : sys::RenameWithoutReplacing(from, to); });
  if (renamed == 0) {
    work_path_.clear();
    return absl::OkStatus();
  }
  if (!replace && errno == EEXIST) return AlreadyExists(target_.path);
  // Not every file system can rename without replacing; where it cannot, a second name cannot replace either.
  if (!replace) return LinkName();
  return FromErrno(errno, target_.path, "renaming the finished file to it");
}

absl::Status AtomicFile::LinkName() {
  if (Uninterrupted([&] { return sys::Link(work_path_.c_str(), target_.path.c_str()); }) == 0) {
    RemoveOwn(std::exchange(work_path_, {}));
    return absl::OkStatus();
  }
  if (errno == EEXIST) return AlreadyExists(target_.path);
  return FromErrno(errno, target_.path, "giving the finished file its name");
}

absl::Status AtomicFile::SyncFolder(const Descriptor& folder) const {
  // EINVAL: this file system has nothing to sync for folders.
  if (Uninterrupted([&] { return sys::Sync(folder.get()); }) == 0 || errno == EINVAL) return absl::OkStatus();
  return FromErrno(errno, target_.path, "the file is complete and in place, but syncing its folder failed");
}

}  // namespace pte
