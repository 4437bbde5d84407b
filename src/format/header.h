// Judging the head of a container: pure, on the bytes that one read got and the size of the file.
#ifndef PTE_SRC_FORMAT_HEADER_H_
#define PTE_SRC_FORMAT_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/finding.h"
#include "pte/header.h"

namespace pte {

// `head` is the first min(wire::kHeadSize, file_size) bytes. Codes as ReadContainerHeader. It is the two functions below in one.
absl::StatusOr<ContainerHeader> ParseHeader(std::span<const std::byte> head, uint64_t file_size, std::vector<Finding>* notes);

// Everything that must hold before the flatbuffer can be read; the fields of the segment frame are as found.
absl::StatusOr<ContainerHeader> ParseFlatbufferFrame(std::span<const std::byte> head, uint64_t file_size, std::vector<Finding>* notes);
// Where the segments begin and end: after the flatbuffer and inside the file.
absl::Status CheckSegmentFrame(const ContainerHeader& header, std::vector<Finding>* notes);

// The kind that the identifier names, in whichever version.
std::optional<ContainerKind> KindOf(std::span<const std::byte> head);

}  // namespace pte

#endif  // PTE_SRC_FORMAT_HEADER_H_
