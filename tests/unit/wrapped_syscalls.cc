#include "tests/unit/wrapped_syscalls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <utility>

namespace pte::test {
namespace {

SyscallHooks hooks;

// Runs a hook; whether it replaced the call, with what it returned in `result`.
template <class Result, class Hook, class... Args>
bool Replaced(const Hook& hook, Result& result, Args&... args) {
  if (!hook) return false;
  const std::optional<Instead> instead = hook(args...);
  if (!instead) return false;
  if (instead->result < 0) errno = instead->error;
  result = static_cast<Result>(instead->result);
  return true;
}

}  // namespace

ScopedHooks::ScopedHooks(SyscallHooks installed) { hooks = std::move(installed); }
ScopedHooks::~ScopedHooks() { hooks = {}; }

}  // namespace pte::test

using pte::test::hooks;
using pte::test::ReadCall;
using pte::test::Replaced;

extern "C" {

ssize_t __real_pread(int fd, void* buffer, size_t length, off_t offset);
int __real_open(const char* path, int flags, ...);
int __real_fstat(int fd, struct stat* out);
void* __real_mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset);
long __real_sysconf(int name);

ssize_t __wrap_pread(int fd, void* buffer, size_t length, off_t offset) {
  ReadCall call{buffer, length, offset};
  ssize_t result = 0;
  if (Replaced(hooks.pread, result, call)) return result;
  return __real_pread(fd, buffer, call.length, offset);
}

int __wrap_open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list args;
    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
  }
  int result = 0;
  return Replaced(hooks.open, result) ? result : __real_open(path, flags, mode);
}

int __wrap_fstat(int fd, struct stat* out) {
  int result = 0;
  return Replaced(hooks.fstat, result) ? result : __real_fstat(fd, out);
}

void* __wrap_mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  int64_t result = 0;
  if (fd >= 0 && Replaced(hooks.mmap, result)) return MAP_FAILED;
  return __real_mmap(address, length, protection, flags, fd, offset);
}

long __wrap_sysconf(int name) { return name == _SC_PAGESIZE && hooks.page_size ? *hooks.page_size : __real_sysconf(name); }

}  // extern "C"
