#include "tests/unit/disks.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "tests/support/files.h"

namespace pte::test {
namespace {

constexpr char kImageSize[] = "512M";  // of a file that is a hole, mostly; mkfs.xfs refuses less than 300

std::string_view ProgramFor(Disk disk) {
  switch (disk) {
    case Disk::kExt4: return "mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=1";
    case Disk::kExt4WithoutExtents: return "mkfs.ext4 -q -F -b 4096 -O ^extent,^64bit";
    case Disk::kXfs: return "mkfs.xfs -q -m reflink=1";
    case Disk::kXfsWithoutReflink: return "mkfs.xfs -q -m reflink=0";
    case Disk::kBtrfs: return "mkfs.btrfs -q";
    case Disk::kOwn:
    case Disk::kMemory: break;
  }
  return "";
}

// Mounts of our own: nobody else sees them, and none outlives us.
bool HasOwnMounts() {
  static const bool has = ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return has;
}

struct Mounted {
  TempDir folder{FolderInMemory()};
  bool is_there = false;
  pid_t owner = ::getpid();

  explicit Mounted(Disk disk) {
    const std::filesystem::path image = folder / "image";
    const std::filesystem::path top = folder / "top";
    std::filesystem::create_directory(top);
    if (!HasOwnMounts()) return;
    if (disk == Disk::kMemory) {
      is_there = MountMemory(top, uint64_t{256} << 20);
      return;
    }
    is_there = MakeImage(disk, image) && MountImage(image, top);
  }
  ~Mounted() {
    if (is_there && owner == ::getpid()) Unmount(folder / "top");
  }
};

}  // namespace

std::string_view NameOf(Disk disk) {
  constexpr std::string_view kNames[] = {"Own", "Memory", "Ext4", "Ext4WithoutExtents", "Xfs", "XfsWithoutReflink", "Btrfs"};
  return kNames[static_cast<size_t>(disk)];
}

std::optional<std::filesystem::path> FolderOn(Disk disk) {
  if (disk == Disk::kOwn) return std::filesystem::temp_directory_path();
  static std::map<Disk, std::unique_ptr<Mounted>> all;
  std::unique_ptr<Mounted>& mounted = all[disk];
  if (mounted == nullptr) mounted = std::make_unique<Mounted>(disk);
  return mounted->is_there ? std::optional(mounted->folder / "top") : std::nullopt;
}

bool RunCommand(const std::string& command) {
  return std::system(absl::StrCat("PATH=$PATH:/usr/sbin:/sbin; ", command, " >/dev/null 2>&1").c_str()) == 0;
}

bool MakeImage(Disk disk, const std::filesystem::path& image) {
  return RunCommand(absl::StrCat("truncate -s ", kImageSize, " ", image.string())) &&
         RunCommand(absl::StrCat(std::string(ProgramFor(disk)), " ", image.string(), " && fallocate --dig-holes ", image.string()));
}

bool MountImage(const std::filesystem::path& image, const std::filesystem::path& folder) {
  return HasOwnMounts() && RunCommand(absl::StrCat("mount -o loop ", image.string(), " ", folder.string()));
}

bool MountMemory(const std::filesystem::path& folder, uint64_t size) {
  return HasOwnMounts() && ::mount("none", folder.c_str(), "tmpfs", 0, absl::StrCat("size=", size).c_str()) == 0;
}

void Unmount(const std::filesystem::path& folder) { ::umount2(folder.c_str(), MNT_DETACH); }

}  // namespace pte::test
