// Saving a file that is given in parts, and writing it to a sink.
#ifndef PTE_SRC_IO_SAVE_PARTS_H_
#define PTE_SRC_IO_SAVE_PARTS_H_

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_sink.h"
#include "pte/rope.h"
#include "pte/save_options.h"
#include "src/io/file_writer.h"

namespace pte {

struct OutputPart {
  Rope bytes;
  std::string_view what;  // for progress
};

// How each part came into the file. The parts' sizes must add up without wrapping.
absl::StatusOr<std::vector<ByteCounts>> SaveParts(std::span<const OutputPart> parts, const std::filesystem::path& path,
                                                  const SaveOptions& options);
absl::StatusOr<std::vector<ByteCounts>> WriteParts(std::span<const OutputPart> parts, ByteSink& sink, const SaveOptions& options);

}  // namespace pte

#endif  // PTE_SRC_IO_SAVE_PARTS_H_
