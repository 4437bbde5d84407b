// What opening the three kinds of container has in common.
#ifndef PTE_SRC_CONTAINER_OPEN_H_
#define PTE_SRC_CONTAINER_OPEN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_source.h"
#include "pte/bytes.h"
#include "pte/fault.h"
#include "pte/finding.h"
#include "pte/header.h"
#include "pte/options.h"
#include "pte/payload.h"
#include "pte/schema.h"
#include "pte/segment.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/flatbuffer/bundle.h"
#include "src/format/segments.h"
#include "src/io/memory.h"

namespace pte {

// The state that every open file has.
struct OpenContainer {
  std::shared_ptr<const ByteSource> source;  // of this container alone
  uint64_t file_offset = 0;                  // of its byte 0 in the outermost file
  OpenOptions options;

  std::vector<std::byte> head;
  ContainerHeader header;
  std::vector<Finding> notes;  // offsets as in the container until FinishNotes

  Bytes flatbuffer;
  ByteRange unread;                                     // bytes in it that are a payload, and show as zeros; size 0: none
  std::shared_ptr<const ByteSource> flatbuffer_source;  // the same bytes, for payloads inside them

  // Who wants to hear of every fault rather than of the first: set, opening reports its faults there and goes on where it safely can.
  std::function<void(Severity, const Fault&)> judge;

  void Note(Severity severity, const Fault& fault);
  // What an error of opening is returned with: its status, or OK once the judge has it.
  absl::Status Refuse(absl::StatusCode code, const Fault& fault);
  absl::Status Refuse(const Fault& fault) { return Refuse(absl::StatusCode::kDataLoss, fault); }
  void FinishNotes();

  // What there is to be gone over; limits grow with it.
  uint64_t MetadataSize() const { return flatbuffer.size() - unread.size; }

  // Where something in the flatbuffer stands, from the start of the container.
  uint64_t OffsetOf(const void* address) const;
  // The same of a table's field; of the table itself where the field is absent.
  uint64_t OffsetOf(const void* table, flatbuffers::voffset_t field) const;

  FixedList<Segment> segments;  // none in a bundle

  // A payload in the segments, or in the flatbuffer; the range has been checked.
  Payload PayloadAt(uint64_t offset, uint64_t size) const { return {source, offset, size, file_offset + offset}; }
  Payload SegmentAt(uint32_t index) const { return PayloadAt(segments[index].file_offset - file_offset, segments[index].size); }
  absl::StatusOr<Payload> SegmentPayload(uint32_t index) const;
  Payload InlinePayload(const flatbuffers::Vector<uint8_t>* bytes) const;
};

// Reads the head into `container`.
absl::Status ReadHead(OpenContainer& container);

// Reads and judges the head into `container`; refuses other kinds than `wanted`.
absl::Status OpenHead(std::shared_ptr<const ByteSource> source, uint64_t file_offset, ContainerKind wanted, const OpenOptions& options,
                      OpenContainer& container);

// Reads the flatbuffer into memory of its own. Bytes in `skip` are not read and show as zeros.
absl::Status ReadFlatbuffer(OpenContainer& container, std::optional<ByteRange> skip = std::nullopt);

// kUnimplemented where the version at `field` is newer than `known`, unless the options allow it.
absl::Status CheckVersion(OpenContainer& container, std::string_view rule, uint32_t version, uint32_t known, uint64_t field);

// An error of opening, with its offset in the outermost file and the source's name.
absl::Status OpeningError(const absl::Status& status, std::string_view name, uint64_t file_offset);

// Opens a container of which the kind's own checks are State::Load.
template <class State>
absl::StatusOr<std::shared_ptr<const State>> OpenState(std::shared_ptr<const ByteSource> source, uint64_t file_offset, ContainerKind kind,
                                                       const OpenOptions& options) {
  return WithoutThrowing([&]() -> absl::StatusOr<std::shared_ptr<const State>> {
    if (source == nullptr) return absl::InvalidArgumentError("no source was given to read from");
    const std::string name = source->name();
    auto state = std::make_shared<State>();
    absl::Status status = OpenHead(std::move(source), file_offset, kind, options, *state);
    if (status.ok()) status = state->Load();
    if (!status.ok()) return OpeningError(status, name, file_offset);
    state->FinishNotes();
    return std::shared_ptr<const State>(std::move(state));
  });
}

// The file offset that a judge gets for a segment that cannot be placed.
inline constexpr uint64_t kUnplaced = UINT64_MAX;

// Bounds-checks a segment table of either schema; nullptr is an empty one. A judge is told of each bad row and gets it unplaced.
template <class DataSegment>
absl::StatusOr<FixedList<Segment>> PlaceSegments(OpenContainer& container,
                                                 const flatbuffers::Vector<flatbuffers::Offset<DataSegment>>* rows) {
  if (rows == nullptr) return FixedList<Segment>();
  PTE_ASSIGN_OR_RETURN(FixedList<Segment> segments, FixedList<Segment>::WithCapacity(rows->size()));
  for (const DataSegment* row : *rows) {
    SegmentRow place{static_cast<uint32_t>(segments.size()), SegmentOffset(row->offset()), ByteCount(row->size())};
    const absl::StatusOr<FileOffset> start = PlaceSegment(container.header, place);
    if (start.ok()) {
      segments.push_back({place.index, container.file_offset + start->value(), row->size()});
      continue;
    }
    // Once more, for a message that names the fields' places.
    place.offset_field = container.OffsetOf(row, DataSegment::VT_OFFSET);
    place.size_field = container.OffsetOf(row, DataSegment::VT_SIZE);
    const absl::Status status = PlaceSegment(container.header, place).status();
    PTE_RETURN_IF_ERROR(container.Refuse(status.code(), *FaultOf(status)));
    segments.push_back({place.index, kUnplaced, row->size()});
  }
  return segments;
}

// kInvalidArgument: the caller's index.
absl::Status NoSuchIndex(const OpenContainer& container, std::string_view what, size_t index, size_t count);

// The text of an optional string; "" where it is absent.
inline std::string_view TextOf(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

// The length of an optional vector; 0 where it is absent.
template <class Element>
size_t CountOf(const flatbuffers::Vector<Element>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

inline absl::Status DataLoss(const Fault& fault) { return FaultStatus(absl::StatusCode::kDataLoss, fault); }

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_OPEN_H_
