// Bytes: read-only bytes in memory together with whatever keeps them alive.
//
//   pte::Bytes name = pte::Bytes::FromString("hello");
//   pte::Bytes table = pte::Bytes::Borrow(static_table);               // static_table must outlive every copy
//   absl::StatusOr<pte::Bytes> head = name.Slice(0, 4);                // no copy; keeps the string alive
//
// Ownership: a Bytes and all its copies and slices share one owner; the bytes go when the last of them goes. Borrowed bytes have no
//   owner: the caller keeps them alive and unchanged.
// Thread rule: const calls on one object, and any calls on different copies, may run at the same time.
// Cost: a copy or a slice is one shared pointer; no call copies bytes, save where it says so.
#ifndef PTE_BYTES_H_
#define PTE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/export.h"

namespace pte {

class PTE_EXPORT Bytes {
 public:
  Bytes() = default;

  // A view of bytes that the caller keeps alive and unchanged for as long as any copy or slice of the result is used.
  static Bytes Borrow(std::span<const std::byte> bytes) { return Bytes(nullptr, bytes); }
  static Bytes Borrow(std::string_view bytes) { return Borrow(std::as_bytes(std::span(bytes))); }

  // Takes the container; its bytes are moved, not copied (short strings excepted).
  static Bytes FromString(std::string bytes);
  static Bytes FromVector(std::vector<std::byte> bytes);

  // A view of `bytes`, which stay valid until `release` has run: once, when the last copy or slice goes, on that thread.
  static Bytes WithReleaser(std::span<const std::byte> bytes, std::function<void()> release);

  // A view of `bytes`, which `owner` keeps alive.
  static Bytes WithOwner(std::shared_ptr<const void> owner, std::span<const std::byte> bytes) { return Bytes(std::move(owner), bytes); }

  const std::byte* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  // Valid while this object, a copy or a slice of it lives.
  std::span<const std::byte> span() const { return bytes_; }
  std::string_view string_view() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  // The `length` bytes from `offset`, without a copy.
  //   kOutOfRange  the range ends beyond size()
  absl::StatusOr<Bytes> Slice(uint64_t offset, uint64_t length) const;

 private:
  Bytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes) : owner_(std::move(owner)), bytes_(bytes) {}

  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

}  // namespace pte

#endif  // PTE_BYTES_H_
