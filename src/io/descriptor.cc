#include "src/io/descriptor.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "src/base/text.h"

namespace pte {

absl::Status FromErrno(int error, std::string_view name, std::string_view what) {
  const std::string message = absl::StrCat(ToAbsl(name), ": ", ToAbsl(what));
  // A limit like a full disk, which has no code of its own.
  if (error == EFBIG) return absl::ResourceExhaustedError(absl::StrCat(message, ": the file would be larger than the system allows"));
  // Like a folder where a file is wanted, but Abseil does not know it.
  if (error == ELOOP) return absl::FailedPreconditionError(absl::StrCat(message, ": symbolic links lead in a circle"));
  return absl::ErrnoToStatus(error, message);
}

bool SyncOpenFolder(int fd) {
  // EINVAL: this file system has nothing to sync for folders.
  return Uninterrupted([&] { return sys::Sync(fd); }) == 0 || errno == EINVAL;
}

absl::Status CheckPath(const std::string& path) {
  if (path.find('\0') == std::string::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("\"", absl::CHexEscape(path), "\": no path has a NUL in it"));
}

}  // namespace pte
