// Every system call of the library, one function each and nothing around it: no retry, no message. syscalls.cc is the only file that makes
// them, so that tests can refuse, shorten or count each one.
#ifndef PTE_SRC_IO_SYSCALLS_H_
#define PTE_SRC_IO_SYSCALLS_H_

#include <cstddef>
#include <cstdint>

namespace pte::sys {

struct FileStat {
  uint64_t size = 0;
  bool is_regular = false;
  bool is_directory = false;
};

// Each returns -1 (or nullptr) with errno set where it fails.
int OpenForReading(const char* path);
int Duplicate(int fd);
int Close(int fd);
int Stat(int fd, FileStat& out);
int64_t ReadAt(int fd, void* out, size_t length, uint64_t offset);

// A read-only view of a file range; `offset` must be a multiple of PageSize().
void* MapFile(int fd, uint64_t offset, size_t length);
// Zeroed memory that takes up address space only until it is written.
void* MapZeroed(size_t length);
int Unmap(void* address, size_t length);
// Asks for large pages under a mapping; a refusal costs speed alone.
void AdviseLargePages(void* address, size_t length);
size_t PageSize();

// A number that nobody outside the process can predict; 0 where the system has none to give.
uint64_t Random();

}  // namespace pte::sys

#endif  // PTE_SRC_IO_SYSCALLS_H_
