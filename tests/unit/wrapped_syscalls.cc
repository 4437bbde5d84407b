#include "tests/unit/wrapped_syscalls.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pte::test {
namespace {

SyscallHooks hooks;
bool is_installed = false;
bool in_hook = false;

// Runs a hook; whether it replaced the call, with what it returned in `result`.
template <class Result, class Hook, class... Args>
bool Replaced(const Hook& hook, Result& result, Args&... args) {
  if (!hook || in_hook) return false;
  in_hook = true;
  const std::optional<Instead> instead = hook(args...);
  in_hook = false;
  if (!instead) return false;
  if (instead->result < 0) errno = instead->error;
  result = static_cast<Result>(instead->result);
  return true;
}

// Makes the call `real` with what the hook for all calls left of it.
template <class Real>
auto Make(Syscall call, Real real) -> decltype(real(call)) {
  decltype(real(call)) result{};
  return Replaced(hooks.any, result, call) ? result : real(call);
}

std::string_view NameOfAllocation(int mode) {
  if (mode == FALLOC_FL_INSERT_RANGE) return "INSERT_RANGE";
  return mode == FALLOC_FL_COLLAPSE_RANGE ? "COLLAPSE_RANGE" : "fallocate";
}

std::string_view NameOfControl(int command) { return command == F_SETLEASE || command == F_SETSIG ? "F_SETLEASE" : "fcntl"; }

}  // namespace

ScopedHooks::ScopedHooks(SyscallHooks installed) {
  hooks = std::move(installed);
  is_installed = true;
}

ScopedHooks::~ScopedHooks() {
  is_installed = false;
  hooks = {};
}

std::optional<Instead> NthCallFails::See(const Syscall& call) {
  if (--left_ > 0 || (left_ < 0 && !persistent_)) return std::nullopt;
  if (failed_.empty()) failed_ = absl::StrCat(std::string(call.name), " ", std::string(call.path));
  return Instead{-1, error_};
}

}  // namespace pte::test

using pte::test::hooks;
using pte::test::is_installed;
using pte::test::Make;
using pte::test::NameOfAllocation;
using pte::test::NameOfControl;
using pte::test::ReadCall;
using pte::test::Replaced;
using pte::test::Syscall;

extern "C" {

ssize_t __real_pread(int fd, void* buffer, size_t length, off_t offset);
ssize_t __real_pwrite(int fd, const void* data, size_t length, off_t offset);
int __real_open(const char* path, int flags, ...);
int __real_close(int fd);
int __real_fcntl(int fd, int command, ...);
int __real_fstat(int fd, struct stat* out);
int __real_lstat(const char* path, struct stat* out);
ssize_t __real_readlink(const char* path, char* out, size_t length);
DIR* __real_opendir(const char* path);
dirent* __real_readdir(DIR* folder);
int __real_ftruncate(int fd, off_t size);
int __real_fallocate(int fd, int mode, off_t offset, off_t length);
int __real_fchmod(int fd, mode_t mode);
int __real_futimens(int fd, const timespec times[2]);
int __real_access(const char* path, int mode);
int __real_fstatfs(int fd, struct statfs* out);
int __real_fstatvfs(int fd, struct statvfs* out);
int __real_fsync(int fd);
off_t __real_lseek(int fd, off_t offset, int whence);
ssize_t __real_copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t length, unsigned flags);
int __real_ioctl(int fd, unsigned long request, ...);
int __real_rename(const char* from, const char* to);
int __real_renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags);
int __real_link(const char* from, const char* to);
int __real_unlink(const char* path);
int __real_flock(int fd, int operation);
int __real_getrlimit(int resource, rlimit* out);
ssize_t __real_getrandom(void* out, size_t length, unsigned flags);
void* __real_mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset);
long __real_sysconf(int name);

static int HookedGetrlimit(int resource, rlimit* out) {
  return Make({.name = "getrlimit"}, [&](const Syscall&) { return __real_getrlimit(resource, out); });
}

ssize_t __wrap_pread(int fd, void* buffer, size_t length, off_t offset) {
  return Make({.name = "pread", .fd = fd, .length = length, .offset = offset}, [&](const Syscall& call) {
    ReadCall read{buffer, static_cast<size_t>(call.length), offset};
    ssize_t result = 0;
    if (Replaced(hooks.pread, result, read)) return result;
    return __real_pread(fd, buffer, read.length, offset);
  });
}

ssize_t __wrap_pwrite(int fd, const void* data, size_t length, off_t offset) {
  return Make({.name = "pwrite", .fd = fd, .length = length, .offset = offset},
              [&](const Syscall& call) { return __real_pwrite(fd, data, static_cast<size_t>(call.length), offset); });
}

int __wrap_open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list args;
    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
  }
  return Make({.name = "open", .path = path}, [&](const Syscall&) {
    int result = 0;
    return Replaced(hooks.open, result) ? result : __real_open(path, flags, mode);
  });
}

// Whatever it returns, the descriptor is closed afterwards, as on Linux.
int __wrap_close(int fd) {
  int result = 0;
  Syscall call{.name = "close", .fd = fd};
  if (!Replaced(hooks.any, result, call)) return __real_close(fd);
  const int error = errno;
  __real_close(fd);
  errno = error;
  return result;
}

int __wrap_fcntl(int fd, int command, ...) {
  va_list args;
  va_start(args, command);
  const long argument = va_arg(args, long);
  va_end(args);
  return Make({.name = NameOfControl(command), .fd = fd}, [&](const Syscall&) { return __real_fcntl(fd, command, argument); });
}

int __wrap_fstat(int fd, struct stat* out) {
  return Make({.name = "fstat", .fd = fd}, [&](const Syscall&) {
    int result = 0;
    return Replaced(hooks.fstat, result) ? result : __real_fstat(fd, out);
  });
}

int __wrap_lstat(const char* path, struct stat* out) {
  return Make({.name = "lstat", .path = path}, [&](const Syscall&) { return __real_lstat(path, out); });
}

ssize_t __wrap_readlink(const char* path, char* out, size_t length) {
  return Make({.name = "readlink", .path = path}, [&](const Syscall&) { return __real_readlink(path, out, length); });
}

DIR* __wrap_opendir(const char* path) {
  int64_t result = 0;
  Syscall call{.name = "opendir", .path = path};
  return Replaced(hooks.any, result, call) ? nullptr : __real_opendir(path);
}

dirent* __wrap_readdir(DIR* folder) {
  int64_t result = 0;
  Syscall call{.name = "readdir"};
  return Replaced(hooks.any, result, call) ? nullptr : __real_readdir(folder);
}

int __wrap_ftruncate(int fd, off_t size) {
  return Make({.name = "ftruncate", .fd = fd, .offset = size}, [&](const Syscall&) { return __real_ftruncate(fd, size); });
}

int __wrap_fallocate(int fd, int mode, off_t offset, off_t length) {
  return Make({.name = NameOfAllocation(mode), .fd = fd, .length = static_cast<uint64_t>(length), .offset = offset},
              [&](const Syscall&) { return __real_fallocate(fd, mode, offset, length); });
}

int __wrap_fchmod(int fd, mode_t mode) {
  return Make({.name = "fchmod", .fd = fd}, [&](const Syscall&) { return __real_fchmod(fd, mode); });
}

int __wrap_futimens(int fd, const timespec times[2]) {
  return Make({.name = "futimens", .fd = fd}, [&](const Syscall&) { return __real_futimens(fd, times); });
}

int __wrap_access(const char* path, int mode) {
  return Make({.name = "access", .path = path}, [&](const Syscall&) { return __real_access(path, mode); });
}

int __wrap_fstatfs(int fd, struct statfs* out) {
  return Make({.name = "fstatfs", .fd = fd}, [&](const Syscall&) { return __real_fstatfs(fd, out); });
}

int __wrap_fstatvfs(int fd, struct statvfs* out) {
  return Make({.name = "fstatvfs", .fd = fd}, [&](const Syscall&) { return __real_fstatvfs(fd, out); });
}

int __wrap_fsync(int fd) {
  return Make({.name = "fsync", .fd = fd}, [&](const Syscall&) { return __real_fsync(fd); });
}

off_t __wrap_lseek(int fd, off_t offset, int whence) {
  return Make({.name = "lseek", .fd = fd, .offset = offset, .whence = whence},
              [&](const Syscall&) { return __real_lseek(fd, offset, whence); });
}

ssize_t __wrap_copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t length, unsigned flags) {
  const Syscall made{
      .name = "copy_file_range", .fd = to, .length = length, .offset = *to_offset, .from_fd = from, .from_offset = *from_offset};
  return Make(made, [&](const Syscall& call) {
    return __real_copy_file_range(from, from_offset, to, to_offset, static_cast<size_t>(call.length), flags);
  });
}

int __wrap_ioctl(int fd, unsigned long request, ...) {
  va_list args;
  va_start(args, request);
  void* argument = va_arg(args, void*);
  va_end(args);
  Syscall call{.name = "ioctl", .fd = fd};
  if (request == FICLONERANGE) {
    const auto& range = *static_cast<const file_clone_range*>(argument);
    call = {.name = "FICLONERANGE",
            .fd = fd,
            .length = range.src_length,
            .offset = static_cast<int64_t>(range.dest_offset),
            .from_fd = static_cast<int>(range.src_fd),
            .from_offset = static_cast<int64_t>(range.src_offset)};
  } else if (request == FS_IOC_FIEMAP) {
    call.name = "FIEMAP";
  }
  return Make(call, [&](const Syscall&) { return __real_ioctl(fd, request, argument); });
}

int __wrap_rename(const char* from, const char* to) {
  return Make({.name = "rename", .path = to}, [&](const Syscall&) { return __real_rename(from, to); });
}

int __wrap_renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return Make({.name = "renameat2", .path = to}, [&](const Syscall&) { return __real_renameat2(from_folder, from, to_folder, to, flags); });
}

int __wrap_link(const char* from, const char* to) {
  return Make({.name = "link", .path = to}, [&](const Syscall&) { return __real_link(from, to); });
}

int __wrap_unlink(const char* path) {
  return Make({.name = "unlink", .path = path}, [&](const Syscall&) { return __real_unlink(path); });
}

int __wrap_flock(int fd, int operation) {
  return Make({.name = "flock", .fd = fd}, [&](const Syscall&) { return __real_flock(fd, operation); });
}

// A sanitizer that is linked into this program calls it too, and before instrumented code may run.
[[gnu::no_sanitize_address]] int __wrap_getrlimit(int resource, rlimit* out) {
  return is_installed ? HookedGetrlimit(resource, out) : __real_getrlimit(resource, out);
}

ssize_t __wrap_getrandom(void* out, size_t length, unsigned flags) {
  return Make({.name = "getrandom"}, [&](const Syscall&) { return __real_getrandom(out, length, flags); });
}

// Memory without a file behind it is no business of the hooks.
void* __wrap_mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  int64_t result = 0;
  Syscall call{.name = "mmap", .fd = fd};
  if (fd >= 0 && (Replaced(hooks.any, result, call) || Replaced(hooks.mmap, result))) return MAP_FAILED;
  return __real_mmap(address, length, protection, flags, fd, offset);
}

long __wrap_sysconf(int name) { return name == _SC_PAGESIZE && hooks.page_size ? *hooks.page_size : __real_sysconf(name); }

}  // extern "C"
