#include "src/io/journal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/little_endian.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/io/hidden_names.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

constexpr std::string_view kMagic = "pte-move";
constexpr uint32_t kVersion = 1;
constexpr size_t kChecksumSize = sizeof(uint64_t);
constexpr uint64_t kLargest = uint64_t{64} << 20;
constexpr uint32_t kJournalMode = 0600;

class Encoder {
 public:
  void U32(uint32_t value) {
    std::array<std::byte, 4> bytes;
    StoreU32(bytes.data(), value);
    Raw(bytes);
  }
  void U64(uint64_t value) {
    std::array<std::byte, 8> bytes;
    StoreU64(bytes.data(), value);
    Raw(bytes);
  }
  void Text(std::string_view text) {
    U32(static_cast<uint32_t>(text.size()));
    out_ += text;
  }
  void Magic() { out_ += kMagic; }
  std::string Finish() {
    U64(XXH3_64bits(out_.data(), out_.size()));
    return std::move(out_);
  }

 private:
  void Raw(std::span<const std::byte> bytes) { out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }
  std::string out_;
};

// Reads fields until one does not fit.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}

  uint32_t U32() {
    const std::string_view bytes = Take(4);
    return bytes.empty() ? 0 : LoadU32(reinterpret_cast<const std::byte*>(bytes.data()));
  }
  uint64_t U64() {
    const std::string_view bytes = Take(8);
    return bytes.empty() ? 0 : LoadU64(reinterpret_cast<const std::byte*>(bytes.data()));
  }
  std::string Text() { return std::string(Take(U32())); }
  std::string_view Take(size_t length) {
    if (length > left_.size()) {
      ok_ = false;
      left_ = {};
      return {};
    }
    const std::string_view taken = left_.substr(0, length);
    left_.remove_prefix(length);
    return taken;
  }
  bool is_at_end() const { return ok_ && left_.empty(); }

 private:
  std::string_view left_;
  bool ok_ = true;
};

absl::Status Damaged(std::string_view name, std::string_view what) {
  return absl::DataLossError(absl::StrCat(ToAbsl(name), ": ", ToAbsl(what), "; nothing was touched"));
}

void EncodeEntry(const JournalEntry& entry, Encoder& out) {
  out.U32(static_cast<uint32_t>(entry.strategy));
  out.Text(entry.path);
  out.U64(entry.identity.device);
  out.U64(entry.identity.inode);
  out.U64(entry.identity.size);
  out.U64(static_cast<uint64_t>(entry.identity.modified_ns));
  out.U32(entry.mode);
  out.U64(entry.offset);
}

JournalEntry DecodeEntry(Decoder& in) {
  JournalEntry entry;
  entry.strategy = static_cast<MoveStrategy>(in.U32());
  entry.path = in.Text();
  entry.identity.device = in.U64();
  entry.identity.inode = in.U64();
  entry.identity.size = in.U64();
  entry.identity.modified_ns = static_cast<int64_t>(in.U64());
  entry.mode = in.U32();
  entry.offset = in.U64();
  return entry;
}

bool IsKnown(const Journal& journal) {
  if (journal.state != MoveState::kPrepared && journal.state != MoveState::kCommitted) return false;
  for (const JournalEntry& entry : journal.entries) {
    if (entry.strategy < MoveStrategy::kCopy || entry.strategy > MoveStrategy::kDrain) return false;
  }
  return IsPlainFileName(journal.work_name) && IsPlainFileName(journal.target_name);
}

absl::StatusOr<std::optional<Journal>> ReadJournalAt(const std::string& path) {
  absl::StatusOr<OpenedFile> file = OpenRegular(path);
  if (absl::IsNotFound(file.status())) return std::optional<Journal>();
  if (!file.ok()) return std::move(file).status();
  if (file->stat.size > kLargest) return Damaged(path, "larger than any journal");
  std::string bytes(static_cast<size_t>(file->stat.size), '\0');
  const FileRange range{file->fd.get(), 0, file->stat.size, IdentityOf(file->stat), path};
  PTE_RETURN_IF_ERROR(range.ReadAt(0, std::as_writable_bytes(std::span(bytes))));
  PTE_ASSIGN_OR_RETURN(Journal journal, DecodeJournal(bytes, path));
  return std::optional<Journal>(std::move(journal));
}

absl::Status WriteFile(const std::string& path, std::string_view bytes, bool synced) {
  RemoveOwn(path);  // of a process that died here
  Descriptor fd(Uninterrupted([&] { return sys::CreateNew(path.c_str(), kJournalMode); }));
  if (!fd.is_open()) return FromErrno(errno, path, "creating it");
  for (size_t done = 0; done < bytes.size();) {
    const int64_t put = Uninterrupted([&] { return sys::WriteAt(fd.get(), bytes.data() + done, bytes.size() - done, done); });
    if (put <= 0) return FromErrno(put < 0 ? errno : ENOSPC, path, "writing it");
    done += static_cast<size_t>(put);
  }
  if (synced && Uninterrupted([&] { return sys::Sync(fd.get()); }) != 0) return FromErrno(errno, path, "syncing it");
  if (fd.Close() != 0 && errno != EINTR) return FromErrno(errno, path, "closing it");
  return absl::OkStatus();
}

}  // namespace

std::string ClaimPath(const Journal& journal, const JournalEntry& entry) {
  const std::filesystem::path source(entry.path);
  const uint64_t move = XXH3_64bits(journal.work_name.data(), journal.work_name.size());
  const std::string suffix = absl::StrCat("-", absl::Hex(move, absl::kZeroPad16), ToAbsl(kClaimSuffix));
  return (source.parent_path() / HiddenName(source.filename().string(), suffix)).string();
}

std::string EncodeJournal(const Journal& journal) {
  Encoder out;
  out.Magic();
  out.U32(kVersion);
  out.U32(static_cast<uint32_t>(journal.state));
  out.U32((journal.synced ? 1U : 0U) | (journal.replace ? 2U : 0U));
  out.U32(journal.mode);
  out.U64(journal.file_size);
  out.Text(journal.target_name);
  out.Text(journal.work_name);
  out.U64(journal.work_device);
  out.U64(journal.work_inode);
  out.U32(static_cast<uint32_t>(journal.entries.size()));
  for (const JournalEntry& entry : journal.entries) EncodeEntry(entry, out);
  return out.Finish();
}

absl::StatusOr<Journal> DecodeJournal(std::string_view bytes, std::string_view name) {
  if (bytes.size() < kMagic.size() + sizeof(uint32_t) + kChecksumSize || !bytes.starts_with(kMagic)) {
    return Damaged(name, "not the journal of a move");
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumSize);
  const uint64_t checksum = LoadU64(reinterpret_cast<const std::byte*>(bytes.data() + body.size()));
  if (XXH3_64bits(body.data(), body.size()) != checksum) return Damaged(name, "the journal's checksum is wrong");
  Decoder in(body.substr(kMagic.size()));
  if (const uint32_t version = in.U32(); version != kVersion) {
    return absl::UnimplementedError(
        absl::StrCat(ToAbsl(name), ": a journal of another version; wanted ", kVersion, ", found ", version, "; nothing was touched"));
  }
  Journal journal;
  journal.state = static_cast<MoveState>(in.U32());
  const uint32_t flags = in.U32();
  journal.synced = (flags & 1U) != 0;
  journal.replace = (flags & 2U) != 0;
  journal.mode = in.U32();
  journal.file_size = in.U64();
  journal.target_name = in.Text();
  journal.work_name = in.Text();
  journal.work_device = in.U64();
  journal.work_inode = in.U64();
  const uint32_t count = in.U32();
  for (uint32_t i = 0; i < count && !in.is_at_end(); ++i) journal.entries.push_back(DecodeEntry(in));
  if (!in.is_at_end() || journal.entries.size() != count || !IsKnown(journal)) return Damaged(name, "the journal contradicts itself");
  return journal;
}

absl::StatusOr<std::optional<Journal>> ReadJournal(const Target& target) {
  PTE_ASSIGN_OR_RETURN(std::optional<Journal> journal, ReadJournalAt(target.Hidden(kJournalSuffix)));
  if (journal && journal->target_name != target.name) return Damaged(target.Hidden(kJournalSuffix), "the journal of another file");
  return journal;
}

absl::StatusOr<std::vector<std::string>> FindJournals(const std::string& folder) {
  std::vector<std::string> names;
  if (sys::ListFolder(folder.c_str(), names) != 0) return FromErrno(errno, folder, "reading the folder");
  std::vector<std::string> targets;
  for (const std::string& name : names) {
    // The dot in front; the hash with its dot, and the suffix, behind.
    constexpr size_t kHashLength = 9;
    const size_t around = 1 + kHashLength + kJournalSuffix.size();
    if (!absl::EndsWith(name, ToAbsl(kJournalSuffix)) || name.size() <= around) continue;
    const absl::StatusOr<std::optional<Journal>> journal = ReadJournalAt(absl::StrCat(folder, "/", name));
    targets.push_back(journal.ok() && *journal ? (*journal)->target_name : name.substr(1, name.size() - around));
  }
  return targets;
}

absl::Status WriteJournal(const Target& target, const Journal& journal) {
  const std::string path = target.Hidden(kJournalSuffix);
  const std::string new_path = target.Hidden(kNewJournalSuffix);
  absl::Status written = WriteFile(new_path, EncodeJournal(journal), journal.synced);
  if (written.ok() && Uninterrupted([&] { return sys::Rename(new_path.c_str(), path.c_str()); }) != 0) {
    written = FromErrno(errno, path, "writing the journal");
  }
  if (!written.ok()) {
    RemoveOwn(new_path);
    return written;
  }
  return journal.synced ? SyncFolder(target.folder) : absl::OkStatus();
}

absl::Status RemoveJournal(const Target& target) {
  const std::string path = target.Hidden(kJournalSuffix);
  return RemoveOwn(path) ? absl::OkStatus() : FromErrno(errno, path, "removing the journal");
}

absl::Status SyncFolder(const std::string& folder) {
  Descriptor fd(Uninterrupted([&] { return sys::OpenFolder(folder.c_str()); }));
  if (!fd.is_open()) return FromErrno(errno, folder, "opening the folder to sync it");
  return SyncOpenFolder(fd.get()) ? absl::OkStatus() : FromErrno(errno, folder, "syncing the folder");
}

}  // namespace pte
