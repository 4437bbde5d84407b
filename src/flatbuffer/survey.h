// What must be known of a flatbuffer before it is unpacked into objects.
#ifndef PTE_SRC_FLATBUFFER_SURVEY_H_
#define PTE_SRC_FLATBUFFER_SURVEY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"

namespace pte {

struct SurveyOptions {
  uint64_t file_offset = 0;  // of byte 0 of the flatbuffer in the outermost file
  uint64_t max_visited = 0;  // bytes, counted per visit
  bool allow_unknown_fields = false;
};

// Goes over a verified flatbuffer as unpacking would. Byte vectors of inline constants and delegates are not counted: they are never
// unpacked.
//   kUnimplemented      a field or a union type that the schema does not know, unless they are allowed
//   kResourceExhausted  more bytes than max_visited
absl::Status SurveyFlatbuffer(std::span<const std::byte> buffer, const flatbuffers::TypeTable& root, const SurveyOptions& options);

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_SURVEY_H_
