// The hidden file that becomes a target by renaming.
#ifndef PTE_SRC_IO_WORK_FILE_H_
#define PTE_SRC_IO_WORK_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "src/io/descriptor.h"
#include "src/io/target.h"

namespace pte {

struct WorkFile {
  Descriptor fd;
  std::string path;
};

// The mode bits that a file passes on to the one that replaces it: not those that lend the owner's rights, who may be another now.
inline constexpr uint32_t kPlainModeBits = 0777;

// A new one, of a name that nobody can guess; never more open to others than the file that it will replace.
absl::StatusOr<WorkFile> CreateWorkFile(const Target& target);

// Removes those of savers to this target that died, and the journals that they had not put in place. Its lock must be held.
void RemoveLeftovers(const Target& target);

}  // namespace pte

#endif  // PTE_SRC_IO_WORK_FILE_H_
