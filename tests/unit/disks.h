// File systems for tests: images in memory, made and mounted when first asked for, for this process and those it forks alone. They go with
// the process. Where the machine does not allow it, or has no program that makes one, tests skip.
#ifndef PTE_TESTS_UNIT_DISKS_H_
#define PTE_TESTS_UNIT_DISKS_H_

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace pte::test {

enum class Disk { kOwn, kMemory, kExt4, kExt4WithoutExtents, kXfs, kXfsWithoutReflink, kBtrfs };
inline constexpr Disk kAllDisks[] = {
    Disk::kOwn, Disk::kMemory, Disk::kExt4, Disk::kExt4WithoutExtents, Disk::kXfs, Disk::kXfsWithoutReflink, Disk::kBtrfs};

// A name that a test can have.
std::string_view NameOf(Disk disk);
inline std::ostream& operator<<(std::ostream& out, Disk disk) { return out << NameOf(disk); }

// The top folder of such a file system; nullopt where there can be none.
std::optional<std::filesystem::path> FolderOn(Disk disk);

// Runs a program of the machine's, quietly. Whether it is there and succeeded.
bool RunCommand(const std::string& command);

// The parts: an image in a new file, and a mount of it. false: not allowed here, or no program for it.
bool MakeImage(Disk disk, const std::filesystem::path& image);
bool MountImage(const std::filesystem::path& image, const std::filesystem::path& folder);

// Another file system in memory of at most `size` bytes, mounted on `folder`. false: not allowed here.
bool MountMemory(const std::filesystem::path& folder, uint64_t size);
void Unmount(const std::filesystem::path& folder);

// What they can do.
inline bool CanClone(Disk disk) { return disk == Disk::kXfs || disk == Disk::kBtrfs; }
inline bool CanInsert(Disk disk) { return disk == Disk::kExt4 || disk == Disk::kXfs || disk == Disk::kXfsWithoutReflink; }

}  // namespace pte::test

#endif  // PTE_TESTS_UNIT_DISKS_H_
