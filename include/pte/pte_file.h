// PteFile: an ExecuTorch program, opened and checked, its payloads unread.
//
//   absl::StatusOr<pte::PteFile> file = pte::PteFile::Open("model.pte");
//   if (!file.ok()) return file.status();
//   for (const pte::Segment& s : file->segments()) Use(s.file_offset, s.size);
//   absl::StatusOr<pte::Payload> weights = file->FindNamedData("weights");
//
// What Open has checked: the head, the flatbuffer (every offset, vector and table that the schema knows), every segment against the
// declared data size and the file, the constant and mutable offsets, named data, and where delegates find their bytes. Values, instructions
// and the rest are left to pte::Verify; reading them through the generated accessors is memory-safe, but fields may be missing and indices
// out of range.
//
// Ownership: a PteFile is a handle; copies share one state, which keeps the source open. Views that it returns are valid while a copy
// lives. Thread rule: const calls may run at the same time on one object and on its copies. Cost: Open reads the 48-byte head and the
// flatbuffer, nothing else, and holds the flatbuffer in memory; the cost of finding a key does not
//   grow with their number.
#ifndef PTE_PTE_FILE_H_
#define PTE_PTE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
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

class PTE_EXPORT PteFile {
 public:
  // Opens a program.
  //   kInvalidArgument    another kind of container; the message says which
  //   kDataLoss           the bytes contradict themselves: header, flatbuffer, segments, constants, keys or delegates
  //   kOutOfRange         the file is shorter than it promises
  //   kUnimplemented      a newer schema version (see OpenOptions::allow_newer), or another identifier version
  //   kResourceExhausted  a limit; the message says which
  //   others              from the source, or from errno
  static absl::StatusOr<PteFile> Open(const std::filesystem::path& path, const OpenOptions& options = {});
  static absl::StatusOr<PteFile> Open(std::shared_ptr<const ByteSource> source, const OpenOptions& options = {});

  const ContainerHeader& header() const;

  // The verified flatbuffer.
  const fb::Program& program() const;

  // Its bytes, [0, header().program_size) of the container.
  Bytes flatbuffer() const;

  // Where byte 0 of the container stands in the outermost file: 0, save for the program inside a .bpte.
  uint64_t file_offset() const;

  // What opening noticed that is legal but unusual.
  std::span<const Finding> notes() const;

  // In the order of the file; segments()[i].index == i.
  std::span<const Segment> segments() const;

  // In the order of the file; keys are unique.
  std::span<const NamedEntry> named_data() const;

  // The payload with this key.
  //   kNotFound  no such key
  absl::StatusOr<Payload> FindNamedData(std::string_view key) const;

  // All bytes of a segment.
  //   kInvalidArgument  index >= segments().size()
  absl::StatusOr<Payload> SegmentPayload(uint32_t index) const;

  // The bytes that a delegate was given at export, wherever the file holds them; `plan` and `delegate` are indices into
  // program().execution_plan() and its delegates().
  //   kInvalidArgument  no such plan or delegate
  absl::StatusOr<Payload> DelegatePayload(size_t plan, size_t delegate) const;

  // Constant `index` as tensors name it by data_buffer_idx, from the constant segment or from the flatbuffer, whichever the file has.
  // Index 0 is the reserved placeholder. A constant reaches up to where the next one begins, so it may carry padding at its end.
  //   kInvalidArgument  index >= constant_count()
  absl::StatusOr<Payload> Constant(size_t index) const;
  size_t constant_count() const;
  // The segment that they are cut from; nullopt where they are inside the flatbuffer, or there are none.
  std::optional<uint32_t> constant_segment() const;

  // Initial state `index` of mutable buffers, from the first entry of mutable_data_segments, the only one that is ever used.
  //   kInvalidArgument  index >= mutable_data_count()
  absl::StatusOr<Payload> MutableData(size_t index) const;
  size_t mutable_data_count() const;
  std::optional<uint32_t> mutable_data_segment() const;

  // The file as a value that can be changed and saved; its ropes are ranges of this file, and no payload is read. Constants inside the
  // flatbuffer become items of a constant segment, under the same indices.
  //   kUnimplemented      a newer schema version, or fields that this library does not know (see ToContentsOptions)
  //   kDataLoss           a value or an instruction that has a type and nothing else
  //   kResourceExhausted  the unpacked flatbuffer would be larger than Limits::max_unpacked_bytes
  absl::StatusOr<PteContents> ToContents(const ToContentsOptions& options = {}) const;

 private:
  friend struct FileAccess;
  struct State;
  explicit PteFile(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace pte

#endif  // PTE_PTE_FILE_H_
