#include <set>

#include "absl/strings/str_cat.h"
#include "src/cli/arguments.h"
#include "src/cli/text.h"
#include "src/cli/writing.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte rm model.pte tokenizer -o smaller.pte
  pte rm weights.ptd --in-place linear.weight linear.bias
  pte rm model.pte -o new.pte -- -key               a key that begins with a dash

The other payloads are copied as they are; one that other keys share stays. Exit code 1, and nothing is written, where a key is absent.)";

struct RmOptions : WriteOptions {
  std::string file;
  const CLI::Option* keys = nullptr;
  bool drop_unknown_fields = false;
};

// OK where all are there.
absl::Status CheckKeys(const std::string& file, const std::set<std::string>& keys, const NamedDataStore& store) {
  std::string absent;
  for (const std::string& key : keys) {
    if (store.Find(key) == nullptr) absl::StrAppend(&absent, absent.empty() ? "" : ", ", "\"", Escaped(key), "\"");
  }
  return absent.empty() ? absl::OkStatus() : absl::NotFoundError(absl::StrCat(file, ": no named data with key ", absent));
}

absl::StatusOr<ExitCode> RunRm(const RmOptions& options, Output& out) {
  const absl::StatusOr<Target> target = PrepareWrite(options, options.file);
  if (!target.ok()) return target.status();
  const absl::StatusOr<Container> container = OpenContainer(options.file, OpenOptions{});
  if (!container.ok()) return container.status();
  absl::StatusOr<Contents> contents = ContentsOf(*container, {options.drop_unknown_fields});
  if (!contents.ok()) return contents.status();
  NamedDataStore& store = NamedDataOf(*contents);
  const std::set<std::string> keys(options.keys->results().begin(), options.keys->results().end());
  const absl::Status present = CheckKeys(options.file, keys, store);
  if (!present.ok()) {
    ReportError(present, options.json, out);
    return kNo;
  }
  for (const std::string& key : keys) {
    const absl::Status removed = store.Remove(key);
    if (!removed.ok()) return removed;
  }
  return Write(*contents, *target, options, out);
}

}  // namespace

Verb AddRm(CLI::App& app) {
  auto options = std::make_shared<RmOptions>();
  CLI::App* command = app.add_subcommand("rm", "Remove named data from a .pte or .ptd");
  AddChangedFile(*command, options->file);
  options->keys = TakesTheRest(command->add_option("KEY", "Keys of named data")->required());
  AddInPlace(*command, *options);
  AddWriteOptions(*command, *options);
  AddDropUnknownFields(*command, options->drop_unknown_fields);
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunRm(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
