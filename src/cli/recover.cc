#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "pte/recover.h"
#include "src/cli/errors.h"
#include "src/cli/json.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte recover model.pte      undo or finish the move that was interrupted
  pte recover models         the same for every file in a folder
  pte recover models --list  only say which files have one

Nothing is lost by an interrupted move: until it is recovered, every engine is complete at its own path, or its bytes are in hidden files beside
the target and the engine, which only recovering may touch.)";

struct RecoverOptions {
  std::string path;
  bool list = false;
  bool json = false;
};

std::string_view Did(Recovery recovery) {
  switch (recovery) {
    case Recovery::kNothingToDo: return "nothing to do";
    case Recovery::kUndone: return "undone";
    case Recovery::kFinished: return "finished";
  }
  return "";
}

absl::StatusOr<std::vector<std::filesystem::path>> TargetsOf(const RecoverOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(options.path, ignored)) return FindUnfinishedMoves(options.path);
  if (!options.list) return std::vector<std::filesystem::path>{options.path};
  const std::filesystem::path path(options.path);
  absl::StatusOr<std::vector<std::filesystem::path>> found = FindUnfinishedMoves(path.parent_path());
  if (found.ok()) std::erase_if(*found, [&](const std::filesystem::path& each) { return each.filename() != path.filename(); });
  return found;
}

void Tell(const std::string& file, std::string_view what, const RecoverOptions& options, Output& out, JsonStream& json) {
  if (!options.json) {
    out.Print(Escaped(file) + ": " + std::string(what) + "\n");
    return;
  }
  Json item;
  item["file"] = Text(file);
  item["recovery"] = what;
  json.Item(std::move(item));
}

// An error of one file does not keep the others from being recovered.
ExitCode RecoverOne(const std::filesystem::path& target, const RecoverOptions& options, Output& out, JsonStream& json) {
  if (options.list) {
    Tell(target.string(), "unfinished", options, out, json);
    return kYes;
  }
  const absl::StatusOr<Recovery> recovery = Recover(target);
  if (recovery.ok()) {
    Tell(target.string(), Did(*recovery), options, out, json);
    return kYes;
  }
  PrintError(recovery.status());
  if (options.json) json.Item(ErrorJson(recovery.status()));
  return kTrouble;
}

absl::StatusOr<ExitCode> RunRecover(const RecoverOptions& options, Output& out) {
  const absl::StatusOr<std::vector<std::filesystem::path>> targets = TargetsOf(options);
  if (!targets.ok()) return targets.status();
  JsonStream json(out);
  if (options.json) {
    json.BeginObject();
    json.Member("pte_json", kJsonVersion);
    json.BeginArray("files");
  }
  ExitCode worst = kYes;
  for (const std::filesystem::path& target : *targets) worst = std::max(worst, RecoverOne(target, options, out, json));
  if (options.json) {
    json.End();
    json.End();
  }
  return worst;
}

}  // namespace

Verb AddRecover(CLI::App& app) {
  auto options = std::make_shared<RecoverOptions>();
  CLI::App* command = app.add_subcommand("recover", "Undo or finish interrupted moves (--move)");
  command->add_option("OUT", options->path, "The file that was written, or a folder of such files")->required();
  command->add_flag("--list", options->list, "Only list the files with an interrupted move; one that is going on is listed too");
  command->add_flag("--json", options->json, "JSON for programs");
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunRecover(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
