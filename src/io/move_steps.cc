#include "src/io/move_steps.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/io/descriptor.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

std::atomic<uint64_t> drain_chunk = kDrainChunk;

bool IsFile(const sys::FileStat& stat, uint64_t device, uint64_t inode) { return stat.device == device && stat.inode == inode; }
bool IsSource(const sys::FileStat& stat, const JournalEntry& entry) { return IsFile(stat, entry.identity.device, entry.identity.inode); }

// What stands under a path; nullopt for nothing. An error is no answer: what cannot be seen may be the only copy of an engine.
absl::StatusOr<std::optional<sys::FileStat>> LookAt(const std::string& path) {
  sys::FileStat stat;
  if (Uninterrupted([&] { return sys::StatPath(path.c_str(), stat); }) == 0) return std::optional(stat);
  if (errno == ENOENT || errno == ENOTDIR) return std::optional<sys::FileStat>();
  return FromErrno(errno, path, "looking at it");
}

// Whether a path names this file.
absl::StatusOr<bool> Names(const std::string& path, uint64_t device, uint64_t inode) {
  PTE_ASSIGN_OR_RETURN(const std::optional<sys::FileStat> stat, LookAt(path));
  return stat && IsFile(*stat, device, inode);
}
absl::StatusOr<bool> NamesEngine(const std::string& path, const JournalEntry& entry) {
  return Names(path, entry.identity.device, entry.identity.inode);
}

// A new name, never that of another file.
int RenameToNew(const std::string& from, const std::string& to) {
  const int renamed = Uninterrupted([&] { return sys::RenameWithoutReplacing(from.c_str(), to.c_str()); });
  if (renamed == 0 || (errno != EINVAL && errno != ENOSYS)) return renamed;
  // This file system cannot rename without replacing; a second name cannot replace either.
  if (Uninterrupted([&] { return sys::Link(from.c_str(), to.c_str()); }) != 0) return -1;
  return Uninterrupted([&] { return sys::Unlink(from.c_str()); });
}

absl::Status Another(const std::string& path) {
  return absl::DataLossError(absl::StrCat(path, ": not the file that the journal of the move names; nothing was touched"));
}

// Opens a file of ours for reading and writing.
absl::StatusOr<OpenedFile> OpenOwn(const std::string& path, uint64_t device, uint64_t inode) {
  OpenedFile file{Descriptor(Uninterrupted([&] { return sys::OpenForWriting(path.c_str()); })), {}};
  if (!file.fd.is_open()) return FromErrno(errno, path, "opening it for the move");
  PTE_ASSIGN_OR_RETURN(file.stat, StatRegular(file.fd.get(), path));
  if (!IsFile(file.stat, device, inode)) return Another(path);
  return file;
}

absl::Status Sync(int fd, const std::string& path) {
  return Uninterrupted([&] { return sys::Sync(fd); }) == 0 ? absl::OkStatus() : FromErrno(errno, path, "syncing it");
}

absl::Status Truncate(int fd, uint64_t size, const std::string& path) {
  return Uninterrupted([&] { return sys::Truncate(fd, size); }) == 0 ? absl::OkStatus() : FromErrno(errno, path, "cutting it off");
}

// Takes the hole out of the front again, and all that was written behind the engine.
absl::Status ShrinkToEngine(const JournalEntry& entry, const OpenedFile& work, const std::string& path) {
  if (work.stat.size == entry.identity.size) return absl::OkStatus();
  const uint64_t grown = entry.identity.size + entry.offset;
  if (work.stat.size < grown) {
    return absl::DataLossError(absl::StrCat(path, ": the adopted engine has an impossible size; wanted ", entry.identity.size,
                                            " or at least ", grown, " bytes, found ", work.stat.size, "; nothing was touched"));
  }
  PTE_RETURN_IF_ERROR(Truncate(work.fd.get(), grown, path));
  if (entry.offset > 0 && Uninterrupted([&] { return sys::CollapseRange(work.fd.get(), 0, entry.offset); }) != 0) {
    return FromErrno(errno, path, "taking the space in front of the engine back");
  }
  return absl::OkStatus();
}

absl::Status NameTaken(const std::string& path, const std::string& at) {
  return absl::AbortedError(absl::StrCat(path, ": the engine cannot go back, since another file has its name; it is complete at ", at));
}

absl::Status GiveBack(const std::string& from, const JournalEntry& entry) {
  if (RenameToNew(from, entry.path) == 0) return absl::OkStatus();
  if (errno != EEXIST) return FromErrno(errno, entry.path, "giving the engine its name back");
  // Where renaming is linking and unlinking, the engine may have both names.
  PTE_ASSIGN_OR_RETURN(const bool has_both, NamesEngine(entry.path, entry));
  if (!has_both) return NameTaken(entry.path, from);
  return Uninterrupted([&] { return sys::Unlink(from.c_str()); }) == 0 ? absl::OkStatus()
                                                                       : FromErrno(errno, from, "removing the engine's second name");
}

absl::Status UndoAdopt(const std::string& work_path, const Journal& journal, const JournalEntry& entry) {
  PTE_ASSIGN_OR_RETURN(const bool is_adopted, NamesEngine(work_path, entry));
  if (!is_adopted) return absl::OkStatus();  // it was not renamed yet
  PTE_ASSIGN_OR_RETURN(const OpenedFile work, OpenOwn(work_path, entry.identity.device, entry.identity.inode));
  PTE_RETURN_IF_ERROR(ShrinkToEngine(entry, work, work_path));
  if (Uninterrupted([&] { return sys::SetMode(work.fd.get(), entry.mode); }) != 0 ||
      Uninterrupted([&] { return sys::SetModified(work.fd.get(), entry.identity.modified_ns); }) != 0) {
    return FromErrno(errno, work_path, "giving the engine its mode and time back");
  }
  if (journal.synced) PTE_RETURN_IF_ERROR(Sync(work.fd.get(), work_path));
  return GiveBack(work_path, entry);
}

absl::Status UndoClaim(const Journal& journal, const JournalEntry& entry) {
  const std::string claim = ClaimPath(journal, entry);
  PTE_ASSIGN_OR_RETURN(const bool is_claimed, NamesEngine(claim, entry));
  return is_claimed ? GiveBack(claim, entry) : absl::OkStatus();
}

// Puts the names that engines have again on the disk, before the journal that knows their hidden ones goes.
absl::Status SyncNames(const Target& target, const Journal& journal) {
  std::set<std::string> folders = {target.folder};
  for (const JournalEntry& entry : journal.entries) {
    const bool had_hidden_name = entry.strategy == MoveStrategy::kDrain || entry.strategy == MoveStrategy::kAdopt;
    if (had_hidden_name) folders.insert(std::filesystem::path(entry.path).parent_path().string());
  }
  for (const std::string& folder : folders) {
    const absl::Status status = SyncFolder(folder);
    // One that may not be read will not be synced by a later try either.
    if (!status.ok() && !absl::IsPermissionDenied(status)) return status;
  }
  return absl::OkStatus();
}

absl::Status RemoveWork(const std::string& path, const Journal& journal) {
  PTE_ASSIGN_OR_RETURN(const bool is_there, Names(path, journal.work_device, journal.work_inode));
  if (!is_there || RemoveOwn(path)) return absl::OkStatus();
  return FromErrno(errno, path, "removing the unfinished file");
}

const JournalEntry* AdoptedEntry(const Journal& journal) {
  for (const JournalEntry& entry : journal.entries) {
    if (entry.strategy == MoveStrategy::kAdopt) return &entry;
  }
  return nullptr;
}

// The part of the engine from `begin` to its end, to its place in the work file.
absl::Status CopyTail(const OpenedFile& engine, const std::string& name, uint64_t begin, const JournalEntry& entry, const OpenedFile& work,
                      const std::string& work_path, ProgressMeter& meter) {
  PTE_ASSIGN_OR_RETURN(FileWriter writer, FileWriter::Make(work.fd.get(), work_path, meter, entry.offset + begin));
  FileRange tail{engine.fd.get(), begin, engine.stat.size - begin, IdentityOf(engine.stat), name};
  PTE_RETURN_IF_ERROR(writer.Append(tail));
  return writer.Flush();
}

absl::Status DrainEngine(const Journal& journal, const JournalEntry& entry, const OpenedFile& work, const std::string& work_path,
                         ProgressMeter& meter) {
  const std::string path = ClaimPath(journal, entry);
  PTE_ASSIGN_OR_RETURN(OpenedFile engine, OpenOwn(path, entry.identity.device, entry.identity.inode));
  while (engine.stat.size > 0) {
    const uint64_t begin = LastPiece(engine.stat.size, work.stat.block_size);
    PTE_RETURN_IF_ERROR(CopyTail(engine, path, begin, entry, work, work_path, meter));
    if (journal.synced) PTE_RETURN_IF_ERROR(Sync(work.fd.get(), work_path));
    PTE_RETURN_IF_ERROR(Truncate(engine.fd.get(), begin, path));
    PTE_ASSIGN_OR_RETURN(engine.stat, StatRegular(engine.fd.get(), path));
  }
  return absl::OkStatus();
}

std::vector<const JournalEntry*> DrainOrder(const Journal& journal) {
  std::vector<const JournalEntry*> engines;
  for (const JournalEntry& entry : journal.entries) {
    if (entry.strategy == MoveStrategy::kDrain) engines.push_back(&entry);
  }
  const auto comes_first = [](const JournalEntry* a, const JournalEntry* b) {
    return a->identity.size != b->identity.size ? a->identity.size > b->identity.size : a->offset > b->offset;
  };
  std::sort(engines.begin(), engines.end(), comes_first);
  return engines;
}

// Removes a source that is still what the journal says; why not, where it stays.
std::string RemoveSource(const Journal& journal, const JournalEntry& entry) {
  if (entry.strategy == MoveStrategy::kAdopt) return "";
  const bool is_drained = entry.strategy == MoveStrategy::kDrain;
  const std::string path = is_drained ? ClaimPath(journal, entry) : entry.path;
  sys::FileStat stat;
  // Twice, like unlinking: nobody else will.
  if (Uninterrupted([&] { return sys::StatPath(path.c_str(), stat); }) != 0 &&
      Uninterrupted([&] { return sys::StatPath(path.c_str(), stat); }) != 0) {
    return errno == ENOENT ? "" : std::string(FromErrno(errno, path, "looking at it").message());
  }
  if (IsFile(stat, journal.work_device, journal.work_inode)) return "it is the container itself";
  // The target is complete, and on the disk where that was asked for; a power cut may have brought back what was cut off an engine before.
  const bool is_same = is_drained ? IsSource(stat, entry) && stat.size <= entry.identity.size : IdentityOf(stat) == entry.identity;
  if (!is_same) return "another file has its name, or it has changed";
  if (RemoveOwn(path)) return "";
  return std::string(FromErrno(errno, path, "removing it").message());
}

}  // namespace

uint64_t DrainChunk() { return drain_chunk; }
void SetDrainChunk(uint64_t chunk) { drain_chunk = chunk; }

std::string WorkPath(const Target& target, const Journal& journal) { return target.InFolder(journal.work_name); }

absl::StatusOr<bool> IsPublished(const Target& target, const Journal& journal) {
  return Names(target.path, journal.work_device, journal.work_inode);
}

absl::Status CheckJournal(const Target& target, const Journal& journal) {
  PTE_ASSIGN_OR_RETURN(const bool is_published, IsPublished(target, journal));
  if (is_published) return absl::OkStatus();
  const bool is_committed = journal.state == MoveState::kCommitted;
  const std::string work_path = WorkPath(target, journal);
  PTE_ASSIGN_OR_RETURN(const std::optional<sys::FileStat> work, LookAt(work_path));
  if (work ? !IsFile(*work, journal.work_device, journal.work_inode) : is_committed) return Another(work_path);
  for (const JournalEntry& entry : journal.entries) {
    if (entry.strategy != MoveStrategy::kDrain) continue;
    // An emptied engine keeps its hidden name until the target is published: one that is missing may have taken bytes with it.
    PTE_ASSIGN_OR_RETURN(const std::optional<sys::FileStat> engine, LookAt(ClaimPath(journal, entry)));
    if (!engine && !is_committed) continue;
    const bool has_size = engine && (is_committed ? engine->size <= entry.identity.size : engine->size == entry.identity.size);
    if (!has_size || !IsSource(*engine, entry)) return Another(ClaimPath(journal, entry));
  }
  return absl::OkStatus();
}

absl::Status Adopt(const Target& target, const Journal& journal, const JournalEntry& entry, int fd) {
  const std::string work_path = WorkPath(target, journal);
  if (RenameToNew(entry.path, work_path) != 0) {
    if (errno == ENOENT) return absl::AbortedError(absl::StrCat(entry.path, ": the engine is gone"));
    return FromErrno(errno, entry.path, "making it the new file");
  }
  PTE_ASSIGN_OR_RETURN(const bool is_engine, NamesEngine(work_path, entry));
  if (!is_engine) {
    // Another file has taken the engine's name since we looked; it is not ours.
    if (RenameToNew(work_path, entry.path) != 0) return NameTaken(entry.path, work_path);
    return absl::AbortedError(absl::StrCat(entry.path, ": another file has the engine's name"));
  }
  if (entry.offset == 0 || Uninterrupted([&] { return sys::InsertRange(fd, 0, entry.offset); }) == 0) return absl::OkStatus();
  return FromErrno(errno, work_path, absl::StrCat("making room for ", Number(entry.offset), " bytes in front of the engine"));
}

absl::Status ClaimEngines(const Journal& journal) {
  for (const JournalEntry& entry : journal.entries) {
    if (entry.strategy != MoveStrategy::kDrain) continue;
    const std::string claim = ClaimPath(journal, entry);
    if (RenameToNew(entry.path, claim) != 0) {
      if (errno != ENOENT && errno != EEXIST) return FromErrno(errno, entry.path, "claiming it");
      return absl::AbortedError(absl::StrCat(entry.path, ": the engine is gone, or another move is emptying it"));
    }
    PTE_ASSIGN_OR_RETURN(const bool is_engine, NamesEngine(claim, entry));
    if (is_engine) continue;
    if (RenameToNew(claim, entry.path) != 0) return NameTaken(entry.path, claim);
    return absl::AbortedError(absl::StrCat(entry.path, ": another file has the engine's name"));
  }
  return absl::OkStatus();
}

absl::Status UndoMove(const Target& target, const Journal& journal) {
  const std::string work_path = WorkPath(target, journal);
  for (const JournalEntry& entry : journal.entries) {
    if (entry.strategy == MoveStrategy::kDrain) PTE_RETURN_IF_ERROR(UndoClaim(journal, entry));
  }
  const JournalEntry* adopted = AdoptedEntry(journal);
  PTE_RETURN_IF_ERROR(adopted != nullptr ? UndoAdopt(work_path, journal, *adopted) : RemoveWork(work_path, journal));
  if (journal.synced) PTE_RETURN_IF_ERROR(SyncNames(target, journal));
  return RemoveJournal(target);
}

uint64_t LastPiece(uint64_t size, uint64_t block) {
  const uint64_t chunk = DrainChunk();
  if (size <= chunk) return 0;
  const bool is_usual = block > 0 && block <= chunk && chunk % block == 0;
  const uint64_t step = is_usual ? block : chunk;
  return (size - chunk + step - 1) / step * step;
}

const JournalEntry* FirstDrained(const Journal& journal) {
  const std::vector<const JournalEntry*> engines = DrainOrder(journal);
  return engines.empty() ? nullptr : engines.front();
}

absl::Status DrainEngines(const Target& target, const Journal& journal, ProgressMeter& meter) {
  PTE_ASSIGN_OR_RETURN(const bool is_published, IsPublished(target, journal));
  if (is_published) return absl::OkStatus();
  const std::vector<const JournalEntry*> engines = DrainOrder(journal);
  if (engines.empty()) return absl::OkStatus();
  const std::string work_path = WorkPath(target, journal);
  PTE_ASSIGN_OR_RETURN(const OpenedFile work, OpenOwn(work_path, journal.work_device, journal.work_inode));
  for (const JournalEntry* engine : engines) PTE_RETURN_IF_ERROR(DrainEngine(journal, *engine, work, work_path, meter));
  return absl::OkStatus();
}

absl::Status PublishWork(const Target& target, const Journal& journal) {
  PTE_ASSIGN_OR_RETURN(const bool is_published, IsPublished(target, journal));
  if (is_published) return absl::OkStatus();
  const std::string work_path = WorkPath(target, journal);
  // Not for writing: the mode that it is to have may be set already.
  PTE_ASSIGN_OR_RETURN(OpenedFile work, OpenRegular(work_path));
  if (!IsFile(work.stat, journal.work_device, journal.work_inode)) return Another(work_path);
  if (work.stat.size != journal.file_size) {
    return absl::DataLossError(absl::StrCat(work_path, ": the new file has the wrong size; wanted ", Number(journal.file_size), ", found ",
                                            Number(work.stat.size)));
  }
  if (Uninterrupted([&] { return sys::SetMode(work.fd.get(), journal.mode); }) != 0) return FromErrno(errno, work_path, "setting its mode");
  if (journal.synced) PTE_RETURN_IF_ERROR(Sync(work.fd.get(), work_path));
  if (work.fd.Close() != 0 && errno != EINTR) return FromErrno(errno, work_path, "closing it");
  const int renamed = journal.replace ? Uninterrupted([&] { return sys::Rename(work_path.c_str(), target.path.c_str()); })
                                      : RenameToNew(work_path, target.path);
  if (renamed == 0) return absl::OkStatus();
  const int error = errno;
  PTE_ASSIGN_OR_RETURN(const bool has_name, IsPublished(target, journal));
  if (has_name) {
    // Where renaming is linking and unlinking, only the unlinking failed.
    RemoveOwn(work_path);
    return absl::OkStatus();
  }
  if (!journal.replace && error == EEXIST) return TargetExists(target.path);
  return FromErrno(error, target.path, "renaming the finished file to it");
}

std::vector<std::string> RemoveSources(const Journal& journal) {
  std::vector<std::string> kept;
  std::set<std::string> folders;
  for (const JournalEntry& entry : journal.entries) {
    kept.push_back(RemoveSource(journal, entry));
    folders.insert(std::filesystem::path(entry.path).parent_path().string());
  }
  // What comes back after a power cut is removed by the journal, which goes last; a folder that cannot be synced costs no more than that.
  if (journal.synced) {
    for (const std::string& folder : folders) (void)SyncFolder(folder);
  }
  return kept;
}

}  // namespace pte
