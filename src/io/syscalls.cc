#include "src/io/syscalls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pte::sys {

static_assert(sizeof(off_t) == sizeof(int64_t), "files above 2 GiB need 64-bit offsets");

namespace {

void* NullWhereFailed(void* mapped) { return mapped == MAP_FAILED ? nullptr : mapped; }

}  // namespace

// O_NONBLOCK: opening a pipe must not wait for a writer that never comes. It means nothing to regular files.
int OpenForReading(const char* path) { return ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

int Duplicate(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }

int Close(int fd) { return ::close(fd); }

int Stat(int fd, FileStat& out) {
  struct stat st {};
  const int result = ::fstat(fd, &st);
  if (result == 0) out = {static_cast<uint64_t>(st.st_size), S_ISREG(st.st_mode), S_ISDIR(st.st_mode)};
  return result;
}

int64_t ReadAt(int fd, void* out, size_t length, uint64_t offset) { return ::pread(fd, out, length, static_cast<off_t>(offset)); }

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
