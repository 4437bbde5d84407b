// An open descriptor, and errors of the system with the name of their file.
#ifndef PTE_SRC_IO_DESCRIPTOR_H_
#define PTE_SRC_IO_DESCRIPTOR_H_

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "src/io/syscalls.h"

namespace pte {

// Linux returns short above 2,147,479,552 bytes and other systems refuse more than INT32_MAX: one call asks for less than either.
inline constexpr size_t kMostPerCall = size_t{1} << 30;

// "name: what: No such file or directory", with the code that stands for errno `error`.
absl::Status FromErrno(int error, std::string_view name, std::string_view what);

// kInvalidArgument for a path with a NUL: the system would take what stands before it for the whole.
absl::Status CheckPath(const std::string& path);

// Calls until it is not interrupted by a signal.
template <class Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Puts the names in an open folder on the disk. Whether they are there; where not, errno says why.
bool SyncOpenFolder(int fd);

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) sys::Close(fd_);
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

  // Closes now and returns what the system said: the last chance to learn that written bytes are lost.
  int Close() { return sys::Close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

}  // namespace pte

#endif  // PTE_SRC_IO_DESCRIPTOR_H_
