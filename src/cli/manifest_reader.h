// What `pack --from` takes from a folder that `extract` wrote.
#ifndef PTE_SRC_CLI_MANIFEST_READER_H_
#define PTE_SRC_CLI_MANIFEST_READER_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/cli/inputs.h"
#include "src/cli/json.h"

namespace pte::cli {

// A manifest as JSON: an object of this version whose "entries" is an array.
//   kDataLoss       it is none
//   kUnimplemented  of another version
//   others          from reading
absl::StatusOr<Json> ReadManifestJson(const std::filesystem::path& manifest);

// The named data in the manifest of `folder`. All their files have been read and are what was extracted.
//   kDataLoss         the manifest cannot be understood, or a file is not what was extracted
//   kInvalidArgument  it lists payloads, but no named data
//   kUnimplemented    of another version
//   others            from reading
absl::StatusOr<std::vector<Input>> ReadManifest(const std::filesystem::path& folder);

// The same, with the manifest's text instead of that in the folder.
absl::StatusOr<std::vector<Input>> ReadManifest(const std::filesystem::path& folder, const std::string& text);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_MANIFEST_READER_H_
