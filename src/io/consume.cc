#include "src/io/consume.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/io/journal.h"
#include "src/io/move_sources.h"
#include "src/io/move_steps.h"
#include "src/io/progress.h"
#include "src/io/recovery.h"
#include "src/io/rope_pieces.h"
#include "src/io/work_file.h"

namespace pte {
namespace {

MoveStrategy InJournal(Strategy strategy) {
  switch (strategy) {
    case Strategy::kClone: return MoveStrategy::kClone;
    case Strategy::kAdopt: return MoveStrategy::kAdopt;
    case Strategy::kDrain: return MoveStrategy::kDrain;
    case Strategy::kWrite:
    case Strategy::kCopy: break;
  }
  return MoveStrategy::kCopy;
}

bool IsInPlace(Strategy strategy) { return strategy == Strategy::kAdopt || strategy == Strategy::kDrain; }

// One save, from the lock to the handles.
class Move {
 public:
  Move(std::span<const OutputPart> parts, Target target, const SaveOptions& options)
      : parts_(parts), target_(std::move(target)), options_(options), meter_(options.progress, TotalSize(parts)) {}

  absl::StatusOr<SavedParts> Run(std::span<const AbsorbedSource> absorbed, bool can_lock) {
    PTE_ASSIGN_OR_RETURN(sources_, CollectSources(parts_, absorbed, target_, options_, false));
    if (!can_lock) KeepAll();
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (!sources_[i].is_absorbed && IsInPlace(sources_[i].strategy)) in_place_.emplace(sources_[i].offset, i);
    }
    PTE_RETURN_IF_ERROR(meter_.Begin());
    absl::Status status = Prepare();
    if (status.ok()) status = WriteAll();
    if (status.ok()) status = Commit();
    if (!status.ok()) return Undone(status);
    meter_.CancelNoMore();
    status = DrainEngines(target_, journal_, meter_);
    if (status.ok()) status = PublishWork(target_, journal_);
    if (!status.ok()) return journal_.state == MoveState::kCommitted ? Unfinished(status) : Undone(status);
    return Finish();
  }

 private:
  const MoveSource* Adopted() const {
    const auto found = std::find_if(sources_.begin(), sources_.end(), [](const MoveSource& s) { return s.strategy == Strategy::kAdopt; });
    return found == sources_.end() ? nullptr : &*found;
  }

  // Two processes could save to one target at the same time: files are copied, and none is removed.
  void KeepAll() {
    for (MoveSource& source : sources_) {
      source.strategy = Strategy::kCopy;
      source.reason = "files cannot be locked beside the target";
      source.stays = true;
      source.why_kept = source.reason;
    }
  }

  // The new file, and the journal that names it. Nothing of a source is touched before that is written.
  absl::Status Prepare() {
    PTE_ASSIGN_OR_RETURN(WorkFile work, CreateWorkFile(target_));
    work_path_ = work.path;
    sys::FileStat stat;
    if (Uninterrupted([&] { return sys::Stat(work.fd.get(), stat); }) != 0) return FromErrno(errno, work.path, "looking at it");
    // It is opened again, by a recovery at the latest, and gets its final mode when it is complete.
    constexpr uint32_t kOwnerMode = 0600;
    if (Uninterrupted([&] { return sys::SetMode(work.fd.get(), stat.mode | kOwnerMode); }) != 0) {
      return FromErrno(errno, work.path, "opening it to its owner");
    }
    journal_.synced = IsSynced(options_);
    journal_.replace = options_.if_exists == IfExists::kReplace;
    journal_.mode = target_.old_file ? target_.old_file->mode & kPlainModeBits : stat.mode;
    journal_.file_size = TotalSize(parts_);
    journal_.target_name = target_.name;
    journal_.work_name = std::filesystem::path(work.path).filename().string();
    const MoveSource* adopted = Adopted();
    journal_.work_device = adopted == nullptr ? stat.device : adopted->identity.device;
    journal_.work_inode = adopted == nullptr ? stat.inode : adopted->identity.inode;
    for (const MoveSource& source : sources_) {
      if (source.stays) continue;
      journal_.entries.push_back({InJournal(source.strategy), source.path, source.identity, source.mode, source.offset});
    }
    if (adopted != nullptr && Uninterrupted([&] { return sys::Unlink(work.path.c_str()); }) != 0)
      return FromErrno(errno, work.path, "making room for the engine");
    has_journal_ = !journal_.entries.empty();
    if (has_journal_) PTE_RETURN_IF_ERROR(WriteJournal(target_, journal_));
    if (adopted == nullptr) {
      work_fd_ = std::move(work.fd);
      return absl::OkStatus();
    }
    for (const JournalEntry& entry : journal_.entries) {
      if (entry.strategy == MoveStrategy::kAdopt) PTE_RETURN_IF_ERROR(Adopt(target_, journal_, entry, adopted->fd.get()));
    }
    work_fd_ = Descriptor(Uninterrupted([&] { return sys::Duplicate(adopted->fd.get()); }));
    return work_fd_.is_open() ? absl::OkStatus() : FromErrno(errno, work_path_, "duplicating its descriptor");
  }

  // Everything but the engines that are adopted or drained.
  absl::Status WriteAll() {
    PTE_ASSIGN_OR_RETURN(FileWriter writer, FileWriter::Make(work_fd_.get(), target_.path, meter_));
    uint64_t offset = 0;
    for (const OutputPart& part : parts_) {
      ByteCounts counts;
      meter_.Enter(part.what);
      const ByteCounts before = writer.counts();
      for (const Rope::Piece& piece : part.bytes.pieces()) {
        const MoveSource* source = InPlaceAt(offset);
        PTE_RETURN_IF_ERROR(source == nullptr ? writer.Append(piece) : writer.Skip(PieceSize(piece)));
        if (source != nullptr) (source->strategy == Strategy::kAdopt ? counts.adopted : counts.drained) += PieceSize(piece);
        if (source != nullptr && source->strategy == Strategy::kAdopt) PTE_RETURN_IF_ERROR(meter_.Advance(PieceSize(piece)));
        offset += PieceSize(piece);
      }
      const ByteCounts written = Difference(writer.counts(), before);
      saved_.counts.push_back({written.written, written.copied, written.cloned, counts.adopted, counts.drained});
    }
    PTE_RETURN_IF_ERROR(writer.Finish());
    return ReserveFirstPiece();
  }

  const MoveSource* InPlaceAt(uint64_t offset) const {
    const auto found = in_place_.find(offset);
    return found == in_place_.end() ? nullptr : &sources_[found->second];
  }

  // Each cut of an engine pays for its next piece; the first has nothing to live on.
  absl::Status ReserveFirstPiece() const {
    const JournalEntry* first = FirstDrained(journal_);
    if (first == nullptr) return absl::OkStatus();
    sys::FileStat stat;
    if (Uninterrupted([&] { return sys::Stat(work_fd_.get(), stat); }) != 0)
      return FromErrno(errno, target_.path, "looking at the new file");
    const uint64_t begin = LastPiece(first->identity.size, stat.block_size);
    if (Uninterrupted([&] { return sys::Allocate(work_fd_.get(), first->offset + begin, first->identity.size - begin); }) == 0)
      return absl::OkStatus();
    // A file system that cannot reserve is no reason to stop; one that is full is.
    return errno == ENOSPC || errno == EDQUOT ? FromErrno(errno, target_.path, "reserving space for the first piece of an engine")
                                              : absl::OkStatus();
  }

  // The commit point, where there is anything to drain.
  absl::Status Commit() {
    const bool drains = std::any_of(sources_.begin(), sources_.end(), [](const MoveSource& s) { return s.strategy == Strategy::kDrain; });
    if (!drains) return absl::OkStatus();
    PTE_RETURN_IF_ERROR(ClaimEngines(journal_));
    if (journal_.synced && Uninterrupted([&] { return sys::Sync(work_fd_.get()); }) != 0) {
      return FromErrno(errno, target_.path, "syncing the new file");
    }
    if (journal_.synced) PTE_RETURN_IF_ERROR(SyncSourceFolders());
    Journal committed = journal_;
    committed.state = MoveState::kCommitted;
    const absl::Status written = WriteJournal(target_, committed);
    if (written.ok()) {
      journal_ = std::move(committed);
    } else {
      can_undo_ = TakeBackCommit();
    }
    return written;
  }

  absl::Status SyncSourceFolders() const {
    std::set<std::string> folders;
    for (const MoveSource& source : sources_) folders.insert(std::filesystem::path(source.path).parent_path().string());
    for (const std::string& folder : folders) PTE_RETURN_IF_ERROR(SyncFolder(folder));
    return absl::OkStatus();
  }

  // A commit that failed may be in place all the same, and must not be while the move is undone: who recovers would then finish it without
  // what has been undone. Whether it is not.
  bool TakeBackCommit() const {
    const absl::StatusOr<std::optional<Journal>> found = ReadJournal(target_);
    if (!found.ok() || !*found) return false;
    return (*found)->state == MoveState::kPrepared || WriteJournal(target_, journal_).ok();
  }

  // The error that ended the move, when everything is as it was; both errors where it is not.
  absl::Status Undone(const absl::Status& why) {
    work_fd_ = Descriptor();
    if (!has_journal_) {
      if (!work_path_.empty()) RemoveOwn(work_path_);
      return why;
    }
    const absl::Status undone = can_undo_ ? UndoMove(target_, journal_) : absl::AbortedError("the journal cannot be written");
    if (undone.ok()) return why;
    return absl::Status(why.code(), absl::StrCat(why.message(), "; undoing it failed too: ", undone.message(),
                                                 "; nothing is lost, and recovering ", target_.path, " finishes it"));
  }

  absl::Status Unfinished(const absl::Status& why) const {
    return absl::AbortedError(
        absl::StrCat(target_.path, ": unfinished; nothing is lost, and recovering it finishes the file: ", why.message()));
  }

  absl::StatusOr<SavedParts> Finish() {
    RedirectHandles();
    if (journal_.synced) PTE_RETURN_IF_ERROR(WithName(SyncFolder(target_.folder), "the file is complete and in place"));
    const std::vector<std::string> why_kept = RemoveSources(journal_);
    size_t entry = 0;
    for (const MoveSource& source : sources_) {
      const std::string& why = source.stays ? source.why_kept : why_kept[entry++];
      saved_.sources.push_back({source.path, source.offset, source.identity.size, source.strategy, source.reason, why.empty(), why});
    }
    (void)RemoveJournal(target_);  // what is left of it is removed by the next save
    (void)meter_.Finish();
    return std::move(saved_);
  }

  void RedirectHandles() const {
    sys::FileStat stat;
    if (Uninterrupted([&] { return sys::Stat(work_fd_.get(), stat); }) != 0 &&
        Uninterrupted([&] { return sys::StatPath(target_.path.c_str(), stat); }) != 0)
      return;
    for (const MoveSource& source : sources_) {
      if (source.stays && !source.is_target) continue;
      for (const MoveSource::Handle& handle : source.handles) handle.file->ReadFrom(target_.path, handle.offset, IdentityOf(stat));
    }
  }

  std::span<const OutputPart> parts_;
  const Target target_;
  const SaveOptions& options_;
  ProgressMeter meter_;
  std::vector<MoveSource> sources_;
  std::unordered_map<uint64_t, size_t> in_place_;  // sources that are not written, by their offset
  Journal journal_;
  bool has_journal_ = false;
  bool can_undo_ = true;  // the journal says that nothing is committed
  std::string work_path_;
  Descriptor work_fd_;
  SavedParts saved_;
};

}  // namespace

absl::StatusOr<PlannedMoves> PlanConsume(std::span<const OutputPart> parts, std::span<const AbsorbedSource> absorbed,
                                         const std::filesystem::path& path, const SaveOptions& options) {
  PTE_ASSIGN_OR_RETURN(const Target target, ResolveTarget(path));
  PTE_ASSIGN_OR_RETURN(const std::vector<MoveSource> sources, CollectSources(parts, absorbed, target, options, true));
  PlannedMoves plan;
  plan.extra_disk = TotalSize(parts);
  uint64_t first_piece = 0;  // of an engine that is drained: on the disk twice until it is cut off
  for (const MoveSource& source : sources) {
    plan.sources.push_back(
        {source.path, source.offset, source.identity.size, source.strategy, source.reason, !source.stays, source.why_kept});
    const bool is_added = source.is_absorbed || source.strategy == Strategy::kCopy;
    if (!is_added) plan.extra_disk -= source.identity.size;
    if (source.strategy == Strategy::kDrain) first_piece = std::max(first_piece, std::min(source.identity.size, DrainChunk()));
  }
  plan.extra_disk += first_piece;
  return plan;
}

absl::StatusOr<SavedParts> ConsumeParts(std::span<const OutputPart> parts, std::span<const AbsorbedSource> absorbed,
                                        const std::filesystem::path& path, const SaveOptions& options) {
  PTE_ASSIGN_OR_RETURN(LockedTarget locked, LockTarget(path, TotalSize(parts), options.if_exists));
  return Move(parts, std::move(locked.target), options).Run(absorbed, locked.lock.is_held());
}

}  // namespace pte
