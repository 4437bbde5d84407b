// A flatbuffer as JSON, by its schema.
#ifndef PTE_SRC_FLATBUFFER_JSON_H_
#define PTE_SRC_FLATBUFFER_JSON_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "flatbuffers/flatbuffers.h"
#include "pte/segment.h"
#include "src/flatbuffer/json_writer.h"

namespace pte {

// Of a payload, in lower-case hexadecimal.
struct PayloadDigests {
  std::string xxh3_64;
  std::string sha256;
};

struct JsonOptions {
  uint64_t file_offset = 0;  // of byte 0 of the flatbuffer in the outermost file
  uint64_t max_visited = 0;  // bytes, counted per visit

  // Digests of `size` bytes from `offset` in the outermost file; empty where none are wanted.
  std::function<absl::StatusOr<PayloadDigests>(uint64_t offset, uint64_t size)> digest = {};
  std::span<const Segment> segments = {};  // whose digests stand beside their rows
};

// Writes the root table of a verified flatbuffer as one value. Byte vectors are summarised by place and size, and never read.
absl::Status WriteFlatbufferJson(std::span<const std::byte> buffer, const flatbuffers::TypeTable& root, const JsonOptions& options,
                                 JsonWriter& out);

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_JSON_H_
