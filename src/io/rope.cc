#include "pte/rope.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/checked.h"
#include "src/base/status_macros.h"
#include "src/io/memory.h"
#include "src/io/source.h"

namespace pte {
namespace {

// Large enough that the calls cost nothing beside the bytes, small enough to stay in the processor's cache.
constexpr uint64_t kChunk = uint64_t{1} << 20;

absl::Status CopyRange(const Rope::SourceRange& range, ByteSink& sink) {
  PTE_ASSIGN_OR_RETURN(const Memory chunk, AllocateMemory(std::min(kChunk, range.length)));
  for (uint64_t done = 0; done < range.length;) {
    const std::span<std::byte> part = chunk.span.first(static_cast<size_t>(std::min(kChunk, range.length - done)));
    PTE_RETURN_IF_ERROR(range.source->ReadAt(range.offset + done, part));
    PTE_RETURN_IF_ERROR(sink.Append(part));
    done += part.size();
  }
  return absl::OkStatus();
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

}  // namespace

void Rope::Append(Bytes bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  pieces_.emplace_back(std::move(bytes));
}

absl::Status Rope::AppendZeros(uint64_t length) {
  PTE_RETURN_IF_ERROR(Grow(length));
  if (length > 0) pieces_.emplace_back(Zeros{length});
  return absl::OkStatus();
}

absl::Status Rope::Append(std::shared_ptr<const ByteSource> source, uint64_t offset, uint64_t length) {
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
