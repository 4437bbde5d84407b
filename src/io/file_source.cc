#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "pte/byte_source.h"
#include "src/base/checked.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/io/memory.h"
#include "src/io/source.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

// Linux returns short above 2,147,479,552 bytes and other systems refuse more than INT32_MAX: one call asks for less than either.
constexpr size_t kMostPerCall = size_t{1} << 30;

absl::Status FromErrno(int error, std::string_view name, std::string_view what) {
  return absl::ErrnoToStatus(error, absl::StrCat(ToAbsl(name), ": ", ToAbsl(what)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) sys::Close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

class FileSource final : public ByteSource {
 public:
  FileSource(Descriptor fd, uint64_t offset, uint64_t length, std::string name)
      : fd_(std::move(fd)), offset_(offset), length_(length), name_(std::move(name)) {}

  uint64_t size() const override { return length_; }
  std::string name() const override { return name_; }

  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    PTE_RETURN_IF_ERROR(CheckRange([this] { return name_; }, offset, out.size(), length_));
    uint64_t at = offset_ + offset;
    while (!out.empty()) {
      const int64_t got = sys::ReadAt(fd_.get(), out.data(), std::min(out.size(), kMostPerCall), at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return ReadFailed(errno, out.size(), at);
      if (got == 0) return Shrunk();
      at += static_cast<uint64_t>(got);
      out = out.subspan(static_cast<size_t>(got));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Bytes> View(uint64_t offset, uint64_t length) const override {
    PTE_RETURN_IF_ERROR(CheckRange([this] { return name_; }, offset, length, length_));
    if (length == 0) return Bytes();
    PTE_RETURN_IF_ERROR(CheckStillThere());
    // A mapping begins on a page; `lead` bytes of it come before ours.
    const uint64_t start = offset_ + offset;
    const uint64_t lead = start % sys::PageSize();
    if (length > std::numeric_limits<size_t>::max() - lead) return NotViewed("larger than the address space");
    const auto mapped_length = static_cast<size_t>(lead + length);
    void* mapped = sys::MapFile(fd_.get(), start - lead, mapped_length);
    if (mapped == nullptr) return NotViewed("the system did not map it");
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(mapped) + lead, static_cast<size_t>(length));
    return Bytes::WithReleaser(bytes, [mapped, mapped_length] { sys::Unmap(mapped, mapped_length); });
  }

 private:
  absl::Status ReadFailed(int error, size_t length, uint64_t at) const {
    return FromErrno(error, name_, absl::StrCat("reading ", Number(length), " bytes at offset ", Number(at)));
  }

  absl::Status NotViewed(std::string_view why) const {
    return absl::UnimplementedError(absl::StrCat(name_, ": cannot be mapped: ", ToAbsl(why)));
  }

  absl::Status Shrunk() const {
    sys::FileStat now;
    if (sys::Stat(fd_.get(), now) != 0) return FromErrno(errno, name_, "asking for its size");
    return absl::AbortedError(absl::StrCat(name_, ": the file became shorter while it was read; wanted at least ",
                                           Number(offset_ + length_), " bytes, found ", Number(now.size)));
  }

  // Reading a mapping beyond the end of its file kills the process, so look before mapping.
  absl::Status CheckStillThere() const {
    sys::FileStat now;
    if (sys::Stat(fd_.get(), now) != 0) return FromErrno(errno, name_, "asking for its size");
    return now.size < offset_ + length_ ? Shrunk() : absl::OkStatus();
  }

  Descriptor fd_;
  uint64_t offset_;
  uint64_t length_;
  std::string name_;
};

// The size of an open regular file.
absl::StatusOr<uint64_t> RegularFileSize(int fd, const std::string& name) {
  sys::FileStat stat;
  if (sys::Stat(fd, stat) != 0) return FromErrno(errno, name, "asking for its size");
  if (stat.is_directory) return FromErrno(EISDIR, name, "opening for reading");
  if (!stat.is_regular) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": not a regular file: pipes and devices have no bytes at rest to read by range"));
  }
  return stat.size;
}

absl::StatusOr<std::shared_ptr<const ByteSource>> OpenPath(const std::filesystem::path& path) {
  const std::string name = path.string();
  int fd = -1;
  do {
    fd = sys::OpenForReading(path.c_str());
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return FromErrno(errno, name, "opening for reading");
  Descriptor descriptor(fd);
  PTE_ASSIGN_OR_RETURN(const uint64_t size, RegularFileSize(fd, name));
  return std::make_shared<FileSource>(std::move(descriptor), 0, size, name);
}

absl::StatusOr<std::shared_ptr<const ByteSource>> OpenDescriptor(int fd, uint64_t offset, uint64_t length) {
  const std::string name = absl::StrCat("descriptor ", fd);
  const int own = sys::Duplicate(fd);
  if (own < 0) return FromErrno(errno, name, "duplicating it");
  Descriptor descriptor(own);
  PTE_ASSIGN_OR_RETURN(const uint64_t size, RegularFileSize(own, name));
  PTE_RETURN_IF_ERROR(CheckRange([&] { return name; }, offset, length, size));
  return std::make_shared<FileSource>(std::move(descriptor), offset, length, name);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const ByteSource>> OpenFileSource(const std::filesystem::path& path) {
  return WithoutThrowing([&] { return OpenPath(path); });
}

absl::StatusOr<std::shared_ptr<const ByteSource>> OpenFileSource(int fd, uint64_t offset, uint64_t length) {
  return WithoutThrowing([&] { return OpenDescriptor(fd, offset, length); });
}

}  // namespace pte
