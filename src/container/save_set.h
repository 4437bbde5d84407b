// What saving one container and saving a set share.
#ifndef PTE_SRC_CONTAINER_SAVE_SET_H_
#define PTE_SRC_CONTAINER_SAVE_SET_H_

#include <filesystem>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/save.h"
#include "src/container/build.h"

namespace pte {

absl::StatusOr<SaveReport> SaveBuilt(const BuiltContainer& built, const std::filesystem::path& path, const SaveOptions& options);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_SAVE_SET_H_
