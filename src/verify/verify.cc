#include "pte/verify.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "pte/fault.h"
#include "pte/schema.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/container/bpte_checks.h"
#include "src/container/open.h"
#include "src/container/ptd_checks.h"
#include "src/container/pte_checks.h"
#include "src/flatbuffer/bundle.h"
#include "src/flatbuffer/verify.h"
#include "src/format/header.h"
#include "src/format/wire.h"
#include "src/io/memory.h"
#include "src/io/source.h"
#include "src/verify/bundle.h"
#include "src/verify/flat_tensor.h"
#include "src/verify/pairing.h"
#include "src/verify/program.h"
#include "src/verify/report.h"
#include "src/verify/structure.h"

namespace pte {
namespace {

// What is left of a container that has been judged, for the rules that need two of them. Addresses in it must not move.
struct Judged {
  // Findings go to `where`, which for a container inside another is that one's.
  Judged(Report& where, const Limits& limits) : report(where) {
    container.options.limits = limits;
    container.judge = [this](Severity severity, const Fault& fault) { judge.Add(FindingOf(severity, fault)); };
  }
  Judged(const Judged&) = delete;
  Judged& operator=(const Judged&) = delete;

  Report& report;
  OpenContainer container;
  Judge judge{container, report};
  std::optional<ContainerKind> kind;
  bool is_readable = false;  // its flatbuffer verifies, and its tables may be walked
};

// Hands an error that is about the bytes to the judge. Any other ends the judgement.
absl::Status Tell(OpenContainer& container, const absl::Status& status) {
  const std::optional<Fault> fault = FaultOf(status);
  return fault ? container.Refuse(status.code(), *fault) : status;
}

// One container from its head to its last table. `file_offset` is where its byte 0 stands in the outermost file.
class ContainerJudge {
 public:
  explicit ContainerJudge(Judged& judged) : judged_(judged), container_(judged.container) {}

  absl::Status Head(std::shared_ptr<const ByteSource> source, uint64_t file_offset) {
    container_.source = std::move(source);
    container_.file_offset = file_offset;
    PTE_RETURN_IF_ERROR(ReadHead(container_));
    judged_.kind = KindOf(container_.head);
    std::vector<Finding> notes;
    const absl::StatusOr<ContainerHeader> header = ParseFlatbufferFrame(container_.head, container_.source->size(), &notes);
    AddNotes(notes);
    if (!header.ok()) return Tell(container_, IsInner() ? AsBundled(header.status()) : header.status());
    container_.header = *header;
    has_header_ = !IsInner() || header->kind == ContainerKind::kPte;
    return has_header_ ? absl::OkStatus() : container_.Refuse(OtherKind(header->kind));
  }

  // A container of our kinds, whose flatbuffer can be read.
  bool has_header() const { return has_header_; }
  Judge& judge() { return judged_.judge; }
  OpenContainer& container() { return container_; }

  // A truncated file still has a flatbuffer that can be judged; only what depends on where its segments are cannot.
  absl::Status Frame() {
    std::vector<Finding> notes;
    const absl::Status status = CheckSegmentFrame(container_.header, &notes);
    AddNotes(notes);
    has_frame_ = status.ok();
    return has_frame_ ? status : Tell(container_, status);
  }

  // Reads and verifies the flatbuffer. Whether there is more to be judged is in Judged::is_readable.
  absl::Status Flatbuffer(absl::FunctionRef<absl::Status()> verify, const flatbuffers::TypeTable& root, const StructureRules& rules,
                          std::optional<ByteRange> skip = std::nullopt) {
    PTE_RETURN_IF_ERROR(ReadFlatbuffer(container_, skip));
    const absl::Status status = verify();
    if (!status.ok()) return Tell(container_, status);
    judged_.is_readable = JudgeStructure(judge(), root, rules, has_frame_);
    return absl::OkStatus();
  }

  template <class DataSegment>
  absl::Status Segments(const flatbuffers::Vector<flatbuffers::Offset<DataSegment>>* rows) {
    if (has_frame_) {
      PTE_ASSIGN_OR_RETURN(container_.segments, PlaceSegments(container_, rows));
      return absl::OkStatus();
    }
    PTE_ASSIGN_OR_RETURN(container_.segments, FixedList<Segment>::WithCapacity(CountOf(rows)));
    for (flatbuffers::uoffset_t i = 0; i < CountOf(rows); ++i) container_.segments.push_back({i, kUnplaced, rows->Get(i)->size()});
    return absl::OkStatus();
  }

 private:
  bool IsInner() const { return container_.file_offset != 0; }

  static Fault OtherKind(ContainerKind kind) {
    return {"B3",
            wire::kIdentifierOffset,
            "identifier",
            "another kind of container inside the bundle",
            "a program (.pte)",
            std::string(ContainerKindName(kind))};
  }

  void AddNotes(const std::vector<Finding>& notes) {
    for (const Finding& note : notes) judge().Add(note);
  }

  Judged& judged_;
  OpenContainer& container_;
  bool has_header_ = false;
  bool has_frame_ = false;
};

template <class Root>
const Root& RootOf(const Judged& judged) {
  return *flatbuffers::GetRoot<Root>(judged.container.flatbuffer.data());
}

// The rules of a .pte whose head has been read, and those that pair it with `data`.
absl::Status JudgePte(ContainerJudge& pte, Judged& judged, std::span<const DataFile> data) {
  OpenContainer& container = pte.container();
  PTE_RETURN_IF_ERROR(pte.Frame());
  PTE_RETURN_IF_ERROR(pte.Flatbuffer([&] { return VerifyProgram(container); }, *fb::Program::MiniReflectTypeTable(), kProgramStructure));
  if (!judged.is_readable) return absl::OkStatus();
  const auto& program = RootOf<fb::Program>(judged);
  PTE_RETURN_IF_ERROR(
      CheckVersion(container, "S2", program.version(), kProgramVersion, container.OffsetOf(&program, fb::Program::VT_VERSION)));
  PTE_RETURN_IF_ERROR(pte.Segments(program.segments()));
  ProgramFacts facts = FactsOf(container, program);
  PTE_RETURN_IF_ERROR(JudgeProgram(pte.judge(), container, program, facts));
  if (!data.empty()) JudgePairing(pte.judge(), facts, data);
  return absl::OkStatus();
}

absl::Status JudgePtd(ContainerJudge& ptd, Judged& judged) {
  OpenContainer& container = ptd.container();
  PTE_RETURN_IF_ERROR(ptd.Frame());
  PTE_RETURN_IF_ERROR(
      ptd.Flatbuffer([&] { return VerifyDirectory(container); }, *fb::FlatTensor::MiniReflectTypeTable(), kDirectoryStructure));
  if (!judged.is_readable) return absl::OkStatus();
  const auto& root = RootOf<fb::FlatTensor>(judged);
  PTE_RETURN_IF_ERROR(
      CheckVersion(container, "D24", root.version(), kFlatTensorVersion, container.OffsetOf(&root, fb::FlatTensor::VT_VERSION)));
  PTE_RETURN_IF_ERROR(CheckPresent(container, root));
  PTE_RETURN_IF_ERROR(ptd.Segments(root.segments()));
  return JudgeFlatTensor(ptd.judge(), container, root);
}

// The program inside a bundle, with offsets in the bundle.
absl::Status JudgeInner(const Judged& bundle, ByteRange place, std::span<const DataFile> data, Judged& program) {
  PTE_ASSIGN_OR_RETURN(std::shared_ptr<const ByteSource> source, RangeSource(bundle.container.source, place.offset, place.size));
  ContainerJudge judge(program);
  PTE_RETURN_IF_ERROR(judge.Head(std::move(source), place.offset));
  return judge.has_header() ? JudgePte(judge, program, data) : absl::OkStatus();
}

absl::Status JudgeBpte(ContainerJudge& bpte, Judged& judged, std::span<const DataFile> data) {
  OpenContainer& container = bpte.container();
  PTE_RETURN_IF_ERROR(bpte.Frame());
  const absl::StatusOr<ByteRange> place = FindBundledProgram(*container.source, container.header);
  if (!place.ok()) return Tell(container, place.status());
  PTE_RETURN_IF_ERROR(
      bpte.Flatbuffer([&] { return VerifyBundle(container); }, *fb::BundledProgram::MiniReflectTypeTable(), kBundleStructure, *place));
  Judged program(judged.report, container.options.limits);
  PTE_RETURN_IF_ERROR(JudgeInner(judged, *place, data, program));
  if (!judged.is_readable) return absl::OkStatus();
  const auto& root = RootOf<fb::BundledProgram>(judged);
  NoteBundleVersion(container, root);
  JudgeBundle(bpte.judge(), root, program.is_readable ? &RootOf<fb::Program>(program) : nullptr);
  if (program.is_readable) JudgeBundledPlace(bpte.judge(), *place, program.container);
  return absl::OkStatus();
}

// Judges one outermost file.
absl::Status JudgeFile(std::shared_ptr<const ByteSource> source, std::span<const DataFile> data, Judged& judged) {
  ContainerJudge judge(judged);
  PTE_RETURN_IF_ERROR(judge.Head(std::move(source), 0));
  if (!judge.has_header()) return absl::OkStatus();
  switch (judged.container.header.kind) {
    case ContainerKind::kPte: return JudgePte(judge, judged, data);
    case ContainerKind::kPtd: return JudgePtd(judge, judged);
    case ContainerKind::kBpte: break;
  }
  return JudgeBpte(judge, judged, data);
}

// An outermost file with its own report.
struct File {
  explicit File(const Limits& limits) : report(limits), judged(report, limits) {}
  Report report;
  Judged judged;
};

absl::Status Mistake(const ByteSource& source, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(source.name(), ": ", ToAbsl(what)));
}

absl::StatusOr<VerifyReport> JudgeSource(const ByteSource& source, const VerifyOptions& options) {
  std::deque<File> files;
  std::vector<DataFile> data;
  for (const std::shared_ptr<const ByteSource>& given : options.data) {
    if (given == nullptr) return absl::InvalidArgumentError("VerifyOptions::data holds no source");
    Judged& judged = files.emplace_back(options.limits).judged;
    PTE_RETURN_IF_ERROR(JudgeFile(given, {}, judged));
    if (judged.kind && judged.kind != ContainerKind::kPtd) return Mistake(*given, "is no .ptd, and cannot be the data of a program");
    data.push_back({judged.is_readable ? &RootOf<fb::FlatTensor>(judged) : nullptr, &judged.judge});
  }
  File main(options.limits);
  PTE_RETURN_IF_ERROR(JudgeFile(Unowned(source), data, main.judged));
  if (!data.empty() && main.judged.kind == ContainerKind::kPtd) return Mistake(source, "is tensor data, and needs no data files");
  VerifyReport report = main.report.Take(main.judged.kind);
  for (File& file : files) {
    report.data.push_back(file.report.Take(file.judged.kind));
    report.verdict = std::max(report.verdict, report.data.back().verdict);
  }
  return report;
}

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kError: break;
  }
  return "error";
}

std::string_view RuntimeReactionName(RuntimeReaction reaction) {
  switch (reaction) {
    case RuntimeReaction::kRefuses: return "refused by the runtime";
    case RuntimeReaction::kCrashes: return "would crash it";
    case RuntimeReaction::kMisreads: return "accepted and misread";
    case RuntimeReaction::kAccepts: break;
  }
  return "accepted";
}

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk: return "ok";
    case Verdict::kWarning: return "warning";
    case Verdict::kError: break;
  }
  return "error";
}

absl::StatusOr<VerifyReport> Verify(const ByteSource& source, const VerifyOptions& options) {
  return WithoutThrowing([&] { return JudgeSource(source, options); });
}

absl::StatusOr<VerifyReport> VerifyFile(const std::filesystem::path& path, const VerifyOptions& options) {
  PTE_ASSIGN_OR_RETURN(const std::shared_ptr<const ByteSource> source, OpenFileSource(path));
  return Verify(*source, options);
}

}  // namespace pte
