// What the tests of saving share: files with holes, what stands in a folder, and code that runs in a process of its own.
#ifndef PTE_TESTS_UNIT_SAVING_H_
#define PTE_TESTS_UNIT_SAVING_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "pte/rope.h"

namespace pte::test {

inline constexpr uint64_t kKiB = uint64_t{1} << 10;
inline constexpr uint64_t kMiB = uint64_t{1} << 20;
inline constexpr uint64_t kGiB = uint64_t{1} << 30;

// `size` bytes without a pattern, the same for the same seed.
std::string Noise(size_t size, uint64_t seed);

// A file's bytes without its long zeros: cheap to compare, however large the file is.
struct SparseBytes {
  uint64_t size = 0;
  std::map<uint64_t, std::string> blocks;  // those of 4 KiB that are not all zero, by offset

  bool operator==(const SparseBytes&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const SparseBytes& bytes) {
    return out << bytes.size << " bytes with " << bytes.blocks.size() << " blocks that are not zero";
  }
};
SparseBytes ReadSparse(const std::filesystem::path& path);
SparseBytes SparseBytesOf(const std::string& bytes);

// Writes a file of `size` bytes that are holes but for `islands`, by offset.
void WriteSparse(const std::filesystem::path& path, uint64_t size, const std::map<uint64_t, std::string>& islands);

// What a file takes up on disk.
uint64_t BytesOnDisk(const std::filesystem::path& path);

// Of the folder, sorted.
std::vector<std::string> NamesIn(const std::filesystem::path& folder);

// Open descriptors of this process.
size_t CountDescriptors();

// A lent file, or a range of one, as a rope. Fails the test where it cannot be lent.
Rope Lent(const std::filesystem::path& path);
Rope Lent(const std::filesystem::path& path, uint64_t offset, uint64_t size);

// Runs `work` in a child process: limits, mounts and locks of its own. Fails the test where `work` made it fail, with the child's messages
// on its output. Whether it was possible at all: `work` returns false where the machine does not allow it, and the test should then skip.
bool InChild(const std::function<bool()>& work);

// Sets a limit (RLIMIT_FSIZE and the like) of this process: only in a child.
void SetLimit(int resource, uint64_t value);

// Mounts an empty file system in memory, for this process alone: only in a child. false: not allowed here.
bool MountTmpfs(const std::filesystem::path& folder, const std::string& options);

}  // namespace pte::test

#endif  // PTE_TESTS_UNIT_SAVING_H_
