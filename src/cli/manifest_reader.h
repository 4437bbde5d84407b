// What `pack --from` takes from a folder that `extract` wrote.
#ifndef PTE_SRC_CLI_MANIFEST_READER_H_
#define PTE_SRC_CLI_MANIFEST_READER_H_

#include <filesystem>
#include <vector>

#include "absl/status/statusor.h"
#include "src/cli/inputs.h"

namespace pte::cli {

// The named data in the manifest of `folder`. All their files have been read and are what was extracted.
//   kDataLoss         the manifest cannot be understood, or a file is not what was extracted
//   kInvalidArgument  it lists payloads, but no named data
//   kUnimplemented    of another version
//   others            from reading
absl::StatusOr<std::vector<Input>> ReadManifest(const std::filesystem::path& folder);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_MANIFEST_READER_H_
