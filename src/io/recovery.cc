#include "src/io/recovery.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/io/memory.h"
#include "src/io/move_steps.h"
#include "src/io/progress.h"
#include "src/io/syscalls.h"
#include "src/io/work_file.h"

namespace pte {
namespace {

absl::Status CheckSizeLimit(const std::string& path, uint64_t size) {
  const uint64_t limit = sys::FileSizeLimit();
  if (size <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(path, ": larger than this process may write into a file; wanted ", Number(size),
                                                   " bytes, found a limit of ", Number(limit)));
}

bool HasIdentity(const std::string& path, const FileIdentity& identity, uint64_t& device) {
  sys::FileStat stat;
  if (Uninterrupted([&] { return sys::StatPath(path.c_str(), stat); }) != 0) return false;
  device = stat.device;
  FileIdentity found = IdentityOf(stat);
  found.device = identity.device;
  return found == identity;
}

// The system numbers devices anew when it starts or mounts them, so that those in the journal may be out of date, or other devices now. A
// file of the same inode in its place tells today's number.
void RenumberDevices(const Target& target, Journal& journal) {
  const uint64_t old_device = journal.work_device;
  sys::FileStat stat;
  const auto is_work = [&](const std::string& path) {
    return Uninterrupted([&] { return sys::StatPath(path.c_str(), stat); }) == 0 && stat.inode == journal.work_inode;
  };
  // Nobody else has the work file's name; of the target, the size must fit too.
  if (is_work(WorkPath(target, journal)) || (is_work(target.path) && stat.size == journal.file_size)) journal.work_device = stat.device;
  for (JournalEntry& entry : journal.entries) {
    uint64_t device = 0;
    if (entry.identity.device == old_device) {
      entry.identity.device = journal.work_device;
    } else if (HasIdentity(entry.path, entry.identity, device)) {
      entry.identity.device = device;
    }
  }
}

absl::StatusOr<OldMove> FinishMove(const Target& target, const Journal& journal) {
  // Who wrote the journal may have died before it was on the disk, and no engine may be emptied while it is not.
  if (journal.synced) PTE_RETURN_IF_ERROR(SyncFolder(target.folder));
  const std::function<bool(const Progress&)> nobody;
  ProgressMeter meter(nobody, journal.file_size);
  PTE_RETURN_IF_ERROR(DrainEngines(target, journal, meter));
  PTE_RETURN_IF_ERROR(PublishWork(target, journal));
  if (journal.synced) PTE_RETURN_IF_ERROR(SyncFolder(target.folder));
  (void)RemoveSources(journal);  // a source that cannot be removed is no reason to keep the journal
  PTE_RETURN_IF_ERROR(RemoveJournal(target));
  return OldMove::kFinished;
}

}  // namespace

absl::StatusOr<OldMove> RecoverMove(const Target& target) {
  PTE_ASSIGN_OR_RETURN(std::optional<Journal> journal, ReadJournal(target));
  if (!journal) return OldMove::kNone;
  RenumberDevices(target, *journal);
  PTE_RETURN_IF_ERROR(CheckJournal(target, *journal));
  PTE_ASSIGN_OR_RETURN(const bool is_published, IsPublished(target, *journal));
  if (is_published || journal->state == MoveState::kCommitted) return FinishMove(target, *journal);
  PTE_RETURN_IF_ERROR(UndoMove(target, *journal));
  return OldMove::kUndone;
}

absl::StatusOr<LockedTarget> LockTarget(const std::filesystem::path& path, uint64_t size, IfExists if_exists) {
  PTE_ASSIGN_OR_RETURN(Target target, ResolveTarget(path));
  PTE_ASSIGN_OR_RETURN(TargetLock lock, TargetLock::Take(target));
  if (lock.is_held()) {
    PTE_ASSIGN_OR_RETURN(const OldMove old, RecoverMove(target));
    if (old == OldMove::kFinished) {
      return absl::AbortedError(absl::StrCat(
          target.path,
          ": an interrupted move to this file was finished just now; it has the only copy of what was moved, and only a further "
          "call replaces it"));
    }
    // Looking for them takes a look at the whole folder, which may be large.
    if (lock.was_left_behind()) RemoveLeftovers(target);
    PTE_ASSIGN_OR_RETURN(target, ResolveTarget(path));
  }
  if (target.old_file && if_exists == IfExists::kFail) {
    return TargetExists(target.path);
  }
  PTE_RETURN_IF_ERROR(CheckSizeLimit(target.path, size));
  return LockedTarget{std::move(target), std::move(lock)};
}

}  // namespace pte
