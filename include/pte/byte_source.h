// ByteSource: bytes at rest that can be read at any offset. Every reader of the library takes its bytes from one.
//
//   absl::StatusOr<std::shared_ptr<const pte::ByteSource>> source = pte::OpenFileSource("model.pte");
//   std::vector<std::byte> head(48);
//   absl::Status read = (*source)->ReadAt(0, head);
//   absl::StatusOr<pte::PteFile> embedded = pte::PteFile::Open(pte::MemorySource(pte::Bytes::Borrow(linked_in_model)));
//
// Callers may write their own (an archive member, a network cache): size() and ReadAt() are enough.
//
// Ownership: readers keep a shared_ptr to their source; a source over a file keeps the file open.
// Thread rule: all const calls may be made from many threads at once; an implementation must allow that.
#ifndef PTE_BYTE_SOURCE_H_
#define PTE_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/bytes.h"
#include "pte/export.h"

namespace pte {

class PTE_EXPORT ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Total size in bytes; the same for the life of the object.
  virtual uint64_t size() const = 0;

  // Fills all of `out` with the bytes from `offset`, or fails and leaves `out` unspecified.
  //   kOutOfRange  the range ends beyond size()
  //   kAborted     the source has become shorter since it was opened; the message has both sizes
  //   from errno   the system said so
  virtual absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const = 0;

  // The same bytes without copying them into memory of ours: a slice of memory, a mapping of a file. They may outlive the source.
  // Reading a mapping of a file that another process has truncated since raises SIGBUS.
  //   kOutOfRange     the range ends beyond size()
  //   kAborted        the source has become shorter since it was opened
  //   kUnimplemented  this source, or the file system under it, can only be read; callers fall back to ReadAt
  virtual absl::StatusOr<Bytes> View(uint64_t offset, uint64_t length) const;

  // For messages only, such as "model.pte" or "memory".
  virtual std::string name() const;
};

// Bytes in memory. Converts to the shared_ptr that readers take, so that it can be written in place. View never copies.
class PTE_EXPORT MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(std::move(bytes)) {}

  uint64_t size() const override { return bytes_.size(); }
  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override;
  absl::StatusOr<Bytes> View(uint64_t offset, uint64_t length) const override;
  std::string name() const override;

  // Implicit on purpose: `PteFile::Open(MemorySource(bytes))`.
  operator std::shared_ptr<const ByteSource>() const { return std::make_shared<MemorySource>(*this); }  // NOLINT

 private:
  Bytes bytes_;
};

// The regular file at `path`. Reads go through pread: no file position is shared or moved, one call asks for at most 1 GiB.
//   kNotFound, kPermissionDenied, ...  from errno
//   kInvalidArgument                   neither a regular file nor a directory (a directory: EISDIR)
PTE_EXPORT absl::StatusOr<std::shared_ptr<const ByteSource>> OpenFileSource(const std::filesystem::path& path);

// `length` bytes from `offset` of an open regular file: a model stored in an archive, a descriptor handed over by another process. The
// descriptor is duplicated; the caller's own is neither closed nor moved.
//   kOutOfRange  the range ends beyond the file
PTE_EXPORT absl::StatusOr<std::shared_ptr<const ByteSource>> OpenFileSource(int fd, uint64_t offset, uint64_t length);

// `length` bytes from `offset` of another source, which is kept alive.
//   kOutOfRange       the range ends beyond source->size()
//   kInvalidArgument  there is no source
PTE_EXPORT absl::StatusOr<std::shared_ptr<const ByteSource>> RangeSource(std::shared_ptr<const ByteSource> source, uint64_t offset,
                                                                         uint64_t length);

}  // namespace pte

#endif  // PTE_BYTE_SOURCE_H_
