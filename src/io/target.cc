#include "src/io/target.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/io/hidden_names.h"

namespace pte {
namespace {

constexpr int kMostLinks = 40;  // as the system itself allows
constexpr uint32_t kLockMode = 0666;

// What stands under a path; nullopt for nothing.
absl::StatusOr<std::optional<sys::FileStat>> LookAt(const std::string& path) {
  sys::FileStat stat;
  if (Uninterrupted([&] { return sys::StatPath(path.c_str(), stat); }) == 0) return std::optional(stat);
  if (errno == ENOENT) return std::optional<sys::FileStat>();
  return FromErrno(errno, path, "looking at the target");
}

absl::Status NoFileName(const std::filesystem::path& path) {
  return absl::InvalidArgumentError(absl::StrCat("\"", path.string(), "\": no file name to save to"));
}

absl::StatusOr<Target> TargetOf(const std::filesystem::path& path, const std::optional<sys::FileStat>& stat) {
  if (stat && stat->is_directory) return FromErrno(EISDIR, path.string(), "saving to it");
  if (stat && !stat->is_regular) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.string(), ": a device, pipe or socket cannot be replaced by a file; write to a ByteSink instead"));
  }
  if (!IsPlainFileName(path.filename().native())) return NoFileName(path);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  return Target{path.string(), folder, path.filename().string(), stat};
}

// Whether an open file is the one that stands under a path.
bool IsNamed(int fd, const std::string& path) {
  sys::FileStat open;
  sys::FileStat named;
  return Uninterrupted([&] { return sys::Stat(fd, open); }) == 0 &&
         Uninterrupted([&] { return sys::StatPath(path.c_str(), named); }) == 0 && open.device == named.device && open.inode == named.inode;
}

struct LockFile {
  Descriptor fd;
  bool is_new = false;  // made by us: where it turns out to be of no use, nobody else will remove it
};

LockFile OpenLockFile(const std::string& path) {
  Descriptor made(Uninterrupted([&] { return sys::CreateNew(path.c_str(), kLockMode); }));
  if (made.is_open() || errno != EEXIST) return {std::move(made), true};
  return {Descriptor(Uninterrupted([&] { return sys::OpenForWriting(path.c_str()); })), false};
}

}  // namespace

std::string Target::InFolder(std::string_view file_name) const { return absl::StrCat(folder, "/", ToAbsl(file_name)); }

std::string Target::Hidden(std::string_view suffix) const { return InFolder(HiddenName(name, suffix)); }

absl::StatusOr<Target> ResolveTarget(const std::filesystem::path& path) {
  PTE_RETURN_IF_ERROR(CheckPath(path.string()));
  std::filesystem::path at = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    if (at.empty()) return NoFileName(path);
    PTE_ASSIGN_OR_RETURN(const std::optional<sys::FileStat> stat, LookAt(at.string()));
    if (!stat || !stat->is_symlink) return TargetOf(at, stat);
    std::string next;
    const int read = Uninterrupted([&] { return sys::ReadLink(at.c_str(), next); });
    if (read != 0) return FromErrno(errno, at.string(), "following the symbolic link");
    at = at.parent_path() / next;
  }
  return FromErrno(ELOOP, path.string(), "following symbolic links");
}

TargetPlace PlaceOf(const Target& target) {
  sys::FileStat folder;
  // The dot follows a symbolic link. Nothing can be saved to a folder that is not there.
  (void)sys::StatPath(target.InFolder(".").c_str(), folder);
  return {folder.device, folder.inode, target.name};
}

bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

absl::StatusOr<TargetLock> TargetLock::Take(const Target& target) {
  constexpr int kTries = 100;
  std::string path = target.Hidden(kLockSuffix);
  for (int i = 0; i < kTries; ++i) {
    LockFile file = OpenLockFile(path);
    if (!file.fd.is_open()) {
      if (errno == ENOENT && !file.is_new) continue;  // removed by its owner just now
      break;
    }
    if (Uninterrupted([&] { return sys::TryLock(file.fd.get()); }) != 0) {
      if (errno == EWOULDBLOCK) return absl::AbortedError(absl::StrCat(target.path, ": another save to this file is going on"));
      if (file.is_new) RemoveOwn(path);
      break;
    }
    // Its last owner may have removed it between our opening and our locking it.
    if (IsNamed(file.fd.get(), path)) return TargetLock(std::move(file.fd), std::move(path), !file.is_new);
  }
  return TargetLock(Descriptor(), std::move(path), false);
}

TargetLock::~TargetLock() {
  if (fd_.is_open()) RemoveOwn(path_);
}

absl::Status TargetExists(const std::string& path) { return absl::AlreadyExistsError(absl::StrCat(path, ": the file is there already")); }

bool RemoveOwn(const std::string& path) {
  const auto is_gone = [&] { return Uninterrupted([&] { return sys::Unlink(path.c_str()); }) == 0 || errno == ENOENT; };
  return is_gone() || is_gone();
}

}  // namespace pte
