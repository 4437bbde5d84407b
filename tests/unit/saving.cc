#include "tests/unit/saving.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <random>

#include "gtest/gtest.h"
#include "pte/file_backed_data.h"

namespace pte::test {
namespace {

constexpr uint64_t kBlock = 4096;
constexpr int kNotPossible = 77;

bool IsZero(const std::string& bytes) { return bytes.find_first_not_of('\0') == std::string::npos; }

// Adds the blocks of [begin, end) that are not all zero.
void AddBlocks(int fd, uint64_t begin, uint64_t end, SparseBytes& out) {
  for (uint64_t at = begin / kBlock * kBlock; at < end; at += kBlock) {
    std::string block(static_cast<size_t>(std::min(kBlock, out.size - at)), '\0');
    ASSERT_EQ(::pread(fd, block.data(), block.size(), static_cast<off_t>(at)), static_cast<ssize_t>(block.size()));
    if (!IsZero(block)) out.blocks[at] = std::move(block);
  }
}

Rope RopeOf(const absl::StatusOr<FileBackedData>& data) {
  EXPECT_TRUE(data.ok()) << data.status();
  return data.ok() ? data->AsRope() : Rope();
}

}  // namespace

std::string Noise(size_t size, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::string bytes(size, '\0');
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    const uint64_t word = generator() | 1;  // no block of it is all zero
    bytes.replace(at, std::min(sizeof word, size - at), reinterpret_cast<const char*>(&word), std::min(sizeof word, size - at));
  }
  return bytes;
}

SparseBytes ReadSparse(const std::filesystem::path& path) {
  SparseBytes out;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat st {};
  if (fd < 0 || ::fstat(fd, &st) != 0) {
    ADD_FAILURE() << "cannot read " << path;
    return out;
  }
  out.size = static_cast<uint64_t>(st.st_size);
  for (off_t at = 0; (at = ::lseek(fd, at, SEEK_DATA)) >= 0;) {
    const off_t end = ::lseek(fd, at, SEEK_HOLE);
    AddBlocks(fd, static_cast<uint64_t>(at), static_cast<uint64_t>(end), out);
    at = end;
  }
  ::close(fd);
  return out;
}

SparseBytes SparseBytesOf(const std::string& bytes) {
  SparseBytes out{.size = bytes.size(), .blocks = {}};
  for (size_t at = 0; at < bytes.size(); at += kBlock) {
    std::string block = bytes.substr(at, kBlock);
    if (!IsZero(block)) out.blocks[at] = std::move(block);
  }
  return out;
}

void WriteSparse(const std::filesystem::path& path, uint64_t size, const std::map<uint64_t, std::string>& islands) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  ASSERT_GE(fd, 0) << path;
  ASSERT_EQ(::ftruncate(fd, static_cast<off_t>(size)), 0) << path;
  for (const auto& [at, bytes] : islands) {
    ASSERT_EQ(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at)), static_cast<ssize_t>(bytes.size())) << path;
  }
  ::close(fd);
}

uint64_t BytesOnDisk(const std::filesystem::path& path) {
  constexpr uint64_t kUnit = 512;  // of st_blocks, whatever the file system's own blocks
  struct stat st {};
  EXPECT_EQ(::stat(path.c_str(), &st), 0) << path;
  return static_cast<uint64_t>(st.st_blocks) * kUnit;
}

std::vector<std::string> NamesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

size_t CountDescriptors() { return NamesIn("/proc/self/fd").size(); }

Rope Lent(const std::filesystem::path& path) { return RopeOf(FileBackedData::Lend(path)); }
Rope Lent(const std::filesystem::path& path, uint64_t offset, uint64_t size) { return RopeOf(FileBackedData::Lend(path, offset, size)); }

bool InChild(const std::function<bool()>& work) {
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool possible = work();
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(testing::Test::HasFailure() ? 1 : possible ? 0 : kNotPossible);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotPossible) return false;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "in the child; wait status " << status;
  return true;
}

void SetLimit(int resource, uint64_t value) {
  rlimit limit{};
  const auto which = static_cast<__rlimit_resource_t>(resource);
  ASSERT_EQ(::getrlimit(which, &limit), 0);
  limit.rlim_cur = value;
  ASSERT_EQ(::setrlimit(which, &limit), 0);
}

bool MountTmpfs(const std::filesystem::path& folder, const std::string& options) {
  if (::unshare(CLONE_NEWNS) != 0) return false;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("none", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

}  // namespace pte::test
