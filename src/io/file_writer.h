// Filling a new file from front to back with bytes from memory, ranges of other files and zeros, in bounded memory.
//
// Ranges of files climb down a ladder: whole blocks are shared with the source where the file system can, the kernel copies what is left,
// and what it refuses goes through a buffer. Any rung may refuse; the next takes over where it stopped, and only the last one reports.
// Long zeros, and holes of sources, become holes.
#ifndef PTE_SRC_IO_FILE_WRITER_H_
#define PTE_SRC_IO_FILE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/rope.h"
#include "src/io/file_backing.h"
#include "src/io/memory.h"
#include "src/io/progress.h"

namespace pte {

// How many bytes came into the file in which way.
struct ByteCounts {
  uint64_t written = 0;
  uint64_t copied = 0;
  uint64_t cloned = 0;
  uint64_t adopted = 0;
  uint64_t drained = 0;
};

inline ByteCounts Difference(const ByteCounts& after, const ByteCounts& before) {
  return {after.written - before.written, after.copied - before.copied, after.cloned - before.cloned, after.adopted - before.adopted,
          after.drained - before.drained};
}

class FileWriter {
 public:
  // Shorter pieces are gathered in a buffer; longer ones are worth calls of their own.
  static constexpr uint64_t kSmall = uint64_t{64} << 10;

  // Writes from `position` on, where the file holds zeros or nothing; `name` is for messages. Both, and the meter, must outlive the writer.
  static absl::StatusOr<FileWriter> Make(int fd, const std::string& name, ProgressMeter& meter, uint64_t position = 0);

  absl::Status Append(const Rope& rope);
  absl::Status Append(const Rope::Piece& piece);
  absl::Status Append(const FileRange& file);

  // Leaves out bytes that the file has already, or will have.
  absl::Status Skip(uint64_t length);

  // Writes what is buffered.
  absl::Status Flush();

  // The same, and gives the file its size. Nothing may be appended afterwards.
  absl::Status Finish();

  const ByteCounts& counts() const { return counts_; }

 private:
  FileWriter(int fd, const std::string& name, ProgressMeter& meter, uint64_t position, Memory buffer);

  absl::Status AppendBytes(std::span<const std::byte> bytes);
  absl::Status AppendZeros(uint64_t length);
  absl::Status AppendSource(const Rope::SourceRange& range);

  // The ladder's rungs; each advances `at` in the range up to `end` at most.
  absl::Status CloneBlocks(const FileRange& file, uint64_t& at);
  absl::Status CopyData(const FileRange& file, uint64_t& at, uint64_t end);
  absl::Status CopyInKernel(const FileRange& file, uint64_t& at, uint64_t end);

  // Reads `length` bytes with read(offset, out) and writes them.
  template <class Read>
  absl::Status Through(uint64_t length, uint64_t& count, Read read);

  absl::Status Buffer(std::span<const std::byte> bytes);
  absl::Status WriteOut(std::span<const std::byte> bytes);
  // Goes on behind bytes that are in place, or that are a hole.
  absl::Status Advance(uint64_t length, uint64_t& count);
  absl::Status Failed(int error, uint64_t length) const;

  int fd_;
  const std::string& name_;
  ProgressMeter& meter_;
  Memory buffer_;
  size_t buffered_ = 0;
  uint64_t position_ = 0;  // in the file, without what is buffered
  ByteCounts counts_;
};

}  // namespace pte

#endif  // PTE_SRC_IO_FILE_WRITER_H_
