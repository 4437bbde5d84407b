#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "pte/byte_source.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/io/file_backing.h"
#include "src/io/memory.h"
#include "src/io/source.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

class FileSource final : public ByteSource, public FileBacking {
 public:
  explicit FileSource(FileRange range) : range_(std::move(range)) {}

  uint64_t size() const override { return range_.length; }
  std::string name() const override { return range_.name; }

  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    PTE_RETURN_IF_ERROR(CheckInside(offset, out.size()));
    return range_.ReadAt(offset, out);
  }

  absl::StatusOr<Bytes> View(uint64_t offset, uint64_t length) const override {
    PTE_RETURN_IF_ERROR(CheckInside(offset, length));
    if (length == 0) return Bytes();
    // Reading a mapping beyond the end of its file kills the process, so look before mapping.
    PTE_RETURN_IF_ERROR(range_.CheckReaches(range_.offset + range_.length));
    // A mapping begins on a page; `lead` bytes of it come before ours.
    const uint64_t start = range_.offset + offset;
    const uint64_t lead = start % sys::PageSize();
    if (length > std::numeric_limits<size_t>::max() - lead) return NotViewed("larger than the address space");
    const auto mapped_length = static_cast<size_t>(lead + length);
    void* mapped = sys::MapFile(range_.fd, start - lead, mapped_length);
    if (mapped == nullptr) return NotViewed("the system did not map it");
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(mapped) + lead, static_cast<size_t>(length));
    return Bytes::WithReleaser(bytes, [mapped, mapped_length] { sys::Unmap(mapped, mapped_length); });
  }

  // The descriptor stays this source's.
  absl::StatusOr<FileRange> OpenRange(uint64_t offset, uint64_t length) const override {
    PTE_RETURN_IF_ERROR(CheckInside(offset, length));
    FileRange range{range_.fd, range_.offset + offset, length, range_.identity, range_.name};
    PTE_RETURN_IF_ERROR(range.CheckUnchanged());
    return range;
  }

 private:
  absl::Status CheckInside(uint64_t offset, uint64_t length) const {
    return CheckRange([this] { return range_.name; }, offset, length, range_.length);
  }

  absl::Status NotViewed(std::string_view why) const {
    return absl::UnimplementedError(absl::StrCat(range_.name, ": cannot be mapped: ", ToAbsl(why)));
  }

  FileRange range_;
};

std::shared_ptr<const ByteSource> SourceOf(OpenedFile file, uint64_t offset, uint64_t length, std::string name) {
  const int fd = file.fd.get();
  return std::make_shared<FileSource>(FileRange{fd, offset, length, IdentityOf(file.stat), std::move(name), std::move(file.fd)});
}

absl::StatusOr<std::shared_ptr<const ByteSource>> OpenPath(const std::filesystem::path& path) {
  PTE_ASSIGN_OR_RETURN(OpenedFile file, OpenRegular(path.string()));
  const uint64_t size = file.stat.size;
  return SourceOf(std::move(file), 0, size, path.string());
}

absl::StatusOr<std::shared_ptr<const ByteSource>> OpenDescriptor(int fd, uint64_t offset, uint64_t length) {
  const std::string name = absl::StrCat("descriptor ", fd);
  OpenedFile file{Descriptor(sys::Duplicate(fd)), {}};
  if (!file.fd.is_open()) return FromErrno(errno, name, "duplicating it");
  PTE_ASSIGN_OR_RETURN(file.stat, StatRegular(file.fd.get(), name));
  PTE_RETURN_IF_ERROR(CheckRange([&] { return name; }, offset, length, file.stat.size));
  return SourceOf(std::move(file), offset, length, name);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const ByteSource>> OpenFileSource(const std::filesystem::path& path) {
  return WithoutThrowing([&] { return OpenPath(path); });
}

absl::StatusOr<std::shared_ptr<const ByteSource>> OpenFileSource(int fd, uint64_t offset, uint64_t length) {
  return WithoutThrowing([&] { return OpenDescriptor(fd, offset, length); });
}

}  // namespace pte
