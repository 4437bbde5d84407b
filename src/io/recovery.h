// Locking a target, and finishing what a process that died left there.
#ifndef PTE_SRC_IO_RECOVERY_H_
#define PTE_SRC_IO_RECOVERY_H_

#include <cstdint>
#include <filesystem>

#include "absl/status/statusor.h"
#include "pte/save_options.h"
#include "src/io/journal.h"
#include "src/io/target.h"

namespace pte {

struct LockedTarget {
  Target target;
  TargetLock lock;
};

// The lock may be one that holds nothing, where the system has none. With it, an interrupted move to the target has been undone, and the
// work files of the dead are gone.
//   kAborted            another save to the target is going on; or an interrupted move to it was finished just now, and it holds the only
//   copy
//                       of what was moved: only a further call replaces it
//   kAlreadyExists      the target is there, and `if_exists` is kFail
//   kResourceExhausted  `size` bytes are more than the system lets this process write into a file
//   kDataLoss           a journal that is damaged, or that does not fit what stands beside it
//   others              as ResolveTarget, or from errno
absl::StatusOr<LockedTarget> LockTarget(const std::filesystem::path& path, uint64_t size, IfExists if_exists);

enum class OldMove : uint8_t { kNone, kUndone, kFinished };

// Undoes or finishes the move that the target's journal names. The target's lock must be held.
absl::StatusOr<OldMove> RecoverMove(const Target& target);

}  // namespace pte

#endif  // PTE_SRC_IO_RECOVERY_H_
