#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/cli/entries.h"
#include "src/cli/file_names.h"
#include "src/cli/folder.h"
#include "src/cli/interrupt.h"
#include "src/cli/manifest.h"
#include "src/cli/progress.h"
#include "src/cli/report.h"
#include "src/cli/sha256.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte extract model.pte -o parts                    every payload
  pte extract weights.ptd -o parts --match '*.bias' named data whose key matches
  pte pack --from parts -o again.ptd                the way back

Files are DIR/ROLE/NAME. NAME is the key, METHOD-N of a delegate, METHOD-CASE-input-N of a test tensor, else the index; bytes other than
letters, digits, "_", "-" and inner dots are %XX. Names above 200 characters are cut and end in "~" and a hash, names taken already in "~2".
Payloads at the same place of FILE share a file, named for the first. DIR/manifest.json has what ls --json says, with "path" and "sha256".
After an error or an interrupt nothing is left.)";

struct ExtractOptions : ReadOptions {
  std::string folder;
  std::optional<std::string> match;
  bool dry_run = false;
  bool verbose = false;
};

// One file to be written. Entries at the same place share one.
struct Piece {
  std::string path;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct Selection {
  std::vector<Entry> entries;
  std::vector<Piece> pieces;
  std::vector<size_t> which;  // entries[i] is pieces[which[i]]
  uint64_t total = 0;
};

std::string NameOf(const Container& container, const Entry& entry) {
  const std::string method(MethodOf(container, entry).value_or(""));
  switch (entry.role) {
    case Role::kNamed: return std::string(KeyOf(container, entry).value_or(""));
    case Role::kDelegate: return absl::StrCat(method, "-", entry.index);
    case Role::kTest: return absl::StrCat(method, "-", entry.index, entry.is_output ? "-output-" : "-input-", entry.position);
    case Role::kConstant:
    case Role::kMutable:
    case Role::kUnused: break;
  }
  return std::to_string(entry.index);
}

void AddPieces(const Container& container, Selection& selection) {
  std::map<std::pair<uint64_t, uint64_t>, size_t> places;
  std::map<Role, FileNames> names;
  for (const Entry& entry : selection.entries) {
    const auto [place, is_new] = places.try_emplace({entry.offset, entry.size}, selection.pieces.size());
    selection.which.push_back(place->second);
    if (!is_new) continue;
    const std::string name = names[entry.role].Make(NameOf(container, entry));
    selection.pieces.push_back({absl::StrCat(std::string(RoleName(entry.role)), "/", name), entry.offset, entry.size});
  }
}

// Payloads that overlap could ask for far more disk than the file takes.
absl::Status AddTotal(const Container& container, Selection& selection) {
  const uint64_t limit = container.header.file_size;
  for (const Piece& piece : selection.pieces) {
    if (piece.size > limit - selection.total) {
      return absl::ResourceExhaustedError(
          absl::StrCat(container.path, ": its payloads overlap: extracting them would write more than the file's ", limit, " bytes"));
    }
    selection.total += piece.size;
  }
  return absl::OkStatus();
}

absl::StatusOr<Selection> Select(const Container& container, const ExtractOptions& options) {
  absl::StatusOr<std::vector<Entry>> entries = ListEntries(container);
  if (!entries.ok()) return entries.status();
  Selection selection;
  selection.entries = *std::move(entries);
  if (options.match) KeepMatching(container, *options.match, selection.entries);
  AddPieces(container, selection);
  const absl::Status bounded = AddTotal(container, selection);
  if (!bounded.ok()) return bounded;
  return selection;
}

Strategy MostUsed(const SaveReport& saved) {
  const uint64_t most = std::max({saved.bytes_written, saved.bytes_copied, saved.bytes_cloned});
  if (most == saved.bytes_written) return Strategy::kWrite;
  return most == saved.bytes_copied ? Strategy::kCopy : Strategy::kClone;
}

class Extractor {
 public:
  Extractor(const Container& container, const Selection& selection, const ExtractOptions& options)
      : container_(container), selection_(selection), folder_(options.folder), line_(options.folder) {
    report_.file = options.folder;
    report_.size = selection.total;
  }

  absl::StatusOr<WriteReport> Run() {
    const absl::Status made = folder_.Make();
    if (!made.ok()) return made;
    for (const Piece& piece : selection_.pieces) {
      const absl::Status saved = SavePiece(piece);
      if (!saved.ok()) return saved;
    }
    const std::string manifest = ManifestText(container_, selection_.entries, places_, selection_.which);
    const absl::Status saved = Save(kManifestName, Rope(Bytes::Borrow(manifest)), done_).status();
    if (!saved.ok()) return saved;
    ReportEntries();
    folder_.Keep();
    return std::move(report_);
  }

 private:
  absl::Status SavePiece(const Piece& piece) {
    Rope bytes;
    const absl::Status in_file = bytes.Append(container_.source, piece.offset, piece.size);
    if (!in_file.ok()) return in_file;
    // Each byte is read twice: to be hashed, then to be copied.
    const absl::StatusOr<std::string> hash =
        Sha256(bytes, [&](uint64_t seen) { line_.Show(piece.path, done_ + seen / 2, selection_.total); });
    if (!hash.ok()) return hash.status();
    const absl::StatusOr<SaveReport> saved = Save(piece.path, bytes, done_ + piece.size / 2);
    if (!saved.ok()) return saved.status();
    done_ += piece.size;
    places_.push_back({piece.path, *hash});
    strategies_.push_back(MostUsed(*saved));
    report_.bytes_written += saved->bytes_written;
    report_.bytes_copied += saved->bytes_copied;
    report_.bytes_cloned += saved->bytes_cloned;
    return absl::OkStatus();
  }

  // `before` is how far all was when it began.
  absl::StatusOr<SaveReport> Save(const std::string& path, const Rope& bytes, uint64_t before) {
    SaveOptions save;
    save.if_exists = IfExists::kFail;
    save.progress = [&](const Progress& progress) {
      line_.Show(path, before + progress.done / 2, selection_.total);
      return !Interrupted();
    };
    absl::StatusOr<SaveReport> saved = folder_.Save(path, bytes, save);
    if (Interrupted() && absl::IsCancelled(saved.status())) return CheckInterrupted();
    return saved;
  }

  void ReportEntries() {
    for (size_t i = 0; i < selection_.entries.size(); ++i) {
      const Entry& entry = selection_.entries[i];
      const size_t piece = selection_.which[i];
      const std::optional<std::string_view> key = KeyOf(container_, entry);
      report_.payloads.push_back({RoleName(entry.role), key ? std::optional(std::string(*key)) : std::nullopt, places_[piece].path,
                                  entry.offset, entry.size, strategies_[piece]});
    }
  }

  const Container& container_;
  const Selection& selection_;
  Folder folder_;
  ProgressLine line_;
  uint64_t done_ = 0;
  std::vector<ManifestPlace> places_;
  std::vector<Strategy> strategies_;
  WriteReport report_;
};

void PrintPlan(const Selection& selection, const ExtractOptions& options, Output& out) {
  constexpr size_t kSize = 10;
  for (size_t i = 0; i < selection.pieces.size() && out.ok(); ++i) {
    const Piece& piece = selection.pieces[i];
    out.Print(absl::StrCat(RightColumn(SizeText(piece.size, options.exact), kSize), "  ", piece.path, "\n"));
  }
  out.Print(absl::StrCat("extra disk needed: ", SizeText(selection.total, options.exact), "\n"));
}

void PrintPlanJson(const Selection& selection, const ExtractOptions& options, Output& out) {
  JsonStream json(out);
  json.BeginObject();
  json.Member("pte_json", kJsonVersion);
  json.Member("file", Text(options.folder));
  json.Member("extra_disk", selection.total);
  json.BeginArray("files");
  for (size_t i = 0; i < selection.pieces.size() && out.ok(); ++i) {
    Json item;
    item["path"] = selection.pieces[i].path;
    item["offset"] = selection.pieces[i].offset;
    item["size"] = selection.pieces[i].size;
    json.Item(item);
  }
  json.End();
  json.End();
}

absl::StatusOr<WriteReport> WriteFiles(const Container& container, const Selection& selection, const ExtractOptions& options) {
  const InterruptGuard guard;
  return Extractor(container, selection, options).Run();
}

absl::StatusOr<ExitCode> RunExtract(const ExtractOptions& options, Output& out) {
  const absl::Status empty = CheckEmpty(options.folder);
  if (!empty.ok()) return empty;
  const absl::StatusOr<Container> container = OpenContainer(options.file, options.open());
  if (!container.ok()) return container.status();
  const absl::StatusOr<Selection> selection = Select(*container, options);
  if (!selection.ok()) return selection.status();
  if (options.dry_run) {
    options.json ? PrintPlanJson(*selection, options, out) : PrintPlan(*selection, options, out);
    return kYes;
  }
  const absl::StatusOr<WriteReport> report = WriteFiles(*container, *selection, options);
  if (!report.ok()) return report.status();
  if (options.json) PrintReportJson(*report, out);
  if (options.verbose) PrintSummary(*report, options.exact);
  return kYes;
}

}  // namespace

Verb AddExtract(CLI::App& app) {
  auto options = std::make_shared<ExtractOptions>();
  CLI::App* command = app.add_subcommand("extract", "Write every payload to a file of its own, with a manifest");
  AddFile(*command, options->file);
  command->add_option("-o,--out", options->folder, "The folder to write; empty or new")->type_name("DIR")->required();
  command->add_option("--match", options->match, "Only named data whose key matches this pattern, as in a shell")->type_name("GLOB");
  command->add_flag("--dry-run", options->dry_run, "Write nothing; show the files, and the disk they take");
  command->add_flag("-v,--verbose", options->verbose, "A summary on standard error");
  command->add_flag("--bytes", options->exact, "Exact sizes");
  command->add_flag("--json", options->json, "JSON for programs");
  AddAllowNewer(*command, options->allow_newer);
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunExtract(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
