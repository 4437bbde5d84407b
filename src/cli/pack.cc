#include <utility>

#include "pte/file_backed_data.h"
#include "src/cli/inputs.h"
#include "src/cli/manifest_reader.h"
#include "src/cli/writing.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte pack -o weights.ptd linear.weight=w.bin linear.bias=b.bin
  pte pack -o weights.ptd w=w.bin --dtype w=float32 --shape w=2,3 --align w=4096
  pte pack -o weights.ptd --entry a=b file.bin      the key "a=b"
  pte pack -o again.ptd --from parts                what extract wrote: named data, layouts, alignments up to 4096

The files of --from are compared with the manifest's SHA-256 before anything is written. Files are copied and never read into memory;
equal ones are stored once.)";

struct PackOptions : WriteOptions {
  InputOptions inputs;
  std::string from;
};

absl::StatusOr<std::vector<Input>> CollectInputs(const PackOptions& options) {
  std::vector<Input> known;
  if (!options.from.empty()) {
    absl::StatusOr<std::vector<Input>> listed = ReadManifest(options.from);
    if (!listed.ok()) return listed.status();
    known = *std::move(listed);
  }
  return ReadInputs(options.inputs, std::move(known));
}

absl::StatusOr<ExitCode> RunPack(const PackOptions& options, Output& out) {
  if (options.from.empty() && options.inputs.pairs->count() == 0 && options.inputs.entries->count() == 0) {
    return absl::InvalidArgumentError("pack needs KEY=FILE, --entry or --from");
  }
  const absl::StatusOr<Target> target = PrepareWrite(options, "");
  if (!target.ok()) return target.status();
  const absl::StatusOr<std::vector<Input>> inputs = CollectInputs(options);
  if (!inputs.ok()) return inputs.status();
  PtdContents contents;
  for (const Input& input : *inputs) {
    const absl::StatusOr<FileBackedData> data = options.move ? FileBackedData::Give(input.file) : FileBackedData::Lend(input.file);
    if (!data.ok()) return data.status();
    const absl::Status added = contents.named_data.Add(input.key, *data, {input.alignment.value_or(1), input.layout(), ""});
    if (!added.ok()) return added;
  }
  return Write(std::move(contents), *target, options, out);
}

}  // namespace

Verb AddPack(CLI::App& app) {
  auto options = std::make_shared<PackOptions>();
  CLI::App* command = app.add_subcommand("pack", "Make a .ptd of files");
  AddInputOptions(*command, options->inputs);
  command->add_option("--from", options->from, "A folder that extract wrote; its named data comes first")->type_name("DIR");
  AddMove(*command, *options);
  AddWriteOptions(*command, *options);
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunPack(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
