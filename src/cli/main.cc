// The command-line tool: reads the command line, runs one verb, reports what went wrong.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "pte/schema.h"
#include "src/cli/arguments.h"
#include "src/cli/interrupt.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kDescription[] =
    "Looks into ExecuTorch's containers and changes them: programs (.pte), tensor data (.ptd) and bundled programs (.bpte).";
constexpr char kFooter[] = R"("pte help VERB" has the options of a verb and examples.
Exit codes: 0 done, or yes; 1 the answer is no; 2 trouble.)";

std::string VersionText() {
  return "pte " PTE_VERSION " (program schema " + std::to_string(kProgramVersion) + ", flat tensor schema " +
         std::to_string(kFlatTensorVersion) + ", bundled program schema " + std::to_string(kBundledProgramVersion) + ")";
}

Verb AddHelp(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Explain a verb");
  command->add_option("VERB", *name, "The verb; none for a list of all");
  const auto run = [&app, name](Output& out) -> absl::StatusOr<ExitCode> {
    if (name->empty()) {
      // App::help would explain the verb that was read: help itself.
      out.Print(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
      return kYes;
    }
    const std::vector<CLI::App*> known = app.get_subcommands([&](const CLI::App* each) { return each->get_name() == *name; });
    if (known.empty()) return absl::InvalidArgumentError("no such verb: " + *name + "; \"pte help\" lists them");
    out.Print(known.front()->help(app.get_name()));
    return kYes;
  };
  return {command, run, [] { return false; }};
}

// The usage error that a command line which cannot be read is; help and --version are no errors.
ExitCode AnswerParseError(const CLI::App& app, const CLI::ParseError& error, bool json, Output& out) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    const bool is_version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
    out.Print(is_version ? VersionText() + "\n" : app.help());
    return kYes;
  }
  ReportError(absl::InvalidArgumentError(std::string(error.what()) + "; see \"pte help\""), json, out);
  return kTrouble;
}

// What the verb answers. A reader that has closed the pipe wanted no more: that is no trouble.
ExitCode RunVerb(const Verb& verb, Output& out) {
  const absl::StatusOr<ExitCode> answer = verb.run(out);
  if (answer.ok()) return *answer;
  if (out.closed_by_reader()) return kYes;
  if (out.ok()) ReportError(answer.status(), verb.wants_json(), out);
  return kTrouble;
}

// A word that is no verb, where CLI11 would only miss one.
void CheckVerb(const CLI::App& app, int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word.empty() || word.starts_with('-')) return;
  const auto has_name = [&](const CLI::App* each) { return each->get_name() == word; };
  if (app.get_subcommands(has_name).empty()) throw CLI::ParseError("no such verb: " + std::string(word), CLI::ExitCodes::ExtrasError);
}

ExitCode ParseAndRun(int argc, char** argv, Output& out) {
  CLI::App app(kDescription, "pte");
  app.footer(kFooter);
  app.set_version_flag("--version", VersionText(), "The version, and the schema versions that it knows");
  app.require_subcommand(1);
  std::vector<Verb> verbs = {AddInfo(app), AddLs(app),  AddDump(app), AddCat(app),     AddVerify(app), AddExtract(app),
                             AddPack(app), AddAdd(app), AddRm(app),   AddRecover(app), AddHelp(app)};
  TakeMarksOff(app);
  try {
    CheckVerb(app, argc, argv);
    app.parse(MarkedArguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    const bool json = std::any_of(argv, argv + argc, [](const char* arg) { return std::string_view(arg) == "--json"; });
    return AnswerParseError(app, error, json, out);
  }
  const auto verb = std::find_if(verbs.begin(), verbs.end(), [](const Verb& each) { return each.command->parsed(); });
  return RunVerb(*verb, out);
}

ExitCode Run(int argc, char** argv) {
  Output out;
  const ExitCode answer = ParseAndRun(argc, argv, out);
  const absl::Status written = out.Finish();
  EndIfInterrupted();
  if (written.ok()) return answer;
  PrintError(written);
  return kTrouble;
}

}  // namespace
}  // namespace pte::cli

int main(int argc, char** argv) {
  // So that writing to a closed pipe, or beyond the limit for file sizes, returns an error that can be told from others.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return pte::cli::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("pte: not enough memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pte: %s\n", pte::cli::Escaped(error.what()).c_str());
  }
  return pte::cli::kTrouble;
}
