#include "src/verify/program.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/container/keys.h"
#include "src/format/wire.h"
#include "src/verify/instructions.h"
#include "src/verify/named_keys.h"
#include "src/verify/plan.h"
#include "src/verify/segments.h"
#include "src/verify/values.h"

namespace pte {
namespace {

using flatbuffers::uoffset_t;

class ProgramJudge {
 public:
  ProgramJudge(Judge& judge, OpenContainer& container, const fb::Program& program, ProgramFacts& facts)
      : judge_(judge), container_(container), program_(program), facts_(facts), uses_(container.segments.size()) {}

  absl::Status Run() {
    Version();
    PTE_RETURN_IF_ERROR(OpeningChecks());
    MutableLists();
    InlineEntries();
    Methods();
    InlineConstants();
    ConstantAlignment();
    JudgeDuplicateKeys(judge_, program_.named_data(), "S24");
    MarkUses();
    return JudgeSegments(judge_, FieldsOf(container_, program_.segments()), uses_, kPteSegments);
  }

 private:
  void Version() {
    if (program_.execution_plan() == nullptr) {
      judge_.Error("S1", judge_.Object(program_, fb::Program::VT_EXECUTION_PLAN, "execution_plan"), "the program's methods are missing",
                   "a list", "nothing");
    } else if (program_.execution_plan()->size() == 0) {
      judge_.Warn("S1", judge_.Object(program_, fb::Program::VT_EXECUTION_PLAN, "execution_plan"), "the program has no method",
                  "at least 1", "0");
    }
  }

  // What opening refuses; here each of its checks goes on after the first fault.
  absl::Status OpeningChecks() {
    NoteSegments(container_, container_.segments.span());
    PTE_RETURN_IF_ERROR(CheckConstants(container_, program_, container_.segments.span()));
    PTE_RETURN_IF_ERROR(CheckMutableData(container_, program_, container_.segments.span()));
    PTE_RETURN_IF_ERROR(CheckDelegates(container_, program_, container_.segments.span()));
    const KeyRules& rules = program_.segments() == nullptr ? kPteKeyRulesWithoutSegments : kPteKeyRules;
    for (uoffset_t i = 0; i < CountOf(program_.named_data()); ++i) {
      PTE_RETURN_IF_ERROR(CheckNamedRow(container_, *program_.named_data()->Get(i), i, container_.segments.size(), rules));
    }
    return absl::OkStatus();
  }

  void MutableLists() {
    const auto* lists = program_.mutable_data_segments();
    if (lists == nullptr) return;
    if (lists->size() == 0) {
      judge_.Error("S21", judge_.Object(program_, fb::Program::VT_MUTABLE_DATA_SEGMENTS, "mutable_data_segments"),
                   "an empty list, which the runtime takes for a program with mutable data", "no list, or one entry", "0 entries");
    }
    ForEachTable(judge_, "mutable_data_segments", lists, [&](uoffset_t i, const fb::SubsegmentOffsets& list) {
      if (i > 0 && list.segment_index() >= container_.segments.size()) ReportUnusedList(list);
      if (list.offsets() != nullptr) return;
      judge_.Error("S21", judge_.Object(list, fb::SubsegmentOffsets::VT_OFFSETS, "offsets"), "the offsets are missing", "a list",
                   "nothing");
    });
  }

  // Nothing uses the lists behind the first, whatever they say.
  void ReportUnusedList(const fb::SubsegmentOffsets& list) {
    judge_.Warn("S21", judge_.Field(list, fb::SubsegmentOffsets::VT_SEGMENT_INDEX, "segment_index"),
                "no such segment; the runtime uses list 0 alone", Below(container_.segments.size()), absl::StrCat(list.segment_index()));
  }

  // Entries inside the flatbuffer that no delegate names; exporters cannot write such a program again.
  void InlineEntries() {
    std::vector<bool> used(CountOf(program_.backend_delegate_data()));
    ForEachReference([&](const fb::BackendDelegateDataReference& reference) {
      if (reference.location() == fb::DataLocation::INLINE && reference.index() < used.size()) used[reference.index()] = true;
    });
    for (uoffset_t i = 0; i < used.size(); ++i) {
      if (used[i]) continue;
      const std::string path = absl::StrCat("backend_delegate_data[", i, "]");
      judge_.Warn("P18", {container_.OffsetOf(program_.backend_delegate_data()->Get(i)), path}, "no delegate refers to the entry",
                  "a reference", "none");
    }
  }

  // Those that no tensor uses; the others have been reported with it. Entry 0 stands for no data.
  void InlineConstants() {
    if (facts_.constants_in_segment) return;
    ForEachTable(judge_, "constant_buffer", program_.constant_buffer(), [&](uoffset_t i, const fb::Buffer& buffer) {
      if (i == 0 || buffer.storage() != nullptr || facts_.without_storage[i]) return;
      judge_.Add(Severity::kError, "S20", judge_.Object(buffer, fb::Buffer::VT_STORAGE, "storage"),
                 "a buffer that no tensor uses has no storage", "a vector", "nothing", RuntimeReaction::kAccepts);
    });
  }

  template <class Visit>
  void ForEachReference(Visit visit) const {
    for (uoffset_t p = 0; p < CountOf(program_.execution_plan()); ++p) {
      const auto* delegates = program_.execution_plan()->Get(p)->delegates();
      for (uoffset_t d = 0; d < CountOf(delegates); ++d) {
        if (delegates->Get(d)->processed() != nullptr) visit(*delegates->Get(d)->processed());
      }
    }
  }

  void Methods() {
    std::vector<NamedKey> names;
    ForEachTable(judge_, "execution_plan", program_.execution_plan(), [&](uoffset_t i, const fb::ExecutionPlan& plan) {
      Name(plan);
      if (plan.name() != nullptr) names.push_back({TextOf(plan.name()), i});
      JudgePlan(judge_, plan);
      if (plan.values() != nullptr) JudgeValues(judge_, plan, i, facts_);
      JudgeChains(judge_, plan);
    });
    ForEachDuplicate(names, [&](const NamedKey& first, const NamedKey& again) {
      const fb::ExecutionPlan& plan = *program_.execution_plan()->Get(again.index);
      const std::string path = absl::StrCat("execution_plan[", again.index, "].name");
      judge_.Error("S29", {container_.OffsetOf(plan.name()), path}, absl::StrCat("the same name as method ", first.index),
                   "names that differ", ShowKey(again.key));
    });
  }

  void Name(const fb::ExecutionPlan& plan) {
    const Spot spot = judge_.Object(plan, fb::ExecutionPlan::VT_NAME, "name");
    if (plan.name() == nullptr) {
      judge_.Error("S30", spot, "the method has no name", "a name", "nothing");
    } else if (plan.name()->size() == 0) {
      judge_.Warn("S30", spot, "the method's name is empty", "at least one character", "\"\"");
    }
  }

  // Those that a tensor cannot even read have been reported with it.
  void ConstantAlignment() {
    constexpr uint64_t kUsual = wire::kSmallestUsualAlignment;
    for (uoffset_t i = 1; i < CountOf(facts_.constants.offsets); ++i) {
      const uint64_t offset = facts_.constants.offsets->Get(i);
      if (offset % kUsual == 0 || offset >= facts_.constants.segment_size || facts_.unaligned_constants[i]) continue;
      judge_.Warn("S17", judge_.Item(*facts_.constants.offsets, i, "constant_segment.offsets"), "the constant is not aligned",
                  absl::StrCat("a multiple of ", kUsual), Number(offset));
    }
  }

  void Use(uint32_t segment, SegmentUse use) {
    if (segment < uses_.size()) uses_[segment] |= use;
  }

  void MarkUses() {
    const fb::SubsegmentOffsets* constants = program_.constant_segment();
    if (constants != nullptr && CountOf(constants->offsets()) > 0) {
      Use(constants->segment_index(), constants->offsets()->size() > 1 ? kConstants : kPlaceholder);
    }
    for (uoffset_t i = 0; i < CountOf(program_.mutable_data_segments()); ++i) {
      const fb::SubsegmentOffsets& list = *program_.mutable_data_segments()->Get(i);
      Use(list.segment_index(), CountOf(list.offsets()) > 0 ? kMutable : kPlaceholder);
    }
    ForEachReference([&](const fb::BackendDelegateDataReference& reference) {
      if (reference.location() == fb::DataLocation::SEGMENT) Use(reference.index(), kDelegate);
    });
    for (uoffset_t i = 0; i < CountOf(program_.named_data()); ++i) Use(program_.named_data()->Get(i)->segment_index(), kNamed);
  }

  Judge& judge_;
  OpenContainer& container_;
  const fb::Program& program_;
  ProgramFacts& facts_;
  std::vector<uint8_t> uses_;
};

Pieces PiecesOf(const OpenContainer& container, const fb::SubsegmentOffsets* table) {
  if (table == nullptr || table->segment_index() >= container.segments.size()) return {};
  return {table->offsets(), container.segments[table->segment_index()].size};
}

}  // namespace

ProgramFacts FactsOf(const OpenContainer& container, const fb::Program& program) {
  const auto* lists = program.mutable_data_segments();
  ProgramFacts facts{program, {}, {}, ConstantsInSegment(program), 0, 0, {}, {}, {}};
  if (facts.constants_in_segment) facts.constants = PiecesOf(container, program.constant_segment());
  if (CountOf(lists) > 0) {
    facts.mutable_data = PiecesOf(container, lists->Get(0));
    facts.mutable_count = CountOf(lists->Get(0)->offsets());
  }
  const fb::SubsegmentOffsets* table = program.constant_segment();
  const size_t in_segment = table == nullptr ? 0 : CountOf(table->offsets());
  facts.constant_count = facts.constants_in_segment ? in_segment : CountOf(program.constant_buffer());
  facts.unaligned_constants.resize(facts.constant_count);
  facts.without_storage.resize(facts.constant_count);
  return facts;
}

absl::Status JudgeProgram(Judge& judge, OpenContainer& container, const fb::Program& program, ProgramFacts& facts) {
  return ProgramJudge(judge, container, program, facts).Run();
}

}  // namespace pte
