// System calls of this program that tests can refuse, shorten or count. The linker puts the wrappers in front of the C library's functions
// (--wrap), so that the library itself knows nothing of tests.
#ifndef PTE_TESTS_UNIT_WRAPPED_SYSCALLS_H_
#define PTE_TESTS_UNIT_WRAPPED_SYSCALLS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

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

// The hooks of the running test. Empty ones make the real call.
struct SyscallHooks {
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

}  // namespace pte::test

#endif  // PTE_TESTS_UNIT_WRAPPED_SYSCALLS_H_
