#include "pte/payload.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/checked.h"
#include "src/base/fault.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/io/memory.h"
#include "src/io/source.h"

namespace pte {
namespace {

// What a view must keep of the alignment that the payload has in its container: more than this no element type asks for. A container at an
// odd place of an archive, or of memory, has its payloads at odd addresses.
constexpr uint64_t kNeededAlignment = 16;

bool KeepsAlignment(const Bytes& view, uint64_t offset) {
  return reinterpret_cast<uintptr_t>(view.data()) % PowerOfTwoIn(offset, kNeededAlignment) == 0;
}

}  // namespace

absl::Status Payload::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  PTE_RETURN_IF_ERROR(
      CheckRange([this] { return absl::StrCat(source_->name(), ": payload at offset ", Hex(file_offset_)); }, offset, out.size(), size_));
  return source_->ReadAt(offset_ + offset, out);
}

absl::StatusOr<Bytes> Payload::Load(const LoadOptions& options) const {
  return WithoutThrowing([&] { return LoadOrThrow(options); });
}

absl::StatusOr<Bytes> Payload::LoadOrThrow(const LoadOptions& options) const {
  if (size_ > options.max_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(source_->name(), ": payload at offset ", Hex(file_offset_),
                                                     ": larger than allowed; wanted at most ", Number(options.max_bytes), " bytes, found ",
                                                     Number(size_)));
  }
  if (options.map) {
    absl::StatusOr<Bytes> view = source_->View(offset_, size_);
    if (view.ok() ? view->empty() || KeepsAlignment(*view, offset_) : !absl::IsUnimplemented(view.status())) return view;
  }
  PTE_ASSIGN_OR_RETURN(const Memory memory, AllocateMemory(size_));
  PTE_RETURN_IF_ERROR(source_->ReadAt(offset_, memory.span));
  return Bytes::WithOwner(memory.owner, memory.span);
}

absl::Status Payload::CopyTo(ByteSink& sink) const {
  return WithoutThrowing([&] { return AsRope().CopyTo(sink); });
}

Rope Payload::AsRope() const {
  Rope rope;
  // The constructor's precondition is what Append checks.
  (void)rope.Append(source_, offset_, size_);
  return rope;
}

}  // namespace pte
