#include "pte/rope.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/checked.h"
#include "src/base/status_macros.h"
#include "src/io/file_backing.h"
#include "src/io/memory.h"
#include "src/io/rope_pieces.h"
#include "src/io/source.h"

namespace pte {
namespace {

// Large enough that the calls cost nothing beside the bytes, small enough to stay in the processor's cache.
constexpr uint64_t kChunk = uint64_t{1} << 20;

absl::Status CopyRange(const Rope::SourceRange& range, ByteSink& sink) {
  PTE_ASSIGN_OR_RETURN(const Memory chunk, AllocateMemory(std::min(kChunk, range.length)));
  PTE_ASSIGN_OR_RETURN(const std::optional<FileRange> file, OpenFileRange(*range.source, range.offset, range.length));
  for (uint64_t done = 0; done < range.length;) {
    const std::span<std::byte> part = chunk.span.first(static_cast<size_t>(std::min(kChunk, range.length - done)));
    PTE_RETURN_IF_ERROR(file ? file->ReadAt(done, part) : range.source->ReadAt(range.offset + done, part));
    PTE_RETURN_IF_ERROR(sink.Append(part));
    done += part.size();
  }
  return file ? file->CheckUnchanged() : absl::OkStatus();
}

absl::Status CopyZeros(uint64_t length, ByteSink& sink) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  while (length > 0) {
    const auto part = static_cast<size_t>(std::min<uint64_t>(kZeros.size(), length));
    PTE_RETURN_IF_ERROR(sink.Append(std::span(kZeros).first(part)));
    length -= part;
  }
  return absl::OkStatus();
}

absl::Status CopyBytes(std::span<const std::byte> bytes, ByteSink& sink) {
  while (!bytes.empty()) {
    const std::span<const std::byte> part = bytes.first(std::min<size_t>(kChunk, bytes.size()));
    PTE_RETURN_IF_ERROR(sink.Append(part));
    bytes = bytes.subspan(part.size());
  }
  return absl::OkStatus();
}

absl::Status ReadPiece(const Rope::Piece& piece, uint64_t offset, std::span<std::byte> out) {
  if (const auto* range = std::get_if<Rope::SourceRange>(&piece)) return range->source->ReadAt(range->offset + offset, out);
  if (const auto* bytes = std::get_if<Bytes>(&piece)) {
    std::memcpy(out.data(), bytes->data() + offset, out.size());
  } else {
    std::fill(out.begin(), out.end(), std::byte{0});
  }
  return absl::OkStatus();
}

Rope::Piece SlicePiece(const Rope::Piece& piece, uint64_t offset, uint64_t length) {
  if (const auto* range = std::get_if<Rope::SourceRange>(&piece)) return Rope::SourceRange{range->source, range->offset + offset, length};
  if (const auto* bytes = std::get_if<Bytes>(&piece)) return *bytes->Slice(offset, length);
  return Rope::Zeros{length};
}

// Calls visit(piece, offset in it, length) -> Status for what each piece has of a range of the rope, which must lie inside it.
template <class Visit>
absl::Status ForEachPiece(std::span<const Rope::Piece> pieces, uint64_t offset, uint64_t length, Visit visit) {
  for (const Rope::Piece& piece : pieces) {
    if (length == 0) break;
    const uint64_t size = PieceSize(piece);
    if (offset >= size) {
      offset -= size;
      continue;
    }
    const uint64_t part = std::min(size - offset, length);
    PTE_RETURN_IF_ERROR(visit(piece, offset, part));
    offset = 0;
    length -= part;
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t PieceSize(const Rope::Piece& piece) {
  if (const auto* range = std::get_if<Rope::SourceRange>(&piece)) return range->length;
  if (const auto* zeros = std::get_if<Rope::Zeros>(&piece)) return zeros->length;
  return std::get<Bytes>(piece).size();
}

void Rope::Append(Bytes bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  pieces_.emplace_back(std::move(bytes));
}

absl::Status Rope::Append(const Rope& other) {
  PTE_RETURN_IF_ERROR(Grow(other.size()));
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
  return absl::OkStatus();
}

absl::Status Rope::AppendZeros(uint64_t length) {
  PTE_RETURN_IF_ERROR(Grow(length));
  if (length > 0) pieces_.emplace_back(Zeros{length});
  return absl::OkStatus();
}

absl::Status Rope::Append(std::shared_ptr<const ByteSource> source, uint64_t offset, uint64_t length) {
  if (source == nullptr) return absl::InvalidArgumentError("rope: no source was given to take bytes of");
  PTE_RETURN_IF_ERROR(CheckRange([&] { return source->name(); }, offset, length, source->size()));
  PTE_RETURN_IF_ERROR(Grow(length));
  if (length > 0) pieces_.emplace_back(SourceRange{std::move(source), offset, length});
  return absl::OkStatus();
}

absl::Status Rope::Grow(uint64_t length) {
  const std::optional<uint64_t> size = CheckedAdd(size_, length);
  if (!size) {
    return absl::OutOfRangeError(absl::StrCat("rope: too long; wanted at most ", UINT64_MAX - size_, " more bytes, found ", length));
  }
  size_ = *size;
  return absl::OkStatus();
}

absl::StatusOr<Rope> Rope::Slice(uint64_t offset, uint64_t length) const {
  PTE_RETURN_IF_ERROR(CheckRange([] { return "rope"; }, offset, length, size_));
  Rope slice;
  slice.size_ = length;
  PTE_RETURN_IF_ERROR(ForEachPiece(pieces_, offset, length, [&](const Piece& piece, uint64_t at, uint64_t part) {
    slice.pieces_.push_back(SlicePiece(piece, at, part));
    return absl::OkStatus();
  }));
  return slice;
}

absl::Status Rope::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  PTE_RETURN_IF_ERROR(CheckRange([] { return "rope"; }, offset, out.size(), size_));
  return ForEachPiece(pieces_, offset, out.size(), [&](const Piece& piece, uint64_t at, uint64_t part) {
    const std::span<std::byte> into = out.first(static_cast<size_t>(part));
    out = out.subspan(into.size());
    return ReadPiece(piece, at, into);
  });
}

absl::Status Rope::CopyTo(ByteSink& sink) const {
  for (const Piece& piece : pieces_) {
    if (const auto* range = std::get_if<SourceRange>(&piece)) {
      PTE_RETURN_IF_ERROR(CopyRange(*range, sink));
    } else if (const auto* zeros = std::get_if<Zeros>(&piece)) {
      PTE_RETURN_IF_ERROR(CopyZeros(zeros->length, sink));
    } else {
      PTE_RETURN_IF_ERROR(CopyBytes(std::get<Bytes>(piece).span(), sink));
    }
  }
  return absl::OkStatus();
}

}  // namespace pte
