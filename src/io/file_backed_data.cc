#include "pte/file_backed_data.h"

#include <mutex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/io/file_backing.h"
#include "src/io/given_file.h"
#include "src/io/hidden_names.h"
#include "src/io/memory.h"
#include "src/io/source.h"
#include "src/io/syscalls.h"

namespace pte {

// The handles' shared state, and the source of the ropes made from them. The file is opened for each read: thousands of handles may wait
// for one save, and a process has few descriptors.
struct FileBackedData::State final : ByteSource, FileBacking, GivenFile {
  // Where the bytes are.
  struct Place {
    std::filesystem::path path;
    uint64_t offset = 0;
    FileIdentity identity;
  };

  State(Place first, uint64_t size_of_range, bool was_given, bool remove)
      : given_path(first.path), length(size_of_range), given(was_given), place_(std::move(first)), remove_on_destruction_(remove) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() override {
    if (remove_on_destruction_ && !moved_ && IsStillThere()) sys::Unlink(place_.path.c_str());
  }

  uint64_t size() const override { return length; }
  std::string name() const override { return place().path.string(); }

  absl::Status ReadAt(uint64_t at, std::span<std::byte> out) const override {
    PTE_ASSIGN_OR_RETURN(const FileRange range, OpenRange(at, out.size()));
    return range.ReadAt(0, out);
  }

  absl::StatusOr<FileRange> OpenRange(uint64_t at, uint64_t count) const override {
    PTE_RETURN_IF_ERROR(CheckRange([this] { return name(); }, at, count, length));
    const Place now = place();
    PTE_ASSIGN_OR_RETURN(OpenedFile file, OpenRegular(now.path.string()));
    const int fd = file.fd.get();
    FileRange range{fd, now.offset + at, count, now.identity, now.path.string(), std::move(file.fd)};
    PTE_RETURN_IF_ERROR(range.CheckUnchanged());
    return range;
  }

  bool IsMovable() const override {
    const std::lock_guard lock(mutex_);
    return given && !moved_;
  }
  std::filesystem::path GivenPath() const override { return given_path; }
  FileIdentity GivenIdentity() const override { return place().identity; }

  void ReadFrom(const std::filesystem::path& path, uint64_t offset, const FileIdentity& identity) const override {
    const std::lock_guard lock(mutex_);
    place_ = {path, offset, identity};
    moved_ = true;
  }

  Place place() const {
    const std::lock_guard lock(mutex_);
    return place_;
  }

  bool IsStillThere() const {
    sys::FileStat stat;
    return sys::StatPath(place_.path.c_str(), stat) == 0 && IdentityOf(stat) == place_.identity;
  }

  const std::filesystem::path given_path;
  const uint64_t length;
  const bool given;

 private:
  mutable std::mutex mutex_;
  mutable Place place_;
  mutable bool moved_ = false;
  const bool remove_on_destruction_;
};

absl::StatusOr<FileBackedData> FileBackedData::Make(const std::filesystem::path& path, std::optional<std::pair<uint64_t, uint64_t>> range,
                                                    bool given, const GiveOptions& options) {
  return WithoutThrowing([&]() -> absl::StatusOr<FileBackedData> {
    PTE_RETURN_IF_ERROR(CheckNotClaimed(path));
    PTE_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegular(path.string()));
    const auto [offset, size] = range.value_or(std::pair(uint64_t{0}, file.stat.size));
    PTE_RETURN_IF_ERROR(CheckRange([&] { return path.string(); }, offset, size, file.stat.size));
    return FileBackedData(
        std::make_shared<State>(State::Place{path, offset, IdentityOf(file.stat)}, size, given, options.remove_on_destruction));
  });
}

absl::StatusOr<FileBackedData> FileBackedData::Lend(const std::filesystem::path& path) { return Make(path, std::nullopt, false, {}); }

absl::StatusOr<FileBackedData> FileBackedData::Lend(const std::filesystem::path& path, uint64_t offset, uint64_t size) {
  return Make(path, std::pair(offset, size), false, {});
}

absl::StatusOr<FileBackedData> FileBackedData::Give(const std::filesystem::path& path, const GiveOptions& options) {
  return Make(path, std::nullopt, true, options);
}

uint64_t FileBackedData::size() const { return state_->length; }
std::filesystem::path FileBackedData::path() const { return state_->place().path; }
bool FileBackedData::given() const { return state_->given; }

Rope FileBackedData::AsRope() const {
  Rope rope;
  // A source's whole range is inside it, so this cannot fail.
  (void)rope.Append(state_, 0, state_->length);
  return rope;
}

}  // namespace pte
