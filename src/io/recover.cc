#include "pte/recover.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/io/memory.h"
#include "src/io/recovery.h"
#include "src/io/target.h"
#include "src/io/work_file.h"

namespace pte {
namespace {

absl::StatusOr<Recovery> RecoverTarget(const std::filesystem::path& path) {
  PTE_ASSIGN_OR_RETURN(const Target target, ResolveTarget(path));
  PTE_ASSIGN_OR_RETURN(const TargetLock lock, TargetLock::Take(target));
  if (!lock.is_held()) {
    sys::FileStat folder;
    if (Uninterrupted([&] { return sys::StatPath(target.folder.c_str(), folder); }) != 0) {
      return FromErrno(errno, target.path, "looking for unfinished moves to it");
    }
    return absl::UnavailableError(absl::StrCat(target.path, ": cannot be locked, so nothing was touched"));
  }
  PTE_ASSIGN_OR_RETURN(const OldMove old, RecoverMove(target));
  RemoveLeftovers(target);
  switch (old) {
    case OldMove::kUndone: return Recovery::kUndone;
    case OldMove::kFinished: return Recovery::kFinished;
    case OldMove::kNone: break;
  }
  return Recovery::kNothingToDo;
}

}  // namespace

absl::StatusOr<Recovery> Recover(const std::filesystem::path& target) {
  return WithoutThrowing([&] { return RecoverTarget(target); });
}

absl::StatusOr<std::vector<std::filesystem::path>> FindUnfinishedMoves(const std::filesystem::path& folder) {
  return WithoutThrowing([&]() -> absl::StatusOr<std::vector<std::filesystem::path>> {
    PTE_ASSIGN_OR_RETURN(const std::vector<std::string> names, FindJournals(folder.empty() ? "." : folder.string()));
    std::vector<std::filesystem::path> targets;
    for (const std::string& name : names) targets.push_back(folder / name);
    return targets;
  });
}

}  // namespace pte
