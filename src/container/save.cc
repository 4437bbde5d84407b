#include "pte/save.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/container/build.h"
#include "src/container/save_set.h"
#include "src/io/consume.h"
#include "src/io/memory.h"
#include "src/io/save_parts.h"

namespace pte {
namespace {

// The one that took most of the bytes.
Strategy StrategyOf(const ByteCounts& counts) {
  const std::pair<uint64_t, Strategy> shares[] = {{counts.written, Strategy::kWrite},
                                                  {counts.copied, Strategy::kCopy},
                                                  {counts.cloned, Strategy::kClone},
                                                  {counts.adopted, Strategy::kAdopt},
                                                  {counts.drained, Strategy::kDrain}};
  return std::max_element(std::begin(shares), std::end(shares), [](const auto& a, const auto& b) { return a.first < b.first; })->second;
}

SaveReport ReportOf(const std::filesystem::path& path, const LayoutPlan& plan, const std::vector<size_t>& part_of_payload,
                    SavedParts saved) {
  SaveReport report;
  report.path = path;
  report.sources = std::move(saved.sources);
  const std::vector<ByteCounts>& counts = saved.counts;
  for (const ByteCounts& part : counts) {
    report.bytes_written += part.written;
    report.bytes_copied += part.copied;
    report.bytes_cloned += part.cloned;
    report.bytes_moved += part.adopted + part.drained;
  }
  report.file_size = report.bytes_written + report.bytes_copied + report.bytes_cloned + report.bytes_moved;
  for (size_t i = 0; i < plan.payloads.size(); ++i) {
    const PlannedPayload& payload = plan.payloads[i];
    report.payloads.push_back({payload.role, payload.key, payload.file_offset, payload.size, StrategyOf(counts[part_of_payload[i]])});
  }
  return report;
}

struct Output {
  std::span<const OutputPart> parts;
  std::span<const AbsorbedSource> absorbed;
  const LayoutPlan& plan;
  const std::vector<size_t>& part_of_payload;
};

absl::StatusOr<SaveReport> SaveAndReport(const Output& output, const std::filesystem::path& path, const SaveOptions& options) {
  if (options.consume) {
    PTE_ASSIGN_OR_RETURN(SavedParts saved, ConsumeParts(output.parts, output.absorbed, path, options));
    return ReportOf(path, output.plan, output.part_of_payload, std::move(saved));
  }
  PTE_ASSIGN_OR_RETURN(WrittenFile written, WriteBeside(output.parts, path, options));
  // The report comes first: it may run out of memory, and a file that has its name is no failure.
  SaveReport report = ReportOf(path, output.plan, output.part_of_payload, std::move(written.saved));
  PTE_RETURN_IF_ERROR(written.file.Publish(options.durability.value_or(Durability::kAtomic)));
  return report;
}

// The two kinds of contents, under one name each.
absl::StatusOr<BuiltContainer> Build(const PteContents& contents, const LayoutOptions& layout) { return BuildPte(contents, layout); }
absl::StatusOr<BuiltContainer> Build(const PtdContents& contents, const LayoutOptions& layout) { return BuildPtd(contents, layout); }

// A data file has all entries; a program leaves out those that belong to data files.
absl::Status CheckNothingLeftOut(const PtdContents&) { return absl::OkStatus(); }
absl::Status CheckNothingLeftOut(const PteContents& contents) {
  for (const NamedDataEntry& entry : contents.named_data.entries()) {
    if (entry.external_tag().empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat("named data: \"", entry.key(), "\" belongs to the data file \"", entry.external_tag(),
                                                   "\"; SaveProgramAndData writes both"));
  }
  return absl::OkStatus();
}

template <class Contents>
absl::StatusOr<LayoutPlan> PlanOf(const Contents& contents, const LayoutOptions& layout) {
  return WithoutThrowing([&]() -> absl::StatusOr<LayoutPlan> {
    PTE_ASSIGN_OR_RETURN(BuiltContainer built, Build(contents, layout));
    return std::move(built.plan);
  });
}

template <class Contents>
absl::StatusOr<MovePlan> MovesOf(const Contents& contents, const std::filesystem::path& path, const LayoutOptions& layout,
                                 const SaveOptions& options) {
  return WithoutThrowing([&]() -> absl::StatusOr<MovePlan> {
    PTE_ASSIGN_OR_RETURN(BuiltContainer built, Build(contents, layout));
    PTE_ASSIGN_OR_RETURN(PlannedMoves moves, PlanConsume(built.parts, built.absorbed, path, options));
    return MovePlan{std::move(built.plan), std::move(moves.sources), moves.extra_disk};
  });
}

template <class Contents>
absl::StatusOr<SaveReport> WriteTo(const Contents& contents, ByteSink& sink, const LayoutOptions& layout, const SaveOptions& options) {
  return WithoutThrowing([&]() -> absl::StatusOr<SaveReport> {
    PTE_RETURN_IF_ERROR(CheckNothingLeftOut(contents));
    PTE_ASSIGN_OR_RETURN(const BuiltContainer built, Build(contents, layout));
    PTE_ASSIGN_OR_RETURN(SavedParts saved, WriteParts(built.parts, sink, options));
    return ReportOf({}, built.plan, built.part_of_payload, std::move(saved));
  });
}

template <class Contents>
absl::StatusOr<SaveReport> SaveUnder(const Contents& contents, const std::filesystem::path& path, const LayoutOptions& layout,
                                     const SaveOptions& options) {
  return WithoutThrowing([&]() -> absl::StatusOr<SaveReport> {
    PTE_RETURN_IF_ERROR(CheckNothingLeftOut(contents));
    PTE_ASSIGN_OR_RETURN(const BuiltContainer built, Build(contents, layout));
    return SaveBuilt(built, path, options);
  });
}

}  // namespace

std::string_view StrategyName(Strategy strategy) {
  switch (strategy) {
    case Strategy::kWrite: return "write";
    case Strategy::kCopy: return "copy";
    case Strategy::kClone: return "clone";
    case Strategy::kAdopt: return "adopt";
    case Strategy::kDrain: return "drain";
  }
  return "";
}

absl::StatusOr<SaveReport> SaveBuilt(const BuiltContainer& built, const std::filesystem::path& path, const SaveOptions& options) {
  return SaveAndReport({built.parts, built.absorbed, built.plan, built.part_of_payload}, path, options);
}

absl::StatusOr<LayoutPlan> PlanPte(const PteContents& contents, const LayoutOptions& layout) { return PlanOf(contents, layout); }
absl::StatusOr<LayoutPlan> PlanPtd(const PtdContents& contents, const LayoutOptions& layout) { return PlanOf(contents, layout); }

absl::StatusOr<MovePlan> PlanMoves(const PteContents& contents, const std::filesystem::path& path, const LayoutOptions& layout,
                                   const SaveOptions& options) {
  return MovesOf(contents, path, layout, options);
}
absl::StatusOr<MovePlan> PlanMoves(const PtdContents& contents, const std::filesystem::path& path, const LayoutOptions& layout,
                                   const SaveOptions& options) {
  return MovesOf(contents, path, layout, options);
}

absl::StatusOr<SaveReport> WritePte(const PteContents& contents, ByteSink& sink, const LayoutOptions& layout, const SaveOptions& options) {
  return WriteTo(contents, sink, layout, options);
}
absl::StatusOr<SaveReport> WritePtd(const PtdContents& contents, ByteSink& sink, const LayoutOptions& layout, const SaveOptions& options) {
  return WriteTo(contents, sink, layout, options);
}

absl::StatusOr<SaveReport> SavePte(const PteContents& contents, const std::filesystem::path& path, const LayoutOptions& layout,
                                   const SaveOptions& options) {
  return SaveUnder(contents, path, layout, options);
}
absl::StatusOr<SaveReport> SavePtd(const PtdContents& contents, const std::filesystem::path& path, const LayoutOptions& layout,
                                   const SaveOptions& options) {
  return SaveUnder(contents, path, layout, options);
}

absl::StatusOr<SaveReport> SaveBytes(const Rope& bytes, const std::filesystem::path& path, const SaveOptions& options) {
  return WithoutThrowing([&]() -> absl::StatusOr<SaveReport> {
    const OutputPart part{bytes, "bytes"};
    return SaveAndReport({{&part, 1}, {}, {}, {}}, path, options);
  });
}

}  // namespace pte
