#include "pte/bytes.h"

#include "src/base/checked.h"
#include "src/base/fault.h"

#include "absl/strings/str_cat.h"

namespace pte {

Bytes Bytes::FromString(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  const std::span<const std::byte> view = std::as_bytes(std::span(*owner));
  return WithOwner(std::move(owner), view);
}

Bytes Bytes::FromVector(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view(*owner);
  return WithOwner(std::move(owner), view);
}

Bytes Bytes::WithReleaser(std::span<const std::byte> bytes, std::function<void()> release) {
  return WithOwner(std::shared_ptr<const void>(bytes.data(), [release = std::move(release)](const void*) { release(); }), bytes);
}

absl::StatusOr<Bytes> Bytes::Slice(uint64_t offset, uint64_t length) const {
  if (!RangeInside(offset, length, size())) {
    return absl::OutOfRangeError(
        absl::StrCat("bytes: slice of ", Number(length), " bytes from offset ", Number(offset), " ends beyond ", Number(size())));
  }
  return Bytes(owner_, bytes_.subspan(static_cast<size_t>(offset), static_cast<size_t>(length)));
}

}  // namespace pte
