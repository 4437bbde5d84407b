#include <utility>

#include "absl/strings/str_cat.h"
#include "pte/file_backed_data.h"
#include "src/cli/inputs.h"
#include "src/cli/text.h"
#include "src/cli/writing.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte add model.pte -o new.pte tokenizer=tokenizer.json
  pte add model.pte --in-place engine=engine.plan --align engine=4096
  pte add model.pte -o new.pte --replace lora=lora.bin
  pte add model.pte --in-place --move engine=engine.plan   engine.plan becomes part of model.pte; nothing is copied
  pte add weights.ptd -o new.ptd w=w.bin --dtype w=float32 --shape w=2,3
  pte add model.pte -o new.pte --entry a=b file.bin   the key "a=b"

A key that is replaced keeps its alignment and layout where no option says otherwise. FILE's other payloads are copied as they are. FILE
itself changes only with --in-place.)";

struct AddOptions : WriteOptions {
  std::string file;
  InputOptions inputs;
  bool replace = false;
  bool drop_unknown_fields = false;
};

// What the key had before, where nothing new is said.
absl::Status ReplaceEntry(NamedDataStore& store, const Input& input, const FileBackedData& data) {
  if (!input.layout() && !input.alignment) return store.Replace(input.key, data);
  // A copy, since its entry goes before the new one comes.
  const NamedDataEntry old = *store.Find(input.key);
  const absl::Status removed = store.Remove(input.key);
  if (!removed.ok()) return removed;
  return store.Add(input.key, data,
                   {input.alignment.value_or(old.alignment()), input.layout() ? input.layout() : old.tensor_layout(), old.external_tag()});
}

absl::Status AddInput(const AddOptions& options, const Input& input, Contents& contents) {
  NamedDataStore& store = NamedDataOf(contents);
  const bool exists = store.Find(input.key) != nullptr;
  if (exists && !options.replace) {
    return absl::AlreadyExistsError(absl::StrCat(options.file, ": key ", Name(input.key), " exists; --replace replaces it"));
  }
  if (input.layout() && std::holds_alternative<PteContents>(contents)) {
    return absl::InvalidArgumentError(absl::StrCat(options.file, ": --dtype and --shape: a program stores no layouts of named data"));
  }
  const absl::StatusOr<FileBackedData> data = options.move ? FileBackedData::Give(input.file) : FileBackedData::Lend(input.file);
  if (!data.ok()) return data.status();
  if (exists) return ReplaceEntry(store, input, *data);
  return store.Add(input.key, *data, {input.alignment.value_or(1), input.layout(), ""});
}

absl::StatusOr<ExitCode> RunAdd(const AddOptions& options, Output& out) {
  const absl::StatusOr<Target> target = PrepareWrite(options, options.file);
  if (!target.ok()) return target.status();
  const absl::StatusOr<std::vector<Input>> inputs = ReadInputs(options.inputs, {});
  if (!inputs.ok()) return inputs.status();
  if (inputs->empty()) return absl::InvalidArgumentError("add needs KEY=FILE or --entry");
  const absl::StatusOr<Container> container = OpenContainer(options.file, OpenOptions{});
  if (!container.ok()) return container.status();
  absl::StatusOr<Contents> contents = ContentsOf(*container, {options.drop_unknown_fields});
  if (!contents.ok()) return contents.status();
  for (const Input& input : *inputs) {
    const absl::Status added = AddInput(options, input, *contents);
    if (!added.ok()) return added;
  }
  return Write(*contents, *target, options, out);
}

}  // namespace

Verb AddAdd(CLI::App& app) {
  auto options = std::make_shared<AddOptions>();
  CLI::App* command = app.add_subcommand("add", "Add named data to a .pte or .ptd");
  AddChangedFile(*command, options->file);
  AddInputOptions(*command, options->inputs);
  command->add_flag("--replace", options->replace, "Give keys that exist other bytes; without it they are an error");
  AddMove(*command, *options);
  AddInPlace(*command, *options);
  AddWriteOptions(*command, *options);
  AddDropUnknownFields(*command, options->drop_unknown_fields);
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunAdd(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
