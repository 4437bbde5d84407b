#include "src/io/source.h"

#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "pte/byte_sink.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/io/file_backing.h"

namespace pte {
namespace {

class RangeOfSource final : public ByteSource, public FileBacking {
 public:
  RangeOfSource(std::shared_ptr<const ByteSource> source, uint64_t offset, uint64_t length)
      : source_(std::move(source)), offset_(offset), length_(length) {}

  uint64_t size() const override { return length_; }

  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    PTE_RETURN_IF_ERROR(CheckRange([this] { return name(); }, offset, out.size(), length_));
    return source_->ReadAt(offset_ + offset, out);
  }

  absl::StatusOr<Bytes> View(uint64_t offset, uint64_t length) const override {
    PTE_RETURN_IF_ERROR(CheckRange([this] { return name(); }, offset, length, length_));
    return source_->View(offset_ + offset, length);
  }

  std::string name() const override { return source_->name(); }

  // kUnimplemented where the source itself stands in no file.
  absl::StatusOr<FileRange> OpenRange(uint64_t offset, uint64_t length) const override {
    PTE_RETURN_IF_ERROR(CheckRange([this] { return name(); }, offset, length, length_));
    PTE_ASSIGN_OR_RETURN(std::optional<FileRange> range, OpenFileRange(*source_, offset_ + offset, length));
    if (!range) return absl::UnimplementedError(absl::StrCat(name(), ": stands in no file"));
    return *std::move(range);
  }

 private:
  std::shared_ptr<const ByteSource> source_;
  uint64_t offset_;
  uint64_t length_;
};

}  // namespace

absl::Status RangeError(std::string_view name, uint64_t offset, uint64_t length, uint64_t size) {
  return absl::OutOfRangeError(absl::StrCat(ToAbsl(name), ": range of ", Number(length), " bytes from offset ", Number(offset),
                                            " ends beyond the source; wanted at most ", Number(size)));
}

std::shared_ptr<const ByteSource> Unowned(const ByteSource& source) {
  return std::shared_ptr<const ByteSource>(std::shared_ptr<const void>(), &source);
}

absl::StatusOr<Bytes> ByteSource::View(uint64_t offset, uint64_t length) const {
  PTE_RETURN_IF_ERROR(CheckRange([this] { return name(); }, offset, length, size()));
  return absl::UnimplementedError(absl::StrCat(name(), ": this source can be read only, not viewed"));
}

std::string ByteSource::name() const { return "source"; }

absl::Status MemorySource::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  PTE_RETURN_IF_ERROR(CheckRange([this] { return name(); }, offset, out.size(), bytes_.size()));
  if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  return absl::OkStatus();
}

absl::StatusOr<Bytes> MemorySource::View(uint64_t offset, uint64_t length) const { return bytes_.Slice(offset, length); }

std::string MemorySource::name() const { return "memory"; }

absl::StatusOr<std::shared_ptr<const ByteSource>> RangeSource(std::shared_ptr<const ByteSource> source, uint64_t offset, uint64_t length) {
  if (source == nullptr) return absl::InvalidArgumentError("no source was given to take a range of");
  PTE_RETURN_IF_ERROR(CheckRange([&] { return source->name(); }, offset, length, source->size()));
  return std::make_shared<RangeOfSource>(std::move(source), offset, length);
}

absl::Status StringSink::Append(std::span<const std::byte> bytes) {
  out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return absl::OkStatus();
}

}  // namespace pte
