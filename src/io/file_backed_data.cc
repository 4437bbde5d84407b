#include "pte/file_backed_data.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/io/file_backing.h"
#include "src/io/memory.h"
#include "src/io/source.h"
#include "src/io/syscalls.h"

namespace pte {

// The handles' shared state, and the source of the ropes made from them. The file is opened for each read: thousands of handles may wait
// for one save, and a process has few descriptors.
struct FileBackedData::State final : ByteSource, FileBacking {
  std::filesystem::path path;
  FileIdentity identity;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool given = false;
  bool remove_on_destruction = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() override {
    if (remove_on_destruction && IsStillThere()) sys::Unlink(path.c_str());
  }

  uint64_t size() const override { return length; }
  std::string name() const override { return path.string(); }

  absl::Status ReadAt(uint64_t at, std::span<std::byte> out) const override {
    PTE_ASSIGN_OR_RETURN(const FileRange range, OpenRange(at, out.size()));
    return range.ReadAt(0, out);
  }

  absl::StatusOr<FileRange> OpenRange(uint64_t at, uint64_t count) const override {
    PTE_RETURN_IF_ERROR(CheckRange([this] { return name(); }, at, count, length));
    PTE_ASSIGN_OR_RETURN(OpenedFile file, OpenRegular(path.string()));
    const int fd = file.fd.get();
    FileRange range{fd, offset + at, count, identity, path.string(), std::move(file.fd)};
    PTE_RETURN_IF_ERROR(range.CheckUnchanged());
    return range;
  }

  bool IsStillThere() const {
    sys::FileStat stat;
    return sys::StatPath(path.c_str(), stat) == 0 && IdentityOf(stat) == identity;
  }
};

absl::StatusOr<FileBackedData> FileBackedData::Make(const std::filesystem::path& path, bool given, const GiveOptions& options) {
  return WithoutThrowing([&]() -> absl::StatusOr<FileBackedData> {
    PTE_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegular(path.string()));
    auto state = std::make_shared<State>();
    state->path = path;
    state->identity = IdentityOf(file.stat);
    state->length = file.stat.size;
    state->given = given;
    state->remove_on_destruction = options.remove_on_destruction;
    return FileBackedData(std::move(state));
  });
}

absl::StatusOr<FileBackedData> FileBackedData::Lend(const std::filesystem::path& path) { return Make(path, false, {}); }

absl::StatusOr<FileBackedData> FileBackedData::Lend(const std::filesystem::path& path, uint64_t offset, uint64_t size) {
  return WithoutThrowing([&]() -> absl::StatusOr<FileBackedData> {
    PTE_ASSIGN_OR_RETURN(const FileBackedData whole, Lend(path));
    PTE_RETURN_IF_ERROR(CheckRange([&] { return path.string(); }, offset, size, whole.size()));
    auto state = std::make_shared<State>();
    state->path = path;
    state->identity = whole.state_->identity;
    state->offset = offset;
    state->length = size;
    return FileBackedData(std::move(state));
  });
}

absl::StatusOr<FileBackedData> FileBackedData::Give(const std::filesystem::path& path, const GiveOptions& options) {
  return Make(path, true, options);
}

uint64_t FileBackedData::size() const { return state_->length; }
const std::filesystem::path& FileBackedData::path() const { return state_->path; }
bool FileBackedData::given() const { return state_->given; }

Rope FileBackedData::AsRope() const {
  Rope rope;
  // A source's whole range is inside it, so this cannot fail.
  (void)rope.Append(state_, 0, state_->length);
  return rope;
}

}  // namespace pte
