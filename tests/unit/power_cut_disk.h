// A file system whose power can be cut. Its image is in memory: what is written through the mounted file system reaches it when it is
// synced, or when the system gets to it, and what has not reached it is lost in a cut.
//
//   disk->Freeze();          // while the process that is to be cut off stands still
//   ...                      // it is killed, and lets go of the file system
//   disk->Cut();             // what was in the image at that moment is mounted at the same place
#ifndef PTE_TESTS_UNIT_POWER_CUT_DISK_H_
#define PTE_TESTS_UNIT_POWER_CUT_DISK_H_

#include <filesystem>
#include <memory>

#include "tests/support/files.h"
#include "tests/unit/disks.h"

namespace pte::test {

class PowerCutDisk {
 public:
  // nullptr where there can be none.
  static std::unique_ptr<PowerCutDisk> Make(Disk disk);
  ~PowerCutDisk();
  PowerCutDisk(const PowerCutDisk&) = delete;
  PowerCutDisk& operator=(const PowerCutDisk&) = delete;

  const std::filesystem::path& folder() const { return top_; }

  // Puts everything on the disk.
  void SyncAll() const;
  void Freeze();
  void Cut();

 private:
  PowerCutDisk();

  TempDir dir_{FolderInMemory()};
  const std::filesystem::path image_ = dir_ / "image";
  const std::filesystem::path frozen_ = dir_ / "frozen";
  const std::filesystem::path top_ = dir_ / "top";
  bool is_mounted_ = false;
};

}  // namespace pte::test

#endif  // PTE_TESTS_UNIT_POWER_CUT_DISK_H_
