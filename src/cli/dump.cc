#include "pte/dump.h"

#include "src/cli/container.h"
#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte dump model.pte | less
  pte dump --payload-hash model.pte > model.json      reads every payload
  pte dump model.pte | jq '.program.execution_plan[].name'

The whole flatbuffer as JSON, with the field names of the schema; payload bytes are shown as their offset and size.)";

struct DumpVerbOptions : ReadOptions {
  bool payload_hash = false;
};

absl::StatusOr<ExitCode> RunDump(const DumpVerbOptions& options, Output& out) {
  const absl::StatusOr<Container> container = OpenContainer(options.file, options.open());
  if (!container.ok()) return container.status();
  DumpOptions dump;
  dump.payload_hash = options.payload_hash;
  dump.file_name = options.file;
  absl::Status dumped;
  if (container->bundle) {
    dumped = DumpJson(*container->bundle, out, dump);
  } else if (container->data) {
    dumped = DumpJson(*container->data, out, dump);
  } else {
    dumped = DumpJson(*container->program, out, dump);
  }
  if (!dumped.ok()) return dumped;
  return kYes;
}

}  // namespace

Verb AddDump(CLI::App& app) {
  auto options = std::make_shared<DumpVerbOptions>();
  CLI::App* command = app.add_subcommand("dump", "Print the whole flatbuffer as JSON");
  AddFile(*command, options->file);
  command->add_flag("--payload-hash", options->payload_hash, "Add XXH3-64 and SHA-256 of every payload");
  command->add_flag("--json", options->json, "No change: the answer is JSON always");
  AddAllowNewer(*command, options->allow_newer);
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunDump(*options, out); }, [] { return true; }};
}

}  // namespace pte::cli
