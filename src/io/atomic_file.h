// A file that appears under its name complete or not at all.
#ifndef PTE_SRC_IO_ATOMIC_FILE_H_
#define PTE_SRC_IO_ATOMIC_FILE_H_

#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/save_options.h"
#include "src/io/descriptor.h"
#include "src/io/target.h"

namespace pte {

// The hidden file beside the target. Destroyed without Publish, it leaves nothing behind.
class AtomicFile {
 public:
  // Also removes the hidden files of savers to this target that died.
  //   kAlreadyExists      the target is there, and `if_exists` is kFail
  //   kResourceExhausted  `size` bytes are more than the system lets this process write into a file
  //   others              as ResolveTarget, TargetLock::Take, or from errno
  static absl::StatusOr<AtomicFile> Create(const std::filesystem::path& path, uint64_t size, IfExists if_exists);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  int fd() const { return fd_.get(); }

  // Gives it the target's name. A failure leaves the target as it was; save where syncing the folder fails, when the new file is in place.
  absl::Status Publish(Durability durability);

 private:
  AtomicFile(Target target, TargetLock lock, IfExists if_exists, Descriptor fd, std::string work_path);
  absl::Status TakeName();
  absl::Status LinkName();

  Target target_;
  TargetLock lock_;
  IfExists if_exists_;
  Descriptor fd_;
  std::string work_path_;  // "" once it is gone
};

}  // namespace pte

#endif  // PTE_SRC_IO_ATOMIC_FILE_H_
