#include "src/cli/writing.h"

#include "absl/strings/str_cat.h"
#include "src/cli/interrupt.h"
#include "src/cli/plan.h"
#include "src/cli/progress.h"
#include "src/cli/report.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

// The two kinds under one name each.
absl::StatusOr<LayoutPlan> Plan(const PteContents& contents, const LayoutOptions& layout) { return PlanPte(contents, layout); }
absl::StatusOr<LayoutPlan> Plan(const PtdContents& contents, const LayoutOptions& layout) { return PlanPtd(contents, layout); }
absl::StatusOr<SaveReport> Save(const PteContents& contents, const std::string& path, const LayoutOptions& layout,
                                const SaveOptions& options) {
  return SavePte(contents, path, layout, options);
}
absl::StatusOr<SaveReport> Save(const PtdContents& contents, const std::string& path, const LayoutOptions& layout,
                                const SaveOptions& options) {
  return SavePtd(contents, path, layout, options);
}
absl::StatusOr<SaveReport> Stream(const PteContents& contents, ByteSink& sink, const LayoutOptions& layout, const SaveOptions& options) {
  return WritePte(contents, sink, layout, options);
}
absl::StatusOr<SaveReport> Stream(const PtdContents& contents, ByteSink& sink, const LayoutOptions& layout, const SaveOptions& options) {
  return WritePtd(contents, sink, layout, options);
}

// nullopt where the reader has closed the pipe.
using MaybeReport = absl::StatusOr<std::optional<SaveReport>>;

MaybeReport WriteStream(const Contents& contents, const Target& target, const LayoutOptions& layout, const SaveOptions& options) {
  StreamSink sink;
  const absl::Status opened = sink.Open(target);
  if (!opened.ok()) return opened;
  absl::StatusOr<SaveReport> report = std::visit([&](const auto& each) { return Stream(each, sink, layout, options); }, contents);
  const absl::Status closed = sink.Close();
  if (sink.closed_by_reader()) return std::nullopt;
  if (!report.ok()) return report.status();
  if (!closed.ok()) return closed;
  return *std::move(report);
}

MaybeReport WriteFile(const Contents& contents, const Target& target, const LayoutOptions& layout, const SaveOptions& options) {
  absl::StatusOr<SaveReport> report = std::visit([&](const auto& each) { return Save(each, target.path, layout, options); }, contents);
  if (!report.ok()) return report.status();
  return *std::move(report);
}

MaybeReport WriteGuarded(const Contents& contents, const Target& target, const WriteOptions& options) {
  const InterruptGuard guard;
  ProgressLine line(target.path);
  SaveOptions save;
  save.consume = options.move;
  save.if_exists = options.force || options.in_place ? IfExists::kReplace : IfExists::kFail;
  save.progress = [&](const Progress& progress) {
    line.Show(progress.what, progress.done, progress.total);
    return !Interrupted();
  };
  MaybeReport report =
      target.is_stream ? WriteStream(contents, target, options.layout(), save) : WriteFile(contents, target, options.layout(), save);
  if (Interrupted() && absl::IsCancelled(report.status())) return CheckInterrupted();
  return report;
}

// A signal that could no longer stop the writing has been noted all the same. From here on one ends the process again.
MaybeReport WriteContents(const Contents& contents, const Target& target, const WriteOptions& options) {
  MaybeReport report = WriteGuarded(contents, target, options);
  if (report.ok() && report->has_value()) CompletedAllTheSame(target.path);
  return report;
}

// What would be moved, where files are to be; else every byte is added to the disk.
absl::StatusOr<MovePlan> PlanOf(const Contents& contents, const Target& target, const WriteOptions& options) {
  if (options.move) {
    return std::visit([&](const auto& each) { return PlanMoves(each, target.path, options.layout()); }, contents);
  }
  absl::StatusOr<LayoutPlan> plan = std::visit([&](const auto& each) { return Plan(each, options.layout()); }, contents);
  if (!plan.ok()) return plan.status();
  const uint64_t size = plan->file_size;
  return MovePlan{*std::move(plan), {}, size};
}

absl::StatusOr<ExitCode> ShowPlan(const Contents& contents, const Target& target, const WriteOptions& options, Output& out) {
  const absl::StatusOr<MovePlan> plan = PlanOf(contents, target, options);
  if (!plan.ok()) return plan.status();
  if (options.json) {
    PrintPlanJson(target.path, contents, *plan, out);
  } else {
    PrintPlanText(target.path, contents, *plan, options.exact, out);
  }
  return kYes;
}

}  // namespace

void AddWriteOptions(CLI::App& command, WriteOptions& options) {
  command.add_option("-o,--out", options.out, "The file to write; \"-\" for standard output")->type_name("OUT");
  command.add_flag("--force", options.force, "Replace OUT where it exists");
  command.add_flag("--reference-layout", options.reference_layout, "The offsets that ExecuTorch's own exporter would choose");
  command.add_flag("--dry-run", options.dry_run, "Write nothing; show where everything would stand, and what it takes");
  command.add_flag("-v,--verbose", options.verbose, "A summary on standard error");
  command.add_flag("--bytes", options.exact, "Exact sizes");
  command.add_flag("--json", options.json, "JSON for programs");
}

void AddChangedFile(CLI::App& command, std::string& file) {
  command.add_option("FILE", file, "A .pte or .ptd; recognised by its content")->required();
}

void AddInPlace(CLI::App& command, WriteOptions& options) {
  command.add_flag("--in-place", options.in_place, "Replace FILE itself; it is whole, the old or the new, at any moment");
}

void AddDropUnknownFields(CLI::App& command, bool& drop) {
  command.add_flag("--drop-unknown-fields", drop, "Also rewrite a file with fields that this version does not know, without them");
}

void AddMove(CLI::App& command, WriteOptions& options) {
  command.add_flag("--move", options.move, "Move files in instead of copying them: they are gone afterwards");
}

absl::StatusOr<Target> PrepareWrite(const WriteOptions& options, const std::string& input) {
  const absl::StatusOr<Target> target = FindTarget({options.out, input, options.in_place, options.force});
  if (target.ok() && target->is_stream && options.move) {
    return absl::InvalidArgumentError("--move wants a file to move into; " + Escaped(target->path) + " is none");
  }
  if (target.ok() && target->path == "-" && options.json && !options.dry_run) {
    return absl::InvalidArgumentError("--json and -o - both want standard output");
  }
  return target;
}

absl::StatusOr<Contents> ContentsOf(const Container& container, const ToContentsOptions& options) {
  if (container.bundle) {
    return absl::InvalidArgumentError(container.path + ": a bundled program (.bpte) cannot be changed; only .pte and .ptd can");
  }
  if (container.data) {
    absl::StatusOr<PtdContents> contents = container.data->ToContents(options);
    if (!contents.ok()) return contents.status();
    return *std::move(contents);
  }
  absl::StatusOr<PteContents> contents = container.program->ToContents(options);
  if (!contents.ok()) return contents.status();
  return *std::move(contents);
}

NamedDataStore& NamedDataOf(Contents& contents) {
  return std::visit([](auto& each) -> NamedDataStore& { return each.named_data; }, contents);
}

absl::StatusOr<ExitCode> Write(const Contents& contents, const Target& target, const WriteOptions& options, Output& out) {
  if (options.dry_run) return ShowPlan(contents, target, options, out);
  const MaybeReport report = WriteContents(contents, target, options);
  if (!report.ok()) return report.status();
  if (!*report) return kYes;
  WriteReport answer;
  answer.file = target.path;
  answer.size = (*report)->file_size;
  answer.Add(**report);
  if (options.json) PrintReportJson(answer, out);
  if (options.verbose) PrintSummary(answer, options.exact);
  PrintKeptSources(answer);
  return kYes;
}

}  // namespace pte::cli
