#include "src/cli/info.h"

#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte info model.pte                    one screen: methods, backends, operators, where the bytes are
  pte info --bytes model.pte            exact sizes; the parts add up to the file's size
  pte info --json model.pte | jq '.methods[].inputs'

[<=4, 8] are sizes of which only the upper bound is known. planned_memory in JSON lists the buffers from memory id 1 on.
Reads the head and the flatbuffer only, whatever the file's size.)";

absl::Status ChargeSuites(const Container& container) {
  constexpr uint64_t kSuiteCost = 64;  // beside its name
  Budget budget(container);
  for (const TestSuite& suite : container.bundle->suites()) {
    absl::Status charged = budget.Charge(kSuiteCost + suite.method_name.size());
    if (!charged.ok()) return charged;
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> RunInfo(const ReadOptions& options, Output& out) {
  const absl::StatusOr<Container> container = OpenContainer(options.file, options.open());
  if (!container.ok()) return container.status();
  absl::StatusOr<std::vector<Method>> methods = std::vector<Method>();
  if (container->program) methods = SummarizeMethods(*container);
  if (!methods.ok()) return methods.status();
  const absl::Status suites = container->bundle ? ChargeSuites(*container) : absl::OkStatus();
  if (!suites.ok()) return suites;
  if (options.json) {
    PrintInfoJson(*container, *methods, out);
  } else {
    PrintInfoText(*container, *methods, options.exact, out);
  }
  return kYes;
}

uint64_t WithoutPlaceholder(size_t count) { return count == 0 ? 0 : count - 1; }

}  // namespace

Counts CountsOf(const PteFile& file) {
  return {file.segments().size(), file.named_data().size(), WithoutPlaceholder(file.constant_count()),
          WithoutPlaceholder(file.mutable_data_count())};
}

Counts CountsOf(const PtdFile& file) { return {file.segments().size(), file.entries().size(), 0, 0}; }

Verb AddInfo(CLI::App& app) {
  auto options = std::make_shared<ReadOptions>();
  CLI::App* command = app.add_subcommand("info", "Say what is inside and what it weighs");
  AddFile(*command, options->file);
  command->add_flag("--bytes", options->exact, "Exact sizes");
  command->add_flag("--json", options->json, "JSON for programs");
  AddAllowNewer(*command, options->allow_newer);
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunInfo(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
