// System calls of this program that tests can refuse, shorten, replace or count. The linker puts the wrappers in front of the C library's
// functions (--wrap), so that the library itself knows nothing of tests.
//
//   NthCallFails fault(3, EIO);
//   const ScopedHooks hooks({.any = [&](Syscall& call) { return fault.See(call); }});
#ifndef PTE_TESTS_UNIT_WRAPPED_SYSCALLS_H_
#define PTE_TESTS_UNIT_WRAPPED_SYSCALLS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pte::test {

// What to do instead of a call: the value to return, with errno where it is -1; nullopt makes the real call.
struct Instead {
  int64_t result = -1;
  int error = 0;
};
struct ReadCall {
  void* buffer;
  size_t length;
  int64_t offset;
};

// A call that is about to be made. What it does not have is left out.
struct Syscall {
  std::string_view name;       // as the C library's function; what has one function for many: as the constant, "FICLONERANGE"
  int fd = -1;                 // the one that is written, where there are two
  std::string_view path = {};  // the last one, where there are two
  uint64_t length = 0;         // of pread, pwrite and copy_file_range: a hook may shorten it
  int64_t offset = 0;          // lseek's too
  int from_fd = -1;            // of copy_file_range and FICLONERANGE
  int64_t from_offset = 0;
  int whence = 0;  // of lseek
};

// The hooks of the running test. Empty ones make the real call; calls that a hook makes are real ones.
struct SyscallHooks {
  std::function<std::optional<Instead>(Syscall&)> any = {};     // comes before the others
  std::function<std::optional<Instead>(ReadCall&)> pread = {};  // may shorten the call
  std::function<std::optional<Instead>()> open = {};
  std::function<std::optional<Instead>()> fstat = {};
  std::function<std::optional<Instead>()> mmap = {};
  std::optional<int64_t> page_size = {};
};

// Installs hooks for as long as it lives. One at a time, on one thread.
class ScopedHooks {
 public:
  explicit ScopedHooks(SyscallHooks hooks);
  ~ScopedHooks();
  ScopedHooks(const ScopedHooks&) = delete;
  ScopedHooks& operator=(const ScopedHooks&) = delete;
};

// Fails the nth call that it sees, counted from 1; where `persistent`, all that follow too.
class NthCallFails {
 public:
  NthCallFails(int64_t nth, int error, bool persistent = false) : left_(nth), error_(error), persistent_(persistent) {}

  std::optional<Instead> See(const Syscall& call);

  // The first call that failed; "" before.
  const std::string& failed() const { return failed_; }

 private:
  int64_t left_;
  int error_;
  bool persistent_;
  std::string failed_;
};

// Makes reads, writes and copies of at most `most` bytes.
inline std::optional<Instead> Shorten(Syscall& call, uint64_t most) {
  if (call.length > most && call.name != "FICLONERANGE" && call.name != "fallocate") call.length = most;
  return std::nullopt;
}

}  // namespace pte::test

#endif  // PTE_TESTS_UNIT_WRAPPED_SYSCALLS_H_
