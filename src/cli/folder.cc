#include "src/cli/folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace pte::cli {

absl::Status CheckEmpty(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::directory_iterator inside(path, error);
  if (error == std::errc::no_such_file_or_directory) return absl::OkStatus();
  if (error) return absl::ErrnoToStatus(error.value(), absl::StrCat(path.string(), ": looking into the folder"));
  if (inside == std::filesystem::directory_iterator()) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(path.string(), ": the folder is not empty; wanted an empty one, or a new name"));
}

Folder::~Folder() {
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
    std::error_code ignored;
    std::filesystem::remove(*made, ignored);
  }
}

absl::Status Folder::MakeFolder(const std::filesystem::path& path) {
  constexpr mode_t kMode = 0777;
  if (::mkdir(path.c_str(), kMode) == 0) {
    made_.push_back(path);
    return absl::OkStatus();
  }
  if (errno == EEXIST) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat(path.string(), ": making the folder"));
}

absl::StatusOr<SaveReport> Folder::Save(const std::string& name, const Rope& bytes, const SaveOptions& options) {
  const std::filesystem::path path = path_ / name;
  if (folders_.insert(path.parent_path()).second) {
    const absl::Status made = MakeFolder(path.parent_path());
    if (!made.ok()) return made;
  }
  absl::StatusOr<SaveReport> report = SaveBytes(bytes, path, options);
  if (report.ok()) made_.push_back(path);
  return report;
}

}  // namespace pte::cli
