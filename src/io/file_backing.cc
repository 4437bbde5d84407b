#include "src/io/file_backing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"

namespace pte {
namespace {

std::string Show(const FileIdentity& identity) {
  return absl::StrCat("size ", identity.size, ", changed at ", identity.modified_ns, " ns, inode ", identity.inode, " on device ",
                      identity.device);
}

absl::Status Changed(const std::string& name, const FileIdentity& wanted, const FileIdentity& found) {
  return absl::AbortedError(
      absl::StrCat(name, ": the file has changed since it was opened; wanted ", Show(wanted), ", found ", Show(found)));
}

}  // namespace

FileIdentity IdentityOf(const sys::FileStat& stat) { return {stat.device, stat.inode, stat.size, stat.modified_ns}; }

absl::StatusOr<sys::FileStat> StatRegular(int fd, const std::string& name) {
  sys::FileStat stat;
  if (Uninterrupted([&] { return sys::Stat(fd, stat); }) != 0) return FromErrno(errno, name, "asking for its size");
  if (stat.is_directory) return FromErrno(EISDIR, name, "opening for reading");
  if (!stat.is_regular) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": not a regular file: pipes and devices have no bytes at rest to read by range"));
  }
  return stat;
}

absl::StatusOr<OpenedFile> OpenRegular(const std::string& path) {
  PTE_RETURN_IF_ERROR(CheckPath(path));
  Descriptor fd(Uninterrupted([&] { return sys::OpenForReading(path.c_str()); }));
  if (!fd.is_open()) return FromErrno(errno, path, "opening for reading");
  PTE_ASSIGN_OR_RETURN(const sys::FileStat stat, StatRegular(fd.get(), path));
  return OpenedFile{std::move(fd), stat};
}

absl::Status FileRange::CheckUnchanged() const {
  sys::FileStat stat;
  if (Uninterrupted([&] { return sys::Stat(fd, stat); }) != 0) return FromErrno(errno, name, "asking whether it has changed");
  const FileIdentity found = IdentityOf(stat);
  return found == identity ? absl::OkStatus() : Changed(name, identity, found);
}

absl::Status FileRange::CheckReaches(uint64_t end) const {
  PTE_ASSIGN_OR_RETURN(const sys::FileStat now, StatRegular(fd, name));
  if (now.size >= end) return absl::OkStatus();
  return absl::AbortedError(
      absl::StrCat(name, ": the file has become shorter; wanted at least ", Number(end), " bytes, found ", Number(now.size)));
}

absl::Status FileRange::ReadAt(uint64_t at, std::span<std::byte> out) const {
  uint64_t from = offset + at;
  while (!out.empty()) {
    const int64_t got = Uninterrupted([&] { return sys::ReadAt(fd, out.data(), std::min(out.size(), kMostPerCall), from); });
    if (got < 0) return FromErrno(errno, name, absl::StrCat("reading ", Number(out.size()), " bytes at offset ", Number(from)));
    if (got == 0) {
      PTE_RETURN_IF_ERROR(CheckReaches(from + out.size()));
      return absl::AbortedError(absl::StrCat(name, ": the file ended early at offset ", Number(from), ", whatever its size says"));
    }
    from += static_cast<uint64_t>(got);
    out = out.subspan(static_cast<size_t>(got));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<FileRange>> OpenFileRange(const ByteSource& source, uint64_t offset, uint64_t length) {
  const auto* backing = dynamic_cast<const FileBacking*>(&source);
  if (backing == nullptr) return std::optional<FileRange>();
  absl::StatusOr<FileRange> range = backing->OpenRange(offset, length);
  // A range of another source, which stands in no file.
  if (absl::IsUnimplemented(range.status())) return std::optional<FileRange>();
  if (!range.ok()) return std::move(range).status();
  return std::optional<FileRange>(*std::move(range));
}

}  // namespace pte
