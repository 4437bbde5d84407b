#include "tests/support/sources.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/files.h"

namespace pte::test {
namespace {

class ReadOnlySource final : public ByteSource {
 public:
  explicit ReadOnlySource(std::string bytes) : bytes_(std::move(bytes)) {}
  uint64_t size() const override { return bytes_.size(); }
  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset) return absl::OutOfRangeError("beyond the test's bytes");
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
    return absl::OkStatus();
  }

 private:
  std::string bytes_;
};

std::shared_ptr<const ByteSource> Checked(absl::StatusOr<std::shared_ptr<const ByteSource>> source) {
  EXPECT_TRUE(source.ok()) << source.status();
  return *std::move(source);
}

// Exactly as many bytes as given, so that a sanitizer sees a read of one more.
Bytes OnTheHeap(const std::string& bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return Bytes::FromVector(std::vector<std::byte>(begin, begin + bytes.size()));
}

}  // namespace

std::string NameOf(SourceKind kind) {
  switch (kind) {
    case SourceKind::kMemory: return "Memory";
    case SourceKind::kFile: return "File";
    case SourceKind::kMapping: return "Mapping";
    case SourceKind::kDescriptor: return "Descriptor";
    case SourceKind::kReadOnly: break;
  }
  return "ReadOnly";
}

std::shared_ptr<const ByteSource> MakeSource(SourceKind kind, const std::string& bytes) {
  if (kind == SourceKind::kMemory) return MemorySource(OnTheHeap(bytes));
  if (kind == SourceKind::kReadOnly) return std::make_shared<ReadOnlySource>(bytes);
  const TempDir dir;
  const std::filesystem::path path = dir / "bytes";
  constexpr char kJunk[] = "1234567";
  WriteFile(path, kind == SourceKind::kDescriptor ? kJunk + bytes + kJunk : bytes);
  if (kind == SourceKind::kDescriptor) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::shared_ptr<const ByteSource> source = Checked(OpenFileSource(fd, sizeof kJunk - 1, bytes.size()));
    ::close(fd);
    return source;
  }
  std::shared_ptr<const ByteSource> file = Checked(OpenFileSource(path));
  if (kind == SourceKind::kFile) return file;
  const absl::StatusOr<Bytes> mapped = file->View(0, file->size());
  EXPECT_TRUE(mapped.ok()) << mapped.status();
  return MemorySource(*mapped);
}

}  // namespace pte::test
