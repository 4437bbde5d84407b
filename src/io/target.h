// Where a file is saved to, and the hidden names beside it.
#ifndef PTE_SRC_IO_TARGET_H_
#define PTE_SRC_IO_TARGET_H_

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/io/descriptor.h"
#include "src/io/syscalls.h"

namespace pte {

// A target with its symbolic links followed.
struct Target {
  std::string path;
  std::string folder;
  std::string name;
  std::optional<sys::FileStat> old_file;  // a regular file, where one is there

  // The path of a hidden name beside it.
  std::string Hidden(std::string_view suffix) const;
  std::string InFolder(std::string_view file_name) const;
};

//   kInvalidArgument     no file name, or a device, pipe or socket stands there
//   kFailedPrecondition  a folder stands there (EISDIR), or links lead in a circle (ELOOP)
//   others               from errno
absl::StatusOr<Target> ResolveTarget(const std::filesystem::path& path);

// Where a target is, whatever the path that led to it.
struct TargetPlace {
  uint64_t device = 0;  // of its folder
  uint64_t inode = 0;
  std::string name;
  auto operator<=>(const TargetPlace&) const = default;
};
TargetPlace PlaceOf(const Target& target);

// Whether a text can be the name of a file in a folder: not empty, ".", "..", nor with a separator or NUL.
bool IsPlainFileName(std::string_view name);

// The right to save to a target. It dies with its process, so nothing is ever judged stale.
class TargetLock {
 public:
  // Where the system has no locks, or the folder cannot be written, nothing is locked.
  //   kAborted  another save to this target is going on
  static absl::StatusOr<TargetLock> Take(const Target& target);

  TargetLock(TargetLock&&) noexcept = default;
  TargetLock& operator=(TargetLock&&) = delete;
  ~TargetLock();

  bool is_held() const { return fd_.is_open(); }

  // Whether the lock's file was there before: a saver that died leaves it, and only such a one leaves anything else.
  bool was_left_behind() const { return was_left_behind_; }

 private:
  TargetLock(Descriptor fd, std::string path, bool was_left_behind)
      : fd_(std::move(fd)), path_(std::move(path)), was_left_behind_(was_left_behind) {}

  Descriptor fd_;
  std::string path_;
  bool was_left_behind_;
};

// kAlreadyExists, where nothing may be replaced.
absl::Status TargetExists(const std::string& path);

// Removes a file that we made, and tries twice: nobody else will. Whether it is gone; where not, errno says why.
bool RemoveOwn(const std::string& path);

}  // namespace pte

#endif  // PTE_SRC_IO_TARGET_H_
