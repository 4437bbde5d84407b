// manifest.json: what `extract` says about the files that it wrote.
#ifndef PTE_SRC_CLI_MANIFEST_H_
#define PTE_SRC_CLI_MANIFEST_H_

#include <string>
#include <vector>

#include "src/cli/entries.h"

namespace pte::cli {

inline constexpr char kManifestName[] = "manifest.json";

// Where an entry's bytes are, from the manifest's folder.
struct ManifestPlace {
  std::string path;
  std::string sha256;
};

// {"pte_json": 1, file, kind, entries[]}: what `ls` says about each, with "path" and "sha256". places[which[i]] is that of entries[i].
std::string ManifestText(const Container& container, const std::vector<Entry>& entries, const std::vector<ManifestPlace>& places,
                         const std::vector<size_t>& which);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_MANIFEST_H_
