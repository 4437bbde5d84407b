// Payload: the bytes of one segment, constant, delegate or test tensor, not yet read.
//
//   absl::StatusOr<pte::Payload> weights = file->FindNamedData("weights");
//   std::vector<std::byte> part(16);
//   absl::Status read = weights->ReadAt(4096, part);                   // exactly these 16 bytes
//   absl::StatusOr<pte::Bytes> all = weights->Load();                  // mapped when the source is a file, else read
//
// Ownership: a payload keeps its source open; the file object it came from may go first.
// Thread rule: const calls may run at the same time.
// Cost: a copy is one shared pointer and three numbers. Nothing is read before ReadAt, Load or CopyTo.
#ifndef PTE_PAYLOAD_H_
#define PTE_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_sink.h"
#include "pte/byte_source.h"
#include "pte/bytes.h"
#include "pte/export.h"
#include "pte/options.h"
#include "pte/rope.h"

namespace pte {

class PTE_EXPORT Payload {
 public:
  // `size` bytes from `offset` of `source`; `file_offset` is where they stand in the outermost file. The range must lie inside the source.
  Payload(std::shared_ptr<const ByteSource> source, uint64_t offset, uint64_t size, uint64_t file_offset)
      : source_(std::move(source)), offset_(offset), size_(size), file_offset_(file_offset) {}

  uint64_t size() const { return size_; }

  // In bytes from the start of the outermost file, for payloads inside the flatbuffer too.
  uint64_t file_offset() const { return file_offset_; }

  // Fills all of `out` from `offset` of the payload, or fails and leaves `out` unspecified.
  //   kOutOfRange  the range ends beyond size()
  //   others       from ByteSource::ReadAt
  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const;

  // All bytes: a slice where the source is memory, a mapping where it is a file and options.map, else a copy in memory; a copy also where
  // the container begins at an odd place of its file or memory, and the bytes would not be aligned as the container has them (to 16 at
  // most). The result may outlive the payload and the file.
  //   kResourceExhausted  larger than options.max_bytes, or more than the system has
  absl::StatusOr<Bytes> Load(const LoadOptions& options = {}) const;

  // The payload as a rope of one range; nothing is read.
  Rope AsRope() const;

  // Hands all bytes to `sink`, in bounded memory.
  absl::Status CopyTo(ByteSink& sink) const;

 private:
  absl::StatusOr<Bytes> LoadOrThrow(const LoadOptions& options) const;

  std::shared_ptr<const ByteSource> source_;
  uint64_t offset_;
  uint64_t size_;
  uint64_t file_offset_;
};

}  // namespace pte

#endif  // PTE_PAYLOAD_H_
