#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "src/cli/container.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte cat weights.ptd linear.bias > bias.bin          named data
  pte cat model.pte --method forward --delegate 0     what a backend was given
  pte cat model.pte --segment 2 | xxd | head
  pte cat model.pte --constant 1                      as tensors name it by data_buffer_idx
  pte cat model.pte -- -key                           a key that begins with a dash

Exactly one of KEY, --delegate, --segment and --constant. Exit code 1 where there is no such key or method.)";

struct CatOptions : ReadOptions {
  std::string key;
  std::string method;
  uint64_t delegate = 0;
  uint64_t segment = 0;
  uint64_t constant = 0;
  // Which of them were given; options live as long as the command line.
  const CLI::Option* has_key = nullptr;
  const CLI::Option* has_method = nullptr;
  const CLI::Option* has_delegate = nullptr;
  const CLI::Option* has_segment = nullptr;
  const CLI::Option* has_constant = nullptr;
};

// Digits alone: what else is read as a number is a mistake here, be it a sign, nothing at all or a zero in front of an octal one.
std::string CheckIndex(const std::string& text) {
  const bool is_octal = text.size() > 1 && text.front() == '0';
  const bool is_index =
      !text.empty() && !is_octal && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_index ? "" : "wanted an index, such as 0; found \"" + text + "\"";
}

absl::Status CheckOptions(const CatOptions& options) {
  const auto given = [](const CLI::Option* option) { return option->count() > 0 ? 1 : 0; };
  const int selectors = given(options.has_key) + given(options.has_delegate) + given(options.has_segment) + given(options.has_constant);
  if (selectors != 1) return absl::InvalidArgumentError("cat needs exactly one of KEY, --delegate, --segment and --constant");
  if (given(options.has_delegate) != given(options.has_method)) {
    return absl::InvalidArgumentError("--method and --delegate go together");
  }
  return absl::OkStatus();
}

absl::StatusOr<Payload> FindDelegate(const Container& container, const std::string& method, uint64_t delegate) {
  const auto* plans = container.program->program().execution_plan();
  for (flatbuffers::uoffset_t p = 0; p < SizeOf(plans); ++p) {
    if (ViewOf(plans->Get(p)->name()) == method) return container.program->DelegatePayload(p, delegate);
  }
  return absl::NotFoundError(container.path + ": no method " + Name(method));
}

absl::StatusOr<Payload> FindSegment(const Container& container, uint64_t segment) {
  if (segment > UINT32_MAX) return absl::InvalidArgumentError(container.path + ": no segment " + std::to_string(segment));
  const auto index = static_cast<uint32_t>(segment);
  return container.data ? container.data->SegmentPayload(index) : container.program->SegmentPayload(index);
}

absl::StatusOr<Payload> Find(const Container& container, const CatOptions& options) {
  if (options.has_segment->count() > 0) return FindSegment(container, options.segment);
  if (options.has_key->count() > 0) {
    return container.data ? container.data->Find(options.key) : container.program->FindNamedData(options.key);
  }
  if (!container.program) return absl::InvalidArgumentError(container.path + ": tensor data has neither delegates nor constants");
  if (options.has_delegate->count() > 0) return FindDelegate(container, options.method, options.delegate);
  return container.program->Constant(options.constant);
}

absl::StatusOr<ExitCode> RunCat(const CatOptions& options, Output& out) {
  const absl::Status usable = CheckOptions(options);
  if (!usable.ok()) return usable;
  const absl::StatusOr<Container> container = OpenContainer(options.file, options.open());
  if (!container.ok()) return container.status();
  const absl::StatusOr<Payload> payload = Find(*container, options);
  if (absl::IsNotFound(payload.status())) {
    ReportError(payload.status(), options.json, out);
    return kNo;
  }
  if (!payload.ok()) return payload.status();
  const absl::Status copied = payload->CopyTo(out);
  if (!copied.ok()) return copied;
  return kYes;
}

}  // namespace

Verb AddCat(CLI::App& app) {
  auto options = std::make_shared<CatOptions>();
  CLI::App* command = app.add_subcommand("cat", "Write a payload's bytes to standard output");
  AddFile(*command, options->file);
  options->has_key = command->add_option("KEY", options->key, "Key of named data");
  options->has_method = command->add_option("--method", options->method, "Method of --delegate")->type_name("M");
  const auto index = [&](const char* name, uint64_t& value, const char* text) {
    return command->add_option(name, value, text)->type_name("N")->check(CheckIndex);
  };
  options->has_delegate = index("--delegate", options->delegate, "A delegate's bytes, by its index");
  options->has_segment = index("--segment", options->segment, "A whole segment");
  options->has_constant = index("--constant", options->constant, "A constant, from 1");
  command->add_flag("--json", options->json, "Errors as JSON too");
  AddAllowNewer(*command, options->allow_newer);
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunCat(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
