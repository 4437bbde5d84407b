// Saving with SaveOptions::consume: given files are moved into the output.
#ifndef PTE_SRC_IO_CONSUME_H_
#define PTE_SRC_IO_CONSUME_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "src/io/save_parts.h"

namespace pte {

absl::StatusOr<SavedParts> ConsumeParts(std::span<const OutputPart> parts, std::span<const AbsorbedSource> absorbed,
                                        const std::filesystem::path& path, const SaveOptions& options);

struct PlannedMoves {
  std::vector<SourceOutcome> sources;
  uint64_t extra_disk = 0;
};

// What ConsumeParts would do. Nothing is changed.
absl::StatusOr<PlannedMoves> PlanConsume(std::span<const OutputPart> parts, std::span<const AbsorbedSource> absorbed,
                                         const std::filesystem::path& path, const SaveOptions& options);

}  // namespace pte

#endif  // PTE_SRC_IO_CONSUME_H_
