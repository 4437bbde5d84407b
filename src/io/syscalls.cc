#include "src/io/syscalls.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#endif

#include <cerrno>
#include <memory>

namespace pte::sys {

static_assert(sizeof(off_t) == sizeof(int64_t), "files above 2 GiB need 64-bit offsets");

namespace {

constexpr uint32_t kPermissionBits = 07777;
constexpr size_t kLongestPath = 4096;
constexpr uint64_t kAllocationUnit = 512;  // of st_blocks, whatever the file system's own blocks
constexpr int64_t kNanoseconds = 1'000'000'000;

void* NullWhereFailed(void* mapped) { return mapped == MAP_FAILED ? nullptr : mapped; }

int Filled(int result, const struct stat& st, FileStat& out) {
  if (result != 0) return result;
  out.device = st.st_dev;
  out.inode = st.st_ino;
  out.size = static_cast<uint64_t>(st.st_size);
  // File systems know times after the year 2262, where this wraps: two times must differ, no more.
  out.modified_ns =
      static_cast<int64_t>(static_cast<uint64_t>(st.st_mtim.tv_sec) * uint64_t{kNanoseconds} + static_cast<uint64_t>(st.st_mtim.tv_nsec));
  out.mode = st.st_mode & kPermissionBits;
  out.block_size = static_cast<uint64_t>(st.st_blksize);
  out.allocated = static_cast<uint64_t>(st.st_blocks) * kAllocationUnit;
  out.links = st.st_nlink;
  out.owner = st.st_uid;
  out.is_regular = S_ISREG(st.st_mode);
  out.is_directory = S_ISDIR(st.st_mode);
  out.is_symlink = S_ISLNK(st.st_mode);
  return result;
}

}  // namespace

// O_NONBLOCK: opening a pipe must not wait for a writer that never comes. It means nothing to regular files.
int OpenForReading(const char* path) { return ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

int OpenUnnamed(const char* folder) {
#ifdef O_TMPFILE
  return ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
  (void)folder;
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int OpenFolder(const char* path) { return ::open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY); }

int CreateNew(const char* path, uint32_t mode) { return ::open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, mode); }

int OpenForWriting(const char* path) { return ::open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); }

int Duplicate(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }

int Close(int fd) { return ::close(fd); }

int Stat(int fd, FileStat& out) {
  struct stat st {};
  return Filled(::fstat(fd, &st), st, out);
}

int StatPath(const char* path, FileStat& out) {
  struct stat st {};
  return Filled(::lstat(path, &st), st, out);
}

int ReadLink(const char* path, std::string& out) {
  out.resize(kLongestPath);
  const ssize_t length = ::readlink(path, out.data(), out.size());
  out.resize(length < 0 ? 0 : static_cast<size_t>(length));
  return length < 0 ? -1 : 0;
}

int ListFolder(const char* path, std::vector<std::string>& names) {
  // Closed also where memory for a name runs out.
  const std::unique_ptr<DIR, decltype([](DIR* open) { ::closedir(open); })> folder(::opendir(path));
  if (folder == nullptr) return -1;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) return errno == 0 ? 0 : -1;
    names.emplace_back(entry->d_name);
  }
}

int64_t ReadAt(int fd, void* out, size_t length, uint64_t offset) { return ::pread(fd, out, length, static_cast<off_t>(offset)); }

int64_t WriteAt(int fd, const void* data, size_t length, uint64_t offset) { return ::pwrite(fd, data, length, static_cast<off_t>(offset)); }

int Truncate(int fd, uint64_t size) { return ::ftruncate(fd, static_cast<off_t>(size)); }

int Allocate(int fd, uint64_t offset, uint64_t length) {
#ifdef __linux__
  return ::fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(length));
#else
  (void)fd, (void)offset, (void)length;
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int SetMode(int fd, uint32_t mode) { return ::fchmod(fd, mode); }

int SetModified(int fd, int64_t modified_ns) {
  // Nanoseconds count upwards before 1970 too.
  const int64_t part = (modified_ns % kNanoseconds + kNanoseconds) % kNanoseconds;
  const timespec times[2] = {{0, UTIME_OMIT}, {(modified_ns - part) / kNanoseconds, part}};
  return ::futimens(fd, times);
}

int InsertRange(int fd, uint64_t offset, uint64_t length) {
#ifdef FALLOC_FL_INSERT_RANGE
  return ::fallocate(fd, FALLOC_FL_INSERT_RANGE, static_cast<off_t>(offset), static_cast<off_t>(length));
#else
  (void)fd, (void)offset, (void)length;
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int CollapseRange(int fd, uint64_t offset, uint64_t length) {
#ifdef FALLOC_FL_COLLAPSE_RANGE
  return ::fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, static_cast<off_t>(offset), static_cast<off_t>(length));
#else
  (void)fd, (void)offset, (void)length;
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int64_t ExtentCount(int fd) {
#ifdef FS_IOC_FIEMAP
  fiemap map{};
  map.fm_length = FIEMAP_MAX_OFFSET;
  map.fm_flags = FIEMAP_FLAG_SYNC;
  return ::ioctl(fd, FS_IOC_FIEMAP, &map) == 0 ? int64_t{map.fm_mapped_extents} : -1;
#else
  (void)fd;
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int CheckUnused(int fd) {
#ifdef F_SETLEASE
  // Who opens the file while we look makes the system send us a signal, which must be one that nobody dies of.
  if (::fcntl(fd, F_SETSIG, SIGURG) != 0 || ::fcntl(fd, F_SETLEASE, F_WRLCK) != 0) return -1;
  // Twice: while we have the lease we cannot even open the file ourselves.
  return ::fcntl(fd, F_SETLEASE, F_UNLCK) == 0 ? 0 : ::fcntl(fd, F_SETLEASE, F_UNLCK);
#else
  (void)fd;
  errno = EINVAL;
  return -1;
#endif
}

int CheckFolderWritable(const char* path) { return ::access(path, W_OK | X_OK); }

uint32_t User() { return ::geteuid(); }

bool IsExt4(int fd) {
#ifdef EXT4_SUPER_MAGIC
  struct statfs fs {};
  return ::fstatfs(fd, &fs) == 0 && fs.f_type == EXT4_SUPER_MAGIC;
#else
  (void)fd;
  return false;
#endif
}

uint64_t FreeSpace(int fd) {
  struct statvfs fs {};
  return ::fstatvfs(fd, &fs) == 0 ? uint64_t{fs.f_bavail} * fs.f_frsize : UINT64_MAX;
}

int Sync(int fd) { return ::fsync(fd); }

int64_t FindData(int fd, uint64_t offset) { return ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA); }

int64_t FindHole(int fd, uint64_t offset) { return ::lseek(fd, static_cast<off_t>(offset), SEEK_HOLE); }

int64_t CopyRange(int from, uint64_t from_offset, int to, uint64_t to_offset, size_t length) {
#ifdef __linux__
  auto in = static_cast<off64_t>(from_offset);
  auto out = static_cast<off64_t>(to_offset);
  return ::copy_file_range(from, &in, to, &out, length, 0);
#else
  (void)from, (void)from_offset, (void)to, (void)to_offset, (void)length;
  errno = ENOSYS;
  return -1;
#endif
}

int CloneRange(int from, uint64_t from_offset, uint64_t length, int to, uint64_t to_offset) {
#ifdef FICLONERANGE
  file_clone_range range{};
  range.src_fd = from;
  range.src_offset = from_offset;
  range.src_length = length;
  range.dest_offset = to_offset;
  return ::ioctl(to, FICLONERANGE, &range);
#else
  (void)from, (void)from_offset, (void)length, (void)to, (void)to_offset;
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int Rename(const char* from, const char* to) { return ::rename(from, to); }

int RenameWithoutReplacing(const char* from, const char* to) {
#ifdef RENAME_NOREPLACE
  return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
#else
  (void)from, (void)to;
  errno = ENOSYS;
  return -1;
#endif
}

int Link(const char* from, const char* to) { return ::link(from, to); }

int Unlink(const char* path) { return ::unlink(path); }

int TryLock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB); }

uint64_t FileSizeLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

void* MapFile(int fd, uint64_t offset, size_t length) {
  return NullWhereFailed(::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, fd, static_cast<off_t>(offset)));
}

void* MapZeroed(size_t length) {
  return NullWhereFailed(::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

int Unmap(void* address, size_t length) { return ::munmap(address, length); }

void AdviseLargePages(void* address, size_t length) {
#ifdef MADV_HUGEPAGE
  ::madvise(address, length, MADV_HUGEPAGE);
#else
  (void)address, (void)length;
#endif
}

size_t PageSize() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

uint64_t Random() {
  uint64_t value = 0;
  return ::getrandom(&value, sizeof value, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof value) ? value : 0;
}

}  // namespace pte::sys
