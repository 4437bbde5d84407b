#include "src/io/memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

constexpr std::align_val_t kAlignment{4096};

// From a few large pages on, what the heap would hand out in small ones is mapped in large ones: a tenth of the page faults, and far fewer
// misses when it is read at random.
constexpr uint64_t kLargePage = uint64_t{2} << 20;
constexpr uint64_t kFromLargePages = 4 * kLargePage;

std::byte* MapZeroed(size_t length) { return static_cast<std::byte*>(sys::MapZeroed(length)); }

// Zeros that begin on a large page, cut out of a mapping that is one large page longer.
absl::StatusOr<Memory> MapLargePages(size_t length) {
  const size_t mapped_length = length + kLargePage;
  std::byte* mapped = mapped_length < length ? nullptr : MapZeroed(mapped_length);
  if (mapped == nullptr) return NoMemory(length);
  const size_t lead = (kLargePage - reinterpret_cast<uintptr_t>(mapped) % kLargePage) % kLargePage;
  sys::AdviseLargePages(mapped + lead, length);
  return Memory{std::shared_ptr<std::byte>(mapped, [mapped_length](std::byte* p) { sys::Unmap(p, mapped_length); }),
                std::span(mapped + lead, length)};
}

}  // namespace

absl::Status NoMemory(uint64_t length) {
  return absl::ResourceExhaustedError(absl::StrCat("memory: the system did not give ", Number(length), " bytes"));
}

absl::StatusOr<Memory> AllocateMemory(uint64_t length) {
  if (length == 0) return Memory{};
  if (length > SIZE_MAX) return NoMemory(length);
  const auto size = static_cast<size_t>(length);
  if (length >= kFromLargePages) return MapLargePages(size);
  auto* memory = static_cast<std::byte*>(::operator new(size, kAlignment, std::nothrow));
  if (memory == nullptr) return NoMemory(length);
  return Memory{std::shared_ptr<std::byte>(memory, [](std::byte* p) { ::operator delete(p, kAlignment); }), std::span(memory, size)};
}

absl::StatusOr<Memory> AllocateZeroed(uint64_t length) {
  PTE_ASSIGN_OR_RETURN(Memory memory, AllocateMemory(length));
  if (length < kFromLargePages) {
    std::fill(memory.span.begin(), memory.span.end(), std::byte{0});
    return memory;
  }
  // A fresh mapping is zero already; but a page that is read before it is written pays a second fault, so write once to each.
  constexpr size_t kSmallestPage = 4096;
  for (size_t at = 0; at < memory.span.size(); at += kSmallestPage) memory.span[at] = std::byte{0};
  return memory;
}

absl::StatusOr<Memory> ReserveZeroed(uint64_t length) {
  if (length == 0) return Memory{};
  if (length > SIZE_MAX) return NoMemory(length);
  const auto size = static_cast<size_t>(length);
  std::byte* memory = MapZeroed(size);
  if (memory == nullptr) return NoMemory(length);
  return Memory{std::shared_ptr<std::byte>(memory, [size](std::byte* p) { sys::Unmap(p, size); }), std::span(memory, size)};
}

}  // namespace pte
