#include <algorithm>

#include "src/cli/entries.h"
#include "src/cli/shape.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"

namespace pte::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  pte ls model.pte                      every payload, in the order of the program
  pte ls --sort size weights.ptd        the largest first
  pte ls --match '*.bias' weights.ptd   named data whose key matches
  pte ls --json model.pte | jq '.entries[] | select(.role == "delegate")'

ALIGN is the largest power of two that divides the offset, at most 65536. Offsets count from the start of FILE, also inside a .bpte.
Constants reach up to where the next one begins, so their size may include padding.)";

struct LsOptions : ReadOptions {
  std::string sort;
  std::optional<std::string> match;
};

// Those that were asked for, in the order that was asked for.
void Select(const Container& container, const LsOptions& options, std::vector<Entry>& entries) {
  if (options.match) KeepMatching(container, *options.match, entries);
  if (options.sort == "size") {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.size > b.size; });
  } else if (options.sort == "offset") {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  }
}

void PrintJson(const Container& container, const std::vector<Entry>& entries, Output& out) {
  JsonStream json(out);
  json.BeginObject();
  json.Member("pte_json", kJsonVersion);
  json.Member("file", Text(container.path));
  json.Member("kind", ContainerKindName(container.kind()));
  json.BeginArray("entries");
  for (size_t i = 0; i < entries.size() && out.ok(); ++i) json.Item(EntryJson(container, entries[i]));
  json.End();
  json.End();
}

// Widths that hold for any row, so that rows can be printed as they come.
struct Columns {
  size_t segment = 0;
  size_t offset = 0;
  size_t size = 0;
};

Columns ColumnsFor(const Container& container, bool exact) {
  constexpr size_t kLongestSize = 10;  // "1023.9 KiB"
  constexpr std::string_view kSegment = "SEGMENT";
  constexpr std::string_view kOffset = "OFFSET";
  const uint64_t file_size = container.header.file_size;
  const size_t digits = std::max(std::to_string(file_size).size(), kOffset.size());
  return {kSegment.size(), std::max(Hex(file_size).size(), kOffset.size()), exact ? digits : kLongestSize};
}

std::string Row(const Columns& columns, const std::array<std::string, 7>& cells) {
  constexpr size_t kRole = 9;
  constexpr size_t kAlign = 5;
  constexpr size_t kType = 22;
  const auto& [role, segment, offset, size, align, type, title] = cells;
  return Column(role, kRole) + RightColumn(segment, columns.segment) + "  " + RightColumn(offset, columns.offset) + "  " +
         RightColumn(size, columns.size) + "  " + RightColumn(align, kAlign) + "  " + Column(type, kType) + " " + title + "\n";
}

void PrintText(const Container& container, const std::vector<Entry>& entries, bool exact, Output& out) {
  const Columns columns = ColumnsFor(container, exact);
  out.Print(Row(columns, {"ROLE", "SEGMENT", "OFFSET", "SIZE", "ALIGN", "TYPE", "NAME"}));
  for (size_t i = 0; i < entries.size() && out.ok(); ++i) {
    const Entry& entry = entries[i];
    const std::optional<TensorLayout> layout = LayoutOfEntry(container, entry);
    out.Print(Row(columns, {std::string(RoleName(entry.role)), entry.segment ? std::to_string(*entry.segment) : "-", Hex(entry.offset),
                            SizeText(entry.size, exact), std::to_string(AlignmentOf(entry)), layout ? LayoutText(*layout) : "-",
                            TitleOf(container, entry)}));
  }
}

absl::StatusOr<ExitCode> RunLs(const LsOptions& options, Output& out) {
  const absl::StatusOr<Container> container = OpenContainer(options.file, options.open());
  if (!container.ok()) return container.status();
  absl::StatusOr<std::vector<Entry>> entries = ListEntries(*container);
  if (!entries.ok()) return entries.status();
  Select(*container, options, *entries);
  if (options.json) {
    PrintJson(*container, *entries, out);
  } else {
    PrintText(*container, *entries, options.exact, out);
  }
  return kYes;
}

}  // namespace

Verb AddLs(CLI::App& app) {
  auto options = std::make_shared<LsOptions>();
  CLI::App* command = app.add_subcommand("ls", "List every payload: role, segment, offset, size, alignment, type and name");
  AddFile(*command, options->file);
  command->add_option("--sort", options->sort, "\"size\", the largest first, or \"offset\"")->check(CLI::IsMember({"size", "offset"}));
  command->add_option("--match", options->match, "Only named data whose key matches this pattern, as in a shell")->type_name("GLOB");
  command->add_flag("--bytes", options->exact, "Exact sizes");
  command->add_flag("--json", options->json, "JSON for programs");
  AddAllowNewer(*command, options->allow_newer);
  command->footer(kExamples);
  return {command, [options](Output& out) { return RunLs(*options, out); }, [options] { return options->json; }};
}

}  // namespace pte::cli
