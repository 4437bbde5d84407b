// FileBackedData: a payload in a file, or in a range of one, that is copied or moved into a container without ever being in memory whole.
//
//   absl::StatusOr<pte::FileBackedData> engine = pte::FileBackedData::Lend("engine.plan");
//   if (!engine.ok()) return engine.status();
//   absl::Status added = contents.named_data.Add("engine", *engine, {.alignment = 4096});
//   absl::StatusOr<pte::SaveReport> report = pte::SavePte(contents, "model.pte");   // engine.plan is copied, kernel-side where possible
//
// A lent file is only ever read. A given file is the library's to consume, but giving alone deletes nothing: a save without
// SaveOptions::consume copies it and leaves it where it is. After a save with it the file is gone, and this handle, its copies and all
// ropes made from them read the same bytes from the container.
//
// The file's size and identity (device, inode, time of last change, size) are taken here and looked at again at every read: a file that
// changed since is kAborted, with both values.
//
// Ownership: a handle; copies, and ropes made from it, share one state. No descriptor is held between reads, so that there may be any
//   number of them. Thread rule: const calls may run at the same time. Cost: one look at the file; nothing is read.
#ifndef PTE_FILE_BACKED_DATA_H_
#define PTE_FILE_BACKED_DATA_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "pte/export.h"
#include "pte/rope.h"

namespace pte {

struct GiveOptions {
  // Remove the file when the last handle, and the last rope made from one, goes; not where the file has changed or is another by then.
  bool remove_on_destruction = false;
};

class PTE_EXPORT FileBackedData {
 public:
  // The whole of a regular file that stays the caller's; symbolic links are followed.
  //   kNotFound, kPermissionDenied, ...  from errno
  //   kInvalidArgument                   not a regular file (a directory: EISDIR)
  static absl::StatusOr<FileBackedData> Lend(const std::filesystem::path& path);

  // `size` bytes from `offset` of it.
  //   kOutOfRange  the range ends beyond the file
  static absl::StatusOr<FileBackedData> Lend(const std::filesystem::path& path, uint64_t offset, uint64_t size);

  // The whole of a regular file, given away. Codes as Lend.
  static absl::StatusOr<FileBackedData> Give(const std::filesystem::path& path, const GiveOptions& options = {});

  // In bytes.
  uint64_t size() const;

  // Where the bytes are read from: as given, or the container that a save with SaveOptions::consume has moved them to.
  std::filesystem::path path() const;

  // Whether it was given rather than lent.
  bool given() const;

  // The same bytes as a rope of one range.
  Rope AsRope() const;
  operator Rope() const { return AsRope(); }  // NOLINT: implicit on purpose

 private:
  struct State;
  explicit FileBackedData(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static absl::StatusOr<FileBackedData> Make(const std::filesystem::path& path, std::optional<std::pair<uint64_t, uint64_t>> range,
                                             bool given, const GiveOptions& options);

  std::shared_ptr<const State> state_;
};

}  // namespace pte

#endif  // PTE_FILE_BACKED_DATA_H_
