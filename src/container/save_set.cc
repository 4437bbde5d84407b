#include "src/container/save_set.h"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/container/named_data_state.h"
#include "src/io/file_backing.h"
#include "src/io/memory.h"
#include "src/io/save_parts.h"
#include "src/io/target.h"

namespace pte {
namespace {

constexpr char kDataEnding[] = ".ptd";

// The external tags, in the order of their first keys.
std::vector<std::string> TagsOf(const NamedDataStore& store) {
  std::vector<std::string> tags;
  std::set<std::string_view> seen;
  for (const NamedDataEntry& entry : store.entries()) {
    if (!entry.external_tag().empty() && seen.insert(entry.external_tag()).second) tags.push_back(entry.external_tag());
  }
  return tags;
}

// One file of the set.
struct Artefact {
  std::filesystem::path path;
  std::function<absl::StatusOr<SaveReport>()> save;
};

class Set {
 public:
  Set(const std::filesystem::path& path, const SaveOptions& options) : folder_(path.parent_path()), options_(options) {}

  // `bytes` is what `save` will read.
  absl::Status Add(const std::string& file_name, std::span<const OutputPart> bytes,
                   std::function<absl::StatusOr<SaveReport>(const std::filesystem::path&)> save) {
    if (!IsPlainFileName(file_name)) return absl::InvalidArgumentError(absl::StrCat("\"", file_name, "\" is no plain file name"));
    const std::filesystem::path path = folder_ / file_name;
    PTE_ASSIGN_OR_RETURN(const Target target, ResolveTarget(path));
    for (const OutputPart& part : bytes) PTE_RETURN_IF_ERROR(CheckLent(part.bytes, file_name));
    if (!places_.insert(PlaceOf(target)).second) {
      return absl::InvalidArgumentError(absl::StrCat("\"", file_name, "\": two files of the set would be saved to ", target.path));
    }
    if (target.old_file && options_.if_exists == IfExists::kFail) {
      return TargetExists(path.string());
    }
    artefacts_.push_back({path, [path, save = std::move(save)] { return save(path); }});
    return absl::OkStatus();
  }

  absl::StatusOr<SaveSetReport> Save() const {
    SaveSetReport report;
    for (const Artefact& artefact : artefacts_) {
      absl::StatusOr<SaveReport> saved = artefact.save();
      if (!saved.ok()) return WithName(saved.status(), Standing(report));
      report.files.push_back(*std::move(saved));
    }
    return report;
  }

 private:
  // A file lent by its name must not be one that an earlier save of the set replaces: its bytes would be gone. An open file keeps them.
  absl::Status CheckLent(const Rope& rope, const std::string& file_name) const {
    if (places_.empty()) return absl::OkStatus();
    for (const Rope::Piece& piece : rope.pieces()) {
      const auto* range = std::get_if<Rope::SourceRange>(&piece);
      if (range == nullptr) continue;
      PTE_ASSIGN_OR_RETURN(const std::optional<FileRange> file, OpenFileRange(*range->source, range->offset, range->length));
      if (!file || !file->owned.is_open()) continue;
      PTE_ASSIGN_OR_RETURN(const Target lent, ResolveTarget(file->name));
      if (!places_.contains(PlaceOf(lent))) continue;
      return absl::InvalidArgumentError(absl::StrCat("\"", file_name, "\" takes bytes from ", file->name,
                                                     ", lent by its name, which is replaced before; save it first, or open the file"));
    }
    return absl::OkStatus();
  }

  static std::string Standing(const SaveSetReport& report) {
    if (report.files.empty()) return "nothing was saved";
    std::string text = "saved and complete:";
    for (const SaveReport& file : report.files) absl::StrAppend(&text, " ", file.path.string());
    return absl::StrCat(text, "; not saved");
  }

  std::filesystem::path folder_;
  const SaveOptions& options_;
  std::set<TargetPlace> places_;
  std::vector<Artefact> artefacts_;
};

absl::StatusOr<SaveSetReport> SaveSet(const PteContents& contents, const std::filesystem::path& path, const LayoutOptions& layout,
                                      const SaveOptions& options, const std::vector<SideArtefact>& side_artefacts) {
  Set set(path, options);
  PTE_ASSIGN_OR_RETURN(const BuiltContainer program, BuildPte(contents, layout));
  PTE_RETURN_IF_ERROR(
      set.Add(path.filename().string(), program.parts, [&](const std::filesystem::path& to) { return SaveBuilt(program, to, options); }));
  const std::vector<std::string> tags = TagsOf(contents.named_data);
  std::vector<PtdContents> data(tags.size());
  std::vector<BuiltContainer> built(tags.size());
  for (size_t i = 0; i < tags.size(); ++i) {
    if (!IsPlainFileName(tags[i])) return absl::InvalidArgumentError(absl::StrCat("external tag: \"", tags[i], "\" is no plain file name"));
    data[i].named_data = StoreAccess::WithTag(contents.named_data, tags[i]);
    PTE_ASSIGN_OR_RETURN(built[i], BuildPtd(data[i], layout));
    PTE_RETURN_IF_ERROR(set.Add(tags[i] + kDataEnding, built[i].parts,
                                [&built, &options, i](const std::filesystem::path& to) { return SaveBuilt(built[i], to, options); }));
  }
  for (const SideArtefact& side : side_artefacts) {
    const OutputPart part{side.bytes, side.file_name};
    PTE_RETURN_IF_ERROR(set.Add(side.file_name, {&part, 1},
                                [&side, &options](const std::filesystem::path& to) { return SaveBytes(side.bytes, to, options); }));
  }
  return set.Save();
}

}  // namespace

absl::StatusOr<SaveSetReport> SaveProgramAndData(const PteContents& contents, const std::filesystem::path& path,
                                                 const LayoutOptions& layout, const SaveOptions& options,
                                                 const std::vector<SideArtefact>& side_artefacts) {
  return WithoutThrowing([&] { return SaveSet(contents, path, layout, options, side_artefacts); });
}

}  // namespace pte
