// Rope: a byte string in pieces: bytes in memory, ranges of sources, runs of zeros. How every payload is passed, so that nothing has to be
// in memory to be handed on.
//
//   pte::Rope rope;
//   rope.Append(pte::Bytes::FromString(head));
//   absl::Status padded = rope.AppendZeros(12);
//   absl::Status appended = rope.Append(source, 4096, engine_size);    // nothing is read
//   absl::Status copied = rope.CopyTo(sink);                           // in bounded memory
//
// Ownership: a rope keeps its bytes and sources alive.
// Thread rule: const calls may run at the same time.
// Cost: a copy copies the list of pieces, never their bytes.
#ifndef PTE_ROPE_H_
#define PTE_ROPE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_sink.h"
#include "pte/byte_source.h"
#include "pte/bytes.h"
#include "pte/export.h"

namespace pte {

class PTE_EXPORT Rope {
 public:
  struct SourceRange {
    std::shared_ptr<const ByteSource> source;
    uint64_t offset = 0;
    uint64_t length = 0;
  };
  struct Zeros {
    uint64_t length = 0;
  };
  using Piece = std::variant<Bytes, SourceRange, Zeros>;

  Rope() = default;
  Rope(Bytes bytes) { Append(std::move(bytes)); }  // NOLINT: implicit on purpose

  void Append(Bytes bytes);
  //   kOutOfRange  the rope would be longer than 2^64 - 1 bytes; it is unchanged
  absl::Status AppendZeros(uint64_t length);

  // A range of `source`, unread.
  //   kOutOfRange  the range ends beyond source->size(), or the rope would be too long; it is unchanged
  absl::Status Append(std::shared_ptr<const ByteSource> source, uint64_t offset, uint64_t length);

  // All pieces of another rope.
  //   kOutOfRange  the rope would be too long; it is unchanged
  absl::Status Append(const Rope& other);

  uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Valid until the rope is changed or goes.
  std::span<const Piece> pieces() const { return pieces_; }

  // The `length` bytes from `offset`, as a rope of the same pieces; nothing is read or copied.
  //   kOutOfRange  the range ends beyond size()
  absl::StatusOr<Rope> Slice(uint64_t offset, uint64_t length) const;

  // Fills all of `out` with the bytes from `offset`, or fails and leaves `out` unspecified.
  //   kOutOfRange  the range ends beyond size()
  //   others       from the sources
  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const;

  // Hands all bytes to `sink` in order, at most 1 MiB at a time. The first error, of a source or of the sink, ends it.
  //   kAborted  a file has changed since it was opened or lent
  absl::Status CopyTo(ByteSink& sink) const;

 private:
  absl::Status Grow(uint64_t length);

  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
};

}  // namespace pte

#endif  // PTE_ROPE_H_
