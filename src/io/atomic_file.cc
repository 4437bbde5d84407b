#include "src/io/atomic_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/io/journal.h"
#include "src/io/recovery.h"
#include "src/io/syscalls.h"
#include "src/io/work_file.h"

namespace pte {
absl::StatusOr<AtomicFile> AtomicFile::Create(const std::filesystem::path& path, uint64_t size, IfExists if_exists) {
  PTE_ASSIGN_OR_RETURN(LockedTarget locked, LockTarget(path, size, if_exists));
  PTE_ASSIGN_OR_RETURN(WorkFile work, CreateWorkFile(locked.target));
  return AtomicFile(std::move(locked.target), std::move(locked.lock), if_exists, std::move(work.fd), std::move(work.path));
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
  if (!synced || SyncOpenFolder(folder.get())) return absl::OkStatus();
  return FromErrno(errno, target_.path, "the file is complete and in place, but syncing its folder failed");
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
  if (!replace && errno == EEXIST) return TargetExists(target_.path);
  // Not every file system can rename without replacing; where it cannot, a second name cannot replace either.
  if (!replace) return LinkName();
  return FromErrno(errno, target_.path, "renaming the finished file to it");
}

absl::Status AtomicFile::LinkName() {
  if (Uninterrupted([&] { return sys::Link(work_path_.c_str(), target_.path.c_str()); }) == 0) {
    RemoveOwn(std::exchange(work_path_, {}));
    return absl::OkStatus();
  }
  if (errno == EEXIST) return TargetExists(target_.path);
  return FromErrno(errno, target_.path, "giving the finished file its name");
}

}  // namespace pte
