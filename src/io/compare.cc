#include "src/io/compare.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <variant>

#include "src/base/status_macros.h"
#include "src/io/file_backing.h"
#include "src/io/memory.h"

namespace pte {
namespace {

constexpr uint64_t kEdge = 4096;
constexpr uint64_t kChunk = uint64_t{1} << 20;

bool SamePiece(const Rope::Piece& a, const Rope::Piece& b) {
  if (a.index() != b.index()) return false;
  if (const auto* range = std::get_if<Rope::SourceRange>(&a)) {
    const auto& other = std::get<Rope::SourceRange>(b);
    return range->source == other.source && range->offset == other.offset && range->length == other.length;
  }
  if (const auto* bytes = std::get_if<Bytes>(&a)) {
    return bytes->data() == std::get<Bytes>(b).data() && bytes->size() == std::get<Bytes>(b).size();
  }
  return std::get<Rope::Zeros>(a).length == std::get<Rope::Zeros>(b).length;
}

// Whether both ropes are one range each of one unchanged file, opened or lent twice.
absl::StatusOr<bool> SameFileRange(const Rope& a, const Rope& b) {
  if (a.pieces().size() != 1 || b.pieces().size() != 1) return false;
  const auto* left = std::get_if<Rope::SourceRange>(&a.pieces()[0]);
  const auto* right = std::get_if<Rope::SourceRange>(&b.pieces()[0]);
  if (left == nullptr || right == nullptr) return false;
  PTE_ASSIGN_OR_RETURN(const auto left_file, OpenFileRange(*left->source, left->offset, left->length));
  PTE_ASSIGN_OR_RETURN(const auto right_file, OpenFileRange(*right->source, right->offset, right->length));
  return left_file && right_file && left_file->identity == right_file->identity && left_file->offset == right_file->offset;
}

}  // namespace

absl::StatusOr<uint64_t> EdgeDigest(const Rope& rope) {
  std::array<std::byte, 2 * kEdge> buffer;
  const std::span<std::byte> edges = std::span(buffer).first(static_cast<size_t>(std::min<uint64_t>(rope.size(), buffer.size())));
  const size_t first = std::min<size_t>(edges.size(), kEdge);
  PTE_RETURN_IF_ERROR(rope.ReadAt(0, edges.first(first)));
  const size_t last = edges.size() - first;
  PTE_RETURN_IF_ERROR(rope.ReadAt(rope.size() - last, edges.last(last)));
  return XXH3_64bits(edges.data(), edges.size());
}

bool SamePlace(const Rope& a, const Rope& b) {
  return std::equal(a.pieces().begin(), a.pieces().end(), b.pieces().begin(), b.pieces().end(), SamePiece);
}

absl::StatusOr<bool> SameBytes(const Rope& a, const Rope& b) {
  if (a.size() != b.size()) return false;
  if (SamePlace(a, b)) return true;
  PTE_ASSIGN_OR_RETURN(const bool same_file, SameFileRange(a, b));
  if (same_file) return true;
  PTE_ASSIGN_OR_RETURN(const Memory memory, AllocateMemory(2 * std::min(kChunk, a.size())));
  for (uint64_t done = 0; done < a.size();) {
    const auto part = static_cast<size_t>(std::min(kChunk, a.size() - done));
    const std::span<std::byte> left = memory.span.first(part);
    const std::span<std::byte> right = memory.span.subspan(part, part);
    PTE_RETURN_IF_ERROR(a.ReadAt(done, left));
    PTE_RETURN_IF_ERROR(b.ReadAt(done, right));
    if (std::memcmp(left.data(), right.data(), part) != 0) return false;
    done += part;
  }
  return true;
}

}  // namespace pte
