// Reading a program or a data file and saving it again.
#ifndef PTE_TESTS_SUPPORT_REWRITE_H_
#define PTE_TESTS_SUPPORT_REWRITE_H_

#include <filesystem>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/layout.h"
#include "pte/named_data_store.h"
#include "pte/save.h"

namespace pte::test {

// `edit` may change the named data in between.
absl::StatusOr<SaveReport> Rewrite(const std::filesystem::path& from, const std::filesystem::path& to, const LayoutOptions& layout = {},
                                   const std::function<absl::Status(NamedDataStore&)>& edit = {}, const SaveOptions& options = {});

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_REWRITE_H_
