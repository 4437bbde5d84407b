#include "tests/support/rewrite.h"

#include "pte/ptd_file.h"
#include "pte/pte_file.h"

namespace pte::test {
namespace {

absl::StatusOr<SaveReport> Save(const PteContents& contents, const std::filesystem::path& to, const LayoutOptions& layout,
                                const SaveOptions& options) {
  return SavePte(contents, to, layout, options);
}
absl::StatusOr<SaveReport> Save(const PtdContents& contents, const std::filesystem::path& to, const LayoutOptions& layout,
                                const SaveOptions& options) {
  return SavePtd(contents, to, layout, options);
}

template <class File>
absl::StatusOr<SaveReport> RewriteAs(const std::filesystem::path& from, const std::filesystem::path& to, const LayoutOptions& layout,
                                     const std::function<absl::Status(NamedDataStore&)>& edit, const SaveOptions& options) {
  const auto file = File::Open(from);
  if (!file.ok()) return file.status();
  auto contents = file->ToContents();
  if (!contents.ok()) return contents.status();
  const absl::Status edited = edit ? edit(contents->named_data) : absl::OkStatus();
  return edited.ok() ? Save(*contents, to, layout, options) : edited;
}

}  // namespace

absl::StatusOr<SaveReport> Rewrite(const std::filesystem::path& from, const std::filesystem::path& to, const LayoutOptions& layout,
                                   const std::function<absl::Status(NamedDataStore&)>& edit, const SaveOptions& options) {
  if (from.extension() == ".ptd") return RewriteAs<PtdFile>(from, to, layout, edit, options);
  return RewriteAs<PteFile>(from, to, layout, edit, options);
}

}  // namespace pte::test
