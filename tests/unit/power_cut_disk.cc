#include "tests/unit/power_cut_disk.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/saving.h"

namespace pte::test {
namespace {

// Copies the bytes of a file that are not in holes, of which an image has many.
void CopyIslands(int from, int to) {
  std::vector<char> buffer(kMiB);
  off_t end = 0;
  for (off_t at = ::lseek(from, 0, SEEK_DATA); at >= 0; at = ::lseek(from, end, SEEK_DATA)) {
    end = ::lseek(from, at, SEEK_HOLE);
    while (at < end) {
      const ssize_t got = ::pread(from, buffer.data(), std::min<size_t>(buffer.size(), static_cast<size_t>(end - at)), at);
      ASSERT_GT(got, 0);
      ASSERT_EQ(::pwrite(to, buffer.data(), static_cast<size_t>(got), at), got);
      at += got;
    }
  }
  ASSERT_EQ(::ftruncate(to, ::lseek(from, 0, SEEK_END)), 0);
}

}  // namespace

PowerCutDisk::PowerCutDisk() { std::filesystem::create_directory(top_); }

PowerCutDisk::~PowerCutDisk() {
  if (is_mounted_) Unmount(top_);
}

std::unique_ptr<PowerCutDisk> PowerCutDisk::Make(Disk kind) {
  std::unique_ptr<PowerCutDisk> disk(new PowerCutDisk);
  disk->is_mounted_ = MakeImage(kind, disk->image_) && MountImage(disk->image_, disk->top_);
  return disk->is_mounted_ ? std::move(disk) : nullptr;
}

void PowerCutDisk::SyncAll() const {
  const int fd = ::open(top_.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(::syncfs(fd), 0);
  ::close(fd);
}

void PowerCutDisk::Freeze() {
  const int from = ::open(image_.c_str(), O_RDONLY | O_CLOEXEC);
  std::filesystem::file_time_type before;
  // The system may write to the image of its own accord meanwhile: a copy of two moments is no disk that ever was.
  do {
    before = std::filesystem::last_write_time(image_);
    const int to = ::open(frozen_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    CopyIslands(from, to);
    ::close(to);
  } while (std::filesystem::last_write_time(image_) != before);
  ::close(from);
}

void PowerCutDisk::Cut() {
  ASSERT_EQ(::umount2(top_.c_str(), 0), 0) << std::strerror(errno);
  is_mounted_ = false;
  std::filesystem::rename(frozen_, image_);
  is_mounted_ = MountImage(image_, top_);
  ASSERT_TRUE(is_mounted_) << "what the disk held cannot be mounted";
}

}  // namespace pte::test
