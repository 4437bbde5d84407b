// A folder that is filled with files, or left as it was.
#ifndef PTE_SRC_CLI_FOLDER_H_
#define PTE_SRC_CLI_FOLDER_H_

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/save.h"

namespace pte::cli {

// OK where `path` is absent or an empty folder.
//   kAlreadyExists       a folder with something in it
//   kFailedPrecondition  not a folder
//   others               from errno
absl::Status CheckEmpty(const std::filesystem::path& path);

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}
  // Removes all that was made, unless Keep was called.
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Makes the folder itself, where it is absent.
  absl::Status Make() { return MakeFolder(path_); }

  // Saves a file under a path below the folder, whose own folder is made where it is absent.
  absl::StatusOr<SaveReport> Save(const std::string& name, const Rope& bytes, const SaveOptions& options);

  void Keep() { made_.clear(); }

 private:
  absl::Status MakeFolder(const std::filesystem::path& path);

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  // in order
  std::set<std::filesystem::path> folders_;
};

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_FOLDER_H_
