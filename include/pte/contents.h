// PteContents, PtdContents: a container to be written, as a value: the flatbuffer model, and the payloads as ropes.
//
//   absl::StatusOr<pte::PteFile> file = pte::PteFile::Open("model.pte");
//   absl::StatusOr<pte::PteContents> contents = file->ToContents();    // no payload is read
//   contents->program.execution_plan[0]->name = "prefill";
//   absl::Status added = contents->named_data.Add("note", pte::Bytes::FromString("v2"));
//   absl::StatusOr<pte::SaveReport> report = pte::SavePte(*contents, "renamed.pte");
//
// What contents of a file keep: every field of the schema, the bytes and the order of all segments, the offsets in the constant and mutable
// segments, whether delegates are inside the flatbuffer; and, while nothing in front of it changes its size, each segment's place.
//
// Ownership: values; ropes keep their sources open.  Thread rule: const calls may run at the same time.
#ifndef PTE_CONTENTS_H_
#define PTE_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pte/bytes.h"
#include "pte/export.h"
#include "pte/file_backed_data.h"
#include "pte/named_data_store.h"
#include "pte/rope.h"
#include "pte/schema.h"

namespace pte {

// The pieces that one segment is cut into: constants, or the initial state of mutable buffers. Tensors name them by index; index 0 is
// reserved for "no data" and added by the writer, so that item i of the list is index i + 1.
class PTE_EXPORT SubsegmentList {
 public:
  void push_back(Rope piece) { added_.push_back(std::move(piece)); }

  size_t size() const { return kept_count() + added_.size(); }
  bool empty() const { return size() == 0; }

  // The bytes of item i, which must be below size(). One that was read from a file carries the padding behind it.
  Rope operator[](size_t i) const;

  // Gives item i, which must be below size(), other bytes. All items read from a file are then placed anew.
  void Set(size_t i, Rope piece);

  void clear();

 private:
  friend struct ContentsAccess;
  size_t kept_count() const { return kept_offsets_.empty() ? 0 : kept_offsets_.size() - 1; }

  // A segment as read, with its offsets, placeholder included; items added later follow it.
  Rope kept_;
  std::vector<uint64_t> kept_offsets_;
  std::optional<uint32_t> kept_segment_;
  std::vector<Rope> added_;
};

// The bytes that a backend was given for one delegate or several.
class PTE_EXPORT DelegatePayload {
 public:
  enum class Placement : uint8_t {
    kByOptions,  // as LayoutOptions::inline_delegates says; a payload without bytes is always inline
    kInline,     // inside the flatbuffer
    kSegment,
  };

  DelegatePayload(Bytes bytes) : DelegatePayload(Rope(std::move(bytes))) {}        // NOLINT: implicit on purpose
  DelegatePayload(const FileBackedData& data) : DelegatePayload(data.AsRope()) {}  // NOLINT
  DelegatePayload(Rope bytes, Placement placement = Placement::kByOptions)         // NOLINT
      : bytes_(std::move(bytes)), placement_(placement) {}

  const Rope& bytes() const { return bytes_; }
  Placement placement() const { return placement_; }

 private:
  friend struct ContentsAccess;
  Rope bytes_;
  Placement placement_;
  std::optional<uint32_t> kept_segment_;
};

// The segments of the file that contents were read from.
class PTE_EXPORT KeptSegments {
 private:
  friend struct ContentsAccess;
  struct Item {
    Rope bytes;
    uint64_t offset = 0;     // from the segment base
    uint64_t alignment = 1;  // that its place in the file had
    bool is_unused = false;  // nothing refers to it
  };
  std::vector<Item> items_;
  uint64_t base_alignment_ = 1;
  // Of what was inside the flatbuffer.
  uint64_t constant_alignment_ = 1;
  uint64_t delegate_alignment_ = 1;
};

struct PteContents {
  // Without payloads: constant_buffer, backend_delegate_data, segments, constant_segment, mutable_data_segments and named_data are empty
  // here; the members below are their only source. Every delegate's `processed` is INLINE and its index one of delegate_payloads.
  fb::ProgramT program = {};

  SubsegmentList constants = {};
  SubsegmentList mutable_data = {};

  // Equal payloads share a segment; delegates may share a payload too. One that no delegate refers to is written all the same.
  std::vector<DelegatePayload> delegate_payloads = {};

  // Entries with an external tag go to .ptd files of their own: see SaveProgramAndData.
  NamedDataStore named_data = {};

  KeptSegments kept = {};
};

struct PtdContents {
  // All entries are written, whatever their external tag.
  NamedDataStore named_data = {};

  KeptSegments kept = {};
};

struct ToContentsOptions {
  // A file of a newer exporter may hold fields that this library does not know; a rewrite would lose them, so it is refused
  // (kUnimplemented) unless this is set. Values and instructions of unknown types then become ones without a type, in their places.
  bool drop_unknown_fields = false;
};

}  // namespace pte

#endif  // PTE_CONTENTS_H_
