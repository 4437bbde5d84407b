// PtdFile: named tensor data, opened and checked, its payloads unread.
//
//   absl::StatusOr<pte::PtdFile> file = pte::PtdFile::Open("weights.ptd");
//   if (!file.ok()) return file.status();
//   for (const pte::PtdEntry& e : file->entries()) Use(e.key, e.tensor_layout);
//   absl::StatusOr<pte::Payload> bias = file->Find("linear.bias");
//
// What Open has checked: the head, the flatbuffer, every segment against the declared data size and the file, and every key. Tensor
// layouts are shown as stored; pte::Verify judges them.
//
// Ownership: a handle; copies share one state, which keeps the source open. Views that it returns are valid while a copy lives.
// Thread rule: const calls may run at the same time on one object and on its copies.
// Cost: Open reads the 48-byte head and the flatbuffer, nothing else; the cost of finding a key does not grow with their number.
#ifndef PTE_PTD_FILE_H_
#define PTE_PTD_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/byte_source.h"
#include "pte/contents.h"
#include "pte/export.h"
#include "pte/finding.h"
#include "pte/header.h"
#include "pte/options.h"
#include "pte/payload.h"
#include "pte/schema.h"
#include "pte/segment.h"

namespace pte {

class PTE_EXPORT PtdFile {
 public:
  // Opens a data file. Codes as PteFile::Open; kUnimplemented also for the FlatTensor schema that came before named_data.
  static absl::StatusOr<PtdFile> Open(const std::filesystem::path& path, const OpenOptions& options = {});
  static absl::StatusOr<PtdFile> Open(std::shared_ptr<const ByteSource> source, const OpenOptions& options = {});

  const ContainerHeader& header() const;
  const fb::FlatTensor& flat_tensor() const;

  // The bytes of the flatbuffer, [0, header().program_size) of the container.
  Bytes flatbuffer() const;

  // What opening noticed that is legal but unusual.
  std::span<const Finding> notes() const;

  std::span<const Segment> segments() const;

  // In the order of the file; keys are unique. Several entries may share a segment.
  std::span<const PtdEntry> entries() const;

  // The entry with this key, or nullptr.
  const PtdEntry* FindEntry(std::string_view key) const;

  // Its bytes.
  //   kNotFound  no such key
  absl::StatusOr<Payload> Find(std::string_view key) const;

  // All bytes of a segment.
  //   kInvalidArgument  index >= segments().size()
  absl::StatusOr<Payload> SegmentPayload(uint32_t index) const;

  // The file as a value that can be changed and saved; its ropes are ranges of this file, and no payload is read. Tensor layouts are taken
  // as stored. Codes as PteFile::ToContents.
  absl::StatusOr<PtdContents> ToContents(const ToContentsOptions& options = {}) const;

 private:
  friend struct FileAccess;
  struct State;
  explicit PtdFile(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace pte

#endif  // PTE_PTD_FILE_H_
