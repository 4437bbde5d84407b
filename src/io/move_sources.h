// Which given files a save can move, and how.
#ifndef PTE_SRC_IO_MOVE_SOURCES_H_
#define PTE_SRC_IO_MOVE_SOURCES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/save_options.h"
#include "src/io/file_backing.h"
#include "src/io/given_file.h"
#include "src/io/journal.h"
#include "src/io/save_parts.h"
#include "src/io/target.h"

namespace pte {

// Whether a save that consumes is to survive a power cut.
inline bool IsSynced(const SaveOptions& options) { return options.durability.value_or(Durability::kSynced) == Durability::kSynced; }

// A given file, open and locked against other moves of it.
struct MoveSource {
  // The handles' shared states, and where in the output each has its bytes: one file may have been given several times.
  struct Handle {
    const GivenFile* file = nullptr;
    std::shared_ptr<const ByteSource> keep_alive;
    uint64_t offset = 0;
  };
  std::vector<Handle> handles;
  std::string path;  // absolute
  FileIdentity identity;
  uint32_t mode = 0;
  uint64_t offset = 0;       // of its bytes in the output
  bool is_absorbed = false;  // the output has the same bytes from elsewhere
  Descriptor fd = Descriptor();

  Strategy strategy = Strategy::kCopy;
  std::string reason = {};
  bool stays = false;      // is not removed
  bool is_target = false;  // is what the output replaces
  std::string why_kept = {};
};

// All movable given files among the pieces and the absorbed sources, each once, with the best strategy that each can have. Locks each file
// unless `only_look`.
//   kAborted  a file has changed since it was given, or another process is moving it
//   others    from errno
absl::StatusOr<std::vector<MoveSource>> CollectSources(std::span<const OutputPart> parts, std::span<const AbsorbedSource> absorbed,
                                                       const Target& target, const SaveOptions& options, bool only_look);

}  // namespace pte

#endif  // PTE_SRC_IO_MOVE_SOURCES_H_
