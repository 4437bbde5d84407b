// Every system call of the library, one function each and nothing around it: no retry, no message. syscalls.cc is the only file that makes
// them, so that tests can refuse, shorten or count each one.
#ifndef PTE_SRC_IO_SYSCALLS_H_
#define PTE_SRC_IO_SYSCALLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pte::sys {

struct FileStat {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified_ns = 0;  // time of the last change of the bytes
  uint32_t mode = 0;        // permission bits alone
  uint64_t block_size = 0;
  uint64_t allocated = 0;  // bytes on the disk; fewer than the size where there are holes, or where they are compressed
  uint64_t links = 0;
  uint32_t owner = 0;
  bool is_regular = false;
  bool is_directory = false;
  bool is_symlink = false;
};

// Each returns -1 (or nullptr) with errno set where it fails.
int OpenForReading(const char* path);
int OpenFolder(const char* path);
// A file in a folder without a name, which goes when it is closed.
int OpenUnnamed(const char* folder);
// A new file, for reading and writing; EEXIST where the name is taken, by a symbolic link too.
int CreateNew(const char* path, uint32_t mode);
// A file that is there; a symbolic link is not followed.
int OpenForWriting(const char* path);
int Duplicate(int fd);
int Close(int fd);

int Stat(int fd, FileStat& out);
int StatPath(const char* path, FileStat& out);  // of a symbolic link itself
int ReadLink(const char* path, std::string& out);
int ListFolder(const char* path, std::vector<std::string>& names);

int64_t ReadAt(int fd, void* out, size_t length, uint64_t offset);
int64_t WriteAt(int fd, const void* data, size_t length, uint64_t offset);
int Truncate(int fd, uint64_t size);
// Disk space for a range that is about to be written; what lies beyond the end extends the file with zeros.
int Allocate(int fd, uint64_t offset, uint64_t length);
int SetMode(int fd, uint32_t mode);
// Sets the time of the last change of the bytes, and leaves that of the last access.
int SetModified(int fd, int64_t modified_ns);
// Moves the bytes from `offset` on back by `length`, or those from `offset` + `length` on to the front: whole blocks.
int InsertRange(int fd, uint64_t offset, uint64_t length);
int CollapseRange(int fd, uint64_t offset, uint64_t length);
// Into how many pieces the disk holds a file; -1 where it cannot tell.
int64_t ExtentCount(int fd);
int Sync(int fd);

// The next byte that is data, or in a hole, from `offset` on; ENXIO where there is none.
int64_t FindData(int fd, uint64_t offset);
int64_t FindHole(int fd, uint64_t offset);

// Copies in the kernel; may copy less than asked.
int64_t CopyRange(int from, uint64_t from_offset, int to, uint64_t to_offset, size_t length);
// Lets a range of whole blocks share those of another file.
int CloneRange(int from, uint64_t from_offset, uint64_t length, int to, uint64_t to_offset);

int Rename(const char* from, const char* to);
int RenameWithoutReplacing(const char* from, const char* to);
int Link(const char* from, const char* to);
int Unlink(const char* path);
// An exclusive lock that dies with its owner; EWOULDBLOCK where another has it.
int TryLock(int fd);

// Whether nobody else has the file open or mapped: 0; -1 with EAGAIN where somebody has, with another error where it cannot tell.
int CheckUnused(int fd);

// Whether this process may create and remove names in a folder: 0 or -1.
int CheckFolderWritable(const char* path);
uint32_t User();
bool IsExt4(int fd);
// Bytes that this process may still use in the file system; UINT64_MAX where it cannot tell.
uint64_t FreeSpace(int fd);

// Above this size the system refuses to grow a file of this process, and sends it a signal.
uint64_t FileSizeLimit();

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
