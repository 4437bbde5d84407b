#include "src/io/move_sources.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/io/rope_pieces.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

// A power cut may tear an insertion that takes more than one step of the file system's own journal; ext4 takes one for about 340 extents.
constexpr int64_t kMostExtents = 300;

constexpr std::string_view kDrainForbidden = "draining is forbidden";

using FileKey = std::pair<uint64_t, uint64_t>;  // device and inode

// What the target's file system can do, tried on a file without a name.
class Probe {
 public:
  explicit Probe(const Target& target) : fd_(sys::OpenUnnamed(target.folder.c_str())) {
    if (fd_.is_open() && Uninterrupted([&] { return sys::Stat(fd_.get(), stat_); }) != 0) fd_ = Descriptor();
  }

  uint64_t device() const { return stat_.device; }
  uint64_t block() const { return stat_.block_size; }
  bool is_open() const { return fd_.is_open() && block() > 0; }
  bool IsExt4() const { return sys::IsExt4(fd_.get()); }

  bool CanClone(int from) const { return sys::CloneRange(from, 0, block(), fd_.get(), 0) == 0; }

  bool CanInsert() {
    if (can_insert_) return *can_insert_;
    const std::vector<std::byte> bytes(static_cast<size_t>(2 * block()), std::byte{1});
    can_insert_ = sys::WriteAt(fd_.get(), bytes.data(), bytes.size(), 0) == static_cast<int64_t>(bytes.size()) &&
                  sys::InsertRange(fd_.get(), 0, block()) == 0;
    return *can_insert_;
  }

 private:
  Descriptor fd_;
  sys::FileStat stat_;
  std::optional<bool> can_insert_;
};

class Collector {
 public:
  Collector(const Target& target, const SaveOptions& options, bool only_look)
      : target_(target), options_(options), only_look_(only_look), probe_(target) {
    is_synced_ = IsSynced(options);
    for (const std::filesystem::path& path : options.keep) {
      // Links are followed: whoever needs the name needs the file that it leads to.
      const absl::StatusOr<OpenedFile> file = OpenRegular(path.string());
      if (file.ok()) keep_.insert({file->stat.device, file->stat.inode});
    }
  }

  absl::Status AddParts(std::span<const OutputPart> parts) {
    uint64_t offset = 0;
    for (const OutputPart& part : parts) {
      part_offsets_.push_back(offset);
      for (const Rope::Piece& piece : part.bytes.pieces()) {
        if (const auto* range = std::get_if<Rope::SourceRange>(&piece)) PTE_RETURN_IF_ERROR(AddRange(*range, offset));
        offset += PieceSize(piece);
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddAbsorbed(std::span<const AbsorbedSource> absorbed) {
    for (const AbsorbedSource& source : absorbed) {
      const Rope& bytes = source.bytes;
      const auto* range = bytes.pieces().size() == 1 ? std::get_if<Rope::SourceRange>(&bytes.pieces()[0]) : nullptr;
      const GivenFile* file = range == nullptr ? nullptr : MovableFile(*range);
      if (file == nullptr || known_.contains(file)) continue;
      PTE_RETURN_IF_ERROR(Add(*range, *file, part_offsets_[source.part], true));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<MoveSource>> Finish() {
    for (MoveSource& source : sources_) Judge(source);
    ChooseAdopted();
    return std::move(sources_);
  }

 private:
  absl::Status AddRange(const Rope::SourceRange& range, uint64_t offset) {
    if (const GivenFile* file = MovableFile(range)) {
      const FileIdentity identity = file->GivenIdentity();
      ++uses_[{identity.device, identity.inode}];
      return known_.contains(file) ? absl::OkStatus() : Add(range, *file, offset, false);
    }
    PTE_ASSIGN_OR_RETURN(const std::optional<FileRange> opened, OpenFileRange(*range.source, range.offset, range.length));
    if (opened) ++uses_[{opened->identity.device, opened->identity.inode}];
    return absl::OkStatus();
  }

  absl::Status Add(const Rope::SourceRange& range, const GivenFile& file, uint64_t offset, bool is_absorbed) {
    known_.insert(&file);
    const FileIdentity identity = file.GivenIdentity();
    const MoveSource::Handle handle{&file, range.source, offset};
    const auto [at, is_new] = source_of_.try_emplace({identity.device, identity.inode}, sources_.size());
    if (!is_new) {
      sources_[at->second].handles.push_back(handle);
      return absl::OkStatus();
    }
    MoveSource source;
    source.handles = {handle};
    // Without touching the disk; symbolic links in front of the name are the system's to follow.
    source.path = std::filesystem::absolute(file.GivenPath()).string();
    source.identity = identity;
    source.offset = offset;
    source.is_absorbed = is_absorbed;
    sources_.push_back(std::move(source));
    return Open(sources_.back());
  }

  absl::Status Open(MoveSource& source) {
    source.fd = Descriptor(Uninterrupted([&] { return sys::OpenForWriting(source.path.c_str()); }));
    if (!source.fd.is_open() && errno == ENOENT) {
      return absl::AbortedError(absl::StrCat(source.path, ": the file is gone since it was given"));
    }
    // Another mover looks at this moment whether the file is used.
    if (!source.fd.is_open() && errno == EWOULDBLOCK) return Taken(source);
    if (!source.fd.is_open()) {
      source.reason = errno == ELOOP ? "it is a symbolic link" : "it cannot be opened for writing";
      PTE_ASSIGN_OR_RETURN(OpenedFile readable, OpenRegular(source.path));
      source.fd = std::move(readable.fd);
    }
    if (!only_look_ && Uninterrupted([&] { return sys::TryLock(source.fd.get()); }) != 0) {
      if (errno == EWOULDBLOCK) return Taken(source);
      if (source.reason.empty()) source.reason = "it cannot be locked";
    }
    // After locking: who had the lock until just now may have moved it.
    const FileRange whole{source.fd.get(), 0, source.identity.size, source.identity, source.path};
    PTE_RETURN_IF_ERROR(whole.CheckUnchanged());
    sys::FileStat named;
    const int looked = Uninterrupted([&] { return sys::StatPath(source.path.c_str(), named); });
    if (looked != 0 && errno != ENOENT) return FromErrno(errno, source.path, "looking at it");
    if (looked != 0 || (!named.is_symlink && IdentityOf(named) != source.identity)) {
      return absl::AbortedError(absl::StrCat(source.path, ": the file is gone since it was given"));
    }
    return absl::OkStatus();
  }

  static absl::Status Taken(const MoveSource& source) {
    return absl::AbortedError(absl::StrCat(source.path, ": another process is moving this file"));
  }

  // The best strategy but adopting, which only one of all can have.
  void Judge(MoveSource& source) {
    const FileKey key{source.identity.device, source.identity.inode};
    sys::FileStat stat;
    if (Uninterrupted([&] { return sys::Stat(source.fd.get(), stat); }) != 0) stat = {};
    source.mode = stat.mode;
    const uint64_t links = stat.links;
    const bool is_target = target_.old_file && FileKey{target_.old_file->device, target_.old_file->inode} == key;
    if (is_target) Keep(source, "it is the file that is replaced");
    source.is_target = is_target;
    if (Uninterrupted([&] { return sys::StatPath(source.path.c_str(), stat); }) == 0 && stat.is_symlink)
      Keep(source, "it is a symbolic link");
    if (keep_.contains(key)) Keep(source, "somebody needs it under its own name");
    const std::string folder = std::filesystem::path(source.path).parent_path().string();
    if (Uninterrupted([&] { return sys::CheckFolderWritable(folder.c_str()); }) != 0) Keep(source, "its folder cannot be written");
    if (source.is_absorbed) {
      source.reason = "the output has its bytes already";
      return;
    }
    if (!probe_.is_open()) Refuse(source, "the target's file system cannot be tried");
    if (source.identity.device != probe_.device()) Refuse(source, "it is on another file system");
    if (TryClone(source)) return;
    if (links != 1) Refuse(source, "it has other names");
    if (uses_[key] > 1) Refuse(source, "the output needs it more than once");
    if (Uninterrupted([&] { return sys::CheckUnused(source.fd.get()); }) != 0 && errno == EAGAIN)
      Refuse(source, "it is open or mapped elsewhere");
    if (source.stays) Refuse(source, source.why_kept);
    if (source.reason.empty() && !IsForbidden(Strategy::kDrain)) source.strategy = Strategy::kDrain;
    if (IsForbidden(Strategy::kDrain)) Refuse(source, kDrainForbidden);
  }

  bool TryClone(MoveSource& source) const {
    const bool is_possible = probe_.is_open() && source.identity.device == probe_.device() && !IsForbidden(Strategy::kClone) &&
                             source.offset % probe_.block() == 0 && source.identity.size >= SmallestClone() &&
                             probe_.CanClone(source.fd.get());
    if (!is_possible) return false;
    source.strategy = Strategy::kClone;
    source.reason.clear();
    return true;
  }

  void ChooseAdopted() {
    MoveSource* best = nullptr;
    for (MoveSource& source : sources_) {
      const bool is_larger = best == nullptr || source.identity.size > best->identity.size;
      if (WhyNotAdopted(source).empty() && is_larger) best = &source;
    }
    for (MoveSource& source : sources_) {
      if (&source == best || source.strategy != Strategy::kDrain) continue;
      source.reason = WhyNotAdopted(source);
      if (source.reason.empty()) source.reason = "another engine is adopted";
    }
    if (best == nullptr) return;
    best->strategy = Strategy::kAdopt;
    best->reason = WhyNotCloned(*best);
  }

  // What can be drained can be adopted, where its place and the file system allow.
  std::string_view WhyNotAdopted(const MoveSource& source) {
    sys::FileStat stat;
    const bool could_drain = source.strategy == Strategy::kDrain || source.reason == kDrainForbidden;
    if (!could_drain || source.is_absorbed) return "it cannot be moved in place";
    if (IsForbidden(Strategy::kAdopt)) return "adopting is forbidden";
    if (Uninterrupted([&] { return sys::Stat(source.fd.get(), stat); }) != 0 || stat.owner != sys::User())
      return "it belongs to another user";
    if (source.offset % probe_.block() != 0) return "its place in the output is not at a block";
    if (!probe_.CanInsert()) return "the file system cannot insert space in front of it";
    if (!is_synced_) return "";
    if (!probe_.IsExt4()) return "a power cut could tear the insertion of space on this file system";
    const int64_t extents = sys::ExtentCount(source.fd.get());
    return extents >= 0 && extents <= kMostExtents ? "" : "it is in so many pieces that a power cut could tear the insertion of space";
  }

  std::string_view WhyNotCloned(const MoveSource& source) const {
    if (IsForbidden(Strategy::kClone)) return "cloning is forbidden";
    if (source.identity.size < SmallestClone()) return "it is too small to be cloned";
    return source.offset % probe_.block() == 0 ? "the file system does not share blocks" : "its place in the output is not at a block";
  }

  // Of what is smaller, the writer makes copies.
  uint64_t SmallestClone() const { return std::max(FileWriter::kSmall, probe_.block()); }

  bool IsForbidden(Strategy strategy) const {
    return std::find(options_.forbidden.begin(), options_.forbidden.end(), strategy) != options_.forbidden.end();
  }
  static void Refuse(MoveSource& source, std::string_view why) {
    if (source.reason.empty()) source.reason = why;
  }
  static void Keep(MoveSource& source, std::string_view why) {
    if (!source.stays) source.why_kept = why;
    source.stays = true;
  }

  const Target& target_;
  const SaveOptions& options_;
  const bool only_look_;
  Probe probe_;
  bool is_synced_ = true;
  std::set<FileKey> keep_;
  std::map<FileKey, size_t> uses_;
  std::set<const GivenFile*> known_;
  std::map<FileKey, size_t> source_of_;
  std::vector<uint64_t> part_offsets_;
  std::vector<MoveSource> sources_;
};

}  // namespace

absl::StatusOr<std::vector<MoveSource>> CollectSources(std::span<const OutputPart> parts, std::span<const AbsorbedSource> absorbed,
                                                       const Target& target, const SaveOptions& options, bool only_look) {
  Collector collector(target, options, only_look);
  PTE_RETURN_IF_ERROR(collector.AddParts(parts));
  PTE_RETURN_IF_ERROR(collector.AddAbsorbed(absorbed));
  return collector.Finish();
}

}  // namespace pte
