// What copying needs to know of a source whose bytes stand in a file: its descriptor, and that the file is still the one it was.
#ifndef PTE_SRC_IO_FILE_BACKING_H_
#define PTE_SRC_IO_FILE_BACKING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_source.h"
#include "src/io/descriptor.h"
#include "src/io/syscalls.h"

namespace pte {

struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

FileIdentity IdentityOf(const sys::FileStat& stat);

// The stat of an open regular file.
//   kInvalidArgument  neither a regular file nor a directory (a directory: EISDIR)
absl::StatusOr<sys::FileStat> StatRegular(int fd, const std::string& name);

// Opens a regular file for reading.
struct OpenedFile {
  Descriptor fd;
  sys::FileStat stat;
};
absl::StatusOr<OpenedFile> OpenRegular(const std::string& path);

// A range of an open file. It has no place after what it came from.
struct FileRange {
  int fd = -1;
  uint64_t offset = 0;
  uint64_t length = 0;
  FileIdentity identity;  // that the file had when it was opened or lent
  std::string name;
  Descriptor owned = Descriptor();  // `fd`, where it was opened for this range alone

  // kAborted, with both values: the file is not what it was.
  absl::Status CheckUnchanged() const;

  // kAborted, with both sizes: the file no longer reaches up to `end`.
  absl::Status CheckReaches(uint64_t end) const;

  // Fills all of `out` from `at` of the range.
  //   kAborted  the file has become shorter
  absl::Status ReadAt(uint64_t at, std::span<std::byte> out) const;
};

// Implemented by sources, beside ByteSource.
class FileBacking {
 public:
  virtual ~FileBacking() = default;

  // The range must lie inside the source.
  //   kAborted  the file under the name is not what it was
  virtual absl::StatusOr<FileRange> OpenRange(uint64_t offset, uint64_t length) const = 0;
};

// The same of any source; nullopt where its bytes stand in no file.
absl::StatusOr<std::optional<FileRange>> OpenFileRange(const ByteSource& source, uint64_t offset, uint64_t length);

}  // namespace pte

#endif  // PTE_SRC_IO_FILE_BACKING_H_
