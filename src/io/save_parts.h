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
#include "src/io/atomic_file.h"
#include "src/io/file_writer.h"

namespace pte {

struct OutputPart {
  Rope bytes;
  std::string_view what;  // for progress
};

// A source whose bytes equal those of a part, and that is not written.
struct AbsorbedSource {
  Rope bytes;
  size_t part = 0;
};

struct SavedParts {
  std::vector<ByteCounts> counts = {};      // how each part came into the file
  std::vector<SourceOutcome> sources = {};  // with SaveOptions::consume
};

// A complete file that has not its name yet, so that whatever else may fail can come before the one step that cannot be taken back. Without
// `file.Publish` nothing is left of it.
struct WrittenFile {
  AtomicFile file;
  SavedParts saved;
};

// The parts' sizes must add up without wrapping.
absl::StatusOr<WrittenFile> WriteBeside(std::span<const OutputPart> parts, const std::filesystem::path& path, const SaveOptions& options);

absl::StatusOr<SavedParts> WriteParts(std::span<const OutputPart> parts, ByteSink& sink, const SaveOptions& options);

uint64_t TotalSize(std::span<const OutputPart> parts);

}  // namespace pte

#endif  // PTE_SRC_IO_SAVE_PARTS_H_
