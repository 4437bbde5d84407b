// Finishing saves with SaveOptions::consume that were interrupted: by a kill, a power cut, or an error that could not be undone.
//
//   const absl::StatusOr<std::vector<std::filesystem::path>> targets = pte::FindUnfinishedMoves("models");
//   if (!targets.ok()) return targets.status();
//   for (const std::filesystem::path& target : *targets) {
//     if (const absl::StatusOr<pte::Recovery> recovery = pte::Recover(target); !recovery.ok()) return recovery.status();
//   }
//
// Nothing but the disk is needed. A move that had not passed its commit point is undone: every given file is at its path with its bytes,
// and the target is what it was. One that had is finished: the target is complete, and the given files are gone. Recovery may itself be
// interrupted and repeated. The next save to the same target recovers it too.
//
// Thread rule: calls for different targets may run at the same time; of two for one target, the second is kAborted.
// Cost: what was left to be moved.
#ifndef PTE_RECOVER_H_
#define PTE_RECOVER_H_

#include <cstdint>
#include <filesystem>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/export.h"

namespace pte {

enum class Recovery : uint8_t {
  kNothingToDo,  // no interrupted move
  kUndone,
  kFinished,
};

// Undoes or finishes the interrupted move to `target`.
//   kAborted        a save to it, or a recovery of it, is going on; or a file has the name of one that would be put back
//   kAlreadyExists  the save was not to replace a file, and one has appeared under the target's name
//   kUnimplemented  a journal of a newer version; nothing is touched
//   kDataLoss       a journal that is damaged, or files that are not those it names; nothing is touched
//   kUnavailable    the target cannot be locked; nothing is touched
//   others          from errno; what was not done is done by the next call
PTE_EXPORT absl::StatusOr<Recovery> Recover(const std::filesystem::path& target);

// The targets in `folder` to which a move was interrupted, or is going on.
//   from errno  the folder cannot be read
PTE_EXPORT absl::StatusOr<std::vector<std::filesystem::path>> FindUnfinishedMoves(const std::filesystem::path& folder);

}  // namespace pte

#endif  // PTE_RECOVER_H_
