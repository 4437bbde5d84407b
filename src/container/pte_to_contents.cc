#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "pte/pte_file.h"
#include "src/base/fault.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/container/contents_access.h"
#include "src/container/file_access.h"
#include "src/container/named_data_state.h"
#include "src/container/pte_checks.h"
#include "src/container/to_contents.h"

namespace pte {
namespace {

using flatbuffers::uoffset_t;

// What every reader may rely on for bytes inside the flatbuffer, and what is taken for intended at most.
constexpr uint64_t kLeastInlineAlignment = 16;
constexpr uint64_t kMostInlineAlignment = 4096;

class Converter {
 public:
  Converter(const PteFile& file, PteContents& contents)
      : file_(file),
        container_(FileAccess::Container(file)),
        program_(file.program()),
        contents_(contents),
        is_used_(container_.segments.size()) {}

  absl::Status Convert(const ToContentsOptions& options) {
    PTE_RETURN_IF_ERROR(
        CheckRewritable(container_, *fb::Program::MiniReflectTypeTable(), "S2", program_.version(), kProgramVersion, options));
    contents_.program.version = program_.version();
    PTE_RETURN_IF_ERROR(Constants());
    PTE_RETURN_IF_ERROR(MutableData(options));
    InlineDelegates();
    PTE_RETURN_IF_ERROR(Plans());
    NamedData();
    KeepSegments(container_, is_used_, contents_.kept);
    return absl::OkStatus();
  }

 private:
  // Bytes inside the flatbuffer, which is in memory.
  Rope InlineRope(const flatbuffers::Vector<uint8_t>* bytes, uint64_t& alignment) const {
    if (CountOf(bytes) == 0) return Rope();
    const uint64_t offset = container_.OffsetOf(bytes->Data());
    alignment = std::gcd(alignment, offset);
    return *container_.flatbuffer.Slice(offset, bytes->size());
  }

  absl::Status Constants() {
    if (!ConstantsInSegment(program_)) return InlineConstants();
    const fb::SubsegmentOffsets* table = program_.constant_segment();
    const std::optional<uint32_t> segment = file_.constant_segment();
    if (!segment) return absl::OkStatus();
    // A lone placeholder cuts nothing out of the segment that it names.
    if (table->offsets()->size() == 1 && container_.segments[*segment].size > 0) return absl::OkStatus();
    Keep(*table, *segment, contents_.constants);
    return absl::OkStatus();
  }

  void Keep(const fb::SubsegmentOffsets& table, uint32_t segment, SubsegmentList& list) {
    is_used_[segment] = true;
    ContentsAccess::Keep(list, SegmentRope(container_, segment), {table.offsets()->begin(), table.offsets()->end()}, segment);
  }

  absl::Status InlineConstants() {
    const auto& buffers = *program_.constant_buffer();
    if (CountOf(buffers.Get(0)->storage()) > 0) {
      return WithName(FaultStatus(absl::StatusCode::kUnimplemented,
                                  {"", container_.file_offset + container_.OffsetOf(buffers.Get(0)->storage()),
                                   "constant_buffer[0].storage", "the placeholder has bytes, which a constant segment cannot hold",
                                   "no bytes", Number(buffers.Get(0)->storage()->size())}),
                      container_.source->name());
    }
    uint64_t alignment = kMostInlineAlignment;
    bool has_bytes = false;
    for (uoffset_t i = 1; i < buffers.size(); ++i) {
      const auto* bytes = buffers.Get(i)->storage();
      has_bytes = has_bytes || CountOf(bytes) > 0;
      contents_.constants.push_back(InlineRope(bytes, alignment));
    }
    if (has_bytes) ContentsAccess::ConstantAlignment(contents_.kept) = std::max(alignment, kLeastInlineAlignment);
    return absl::OkStatus();
  }

  absl::Status MutableData(const ToContentsOptions& options) {
    const auto* tables = program_.mutable_data_segments();
    if (CountOf(tables) > 1 && !options.drop_unknown_fields) {
      return WithName(FaultStatus(absl::StatusCode::kUnimplemented,
                                  {"S21", container_.file_offset + container_.OffsetOf(tables), "mutable_data_segments",
                                   "entries behind the first, which nothing ever uses; rewriting the file would lose them", "1",
                                   absl::StrCat(tables->size())}),
                      container_.source->name());
    }
    if (const std::optional<uint32_t> segment = file_.mutable_data_segment()) Keep(*tables->Get(0), *segment, contents_.mutable_data);
    return absl::OkStatus();
  }

  void InlineDelegates() {
    uint64_t alignment = kMostInlineAlignment;
    bool has_bytes = false;
    for (uoffset_t i = 0; i < CountOf(program_.backend_delegate_data()); ++i) {
      const auto* bytes = program_.backend_delegate_data()->Get(i)->data();
      has_bytes = has_bytes || CountOf(bytes) > 0;
      contents_.delegate_payloads.emplace_back(InlineRope(bytes, alignment), DelegatePayload::Placement::kInline);
    }
    if (has_bytes) ContentsAccess::DelegateAlignment(contents_.kept) = std::max(alignment, kLeastInlineAlignment);
  }

  // Each plan as objects; its delegates then refer to the payload list, wherever the file has their bytes.
  absl::Status Plans() {
    for (uoffset_t i = 0; i < CountOf(program_.execution_plan()); ++i) {
      const fb::ExecutionPlan& stored = *program_.execution_plan()->Get(i);
      std::unique_ptr<fb::ExecutionPlanT> plan(stored.UnPack());
      PTE_RETURN_IF_ERROR(Unions(stored, absl::StrCat("execution_plan[", i, "]."), *plan));
      for (const auto& delegate : plan->delegates) Redirect(*delegate->processed);
      contents_.program.execution_plan.push_back(std::move(plan));
    }
    return absl::OkStatus();
  }

  absl::Status Unions(const fb::ExecutionPlan& stored, const std::string& prefix, fb::ExecutionPlanT& plan) const {
    for (uoffset_t i = 0; i < plan.values.size(); ++i) {
      const auto path = [&] { return absl::StrCat(prefix, "values[", i, "].val"); };
      PTE_RETURN_IF_ERROR(CheckUnion(stored.values()->Get(i), path, fb::KernelTypes::MAX, plan.values[i]->val));
    }
    for (uoffset_t c = 0; c < plan.chains.size(); ++c) {
      for (uoffset_t i = 0; i < plan.chains[c]->instructions.size(); ++i) {
        const auto path = [&] { return absl::StrCat(prefix, "chains[", c, "].instructions[", i, "].instr_args"); };
        PTE_RETURN_IF_ERROR(CheckUnion(stored.chains()->Get(c)->instructions()->Get(i), path, fb::InstructionArguments::MAX,
                                       plan.chains[c]->instructions[i]->instr_args));
      }
    }
    return absl::OkStatus();
  }

  // An unknown type that is still here may be dropped; it has no value to write.
  template <class Union, class Type, class Path>
  absl::Status CheckUnion(const void* owner, Path path, Type last_known, Union& value) const {
    if (value.type == Type::NONE || value.value != nullptr) return absl::OkStatus();
    if (value.type > last_known) {
      value.type = Type::NONE;
      return absl::OkStatus();
    }
    return WithName(FaultStatus(absl::StatusCode::kDataLoss,
                                {"F6", container_.file_offset + container_.OffsetOf(owner), path(), "a type without its value", "a value",
                                 absl::StrCat("type ", static_cast<int>(value.type), " and nothing")}),
                    container_.source->name());
  }

  void Redirect(fb::BackendDelegateDataReferenceT& reference) {
    if (reference.location == fb::DataLocation::INLINE) return;
    const auto [payload, is_new] = payload_of_segment_.try_emplace(reference.index, contents_.delegate_payloads.size());
    if (is_new) {
      is_used_[reference.index] = true;
      contents_.delegate_payloads.push_back(ContentsAccess::KeptDelegate(SegmentRope(container_, reference.index), reference.index));
    }
    reference.location = fb::DataLocation::INLINE;
    reference.index = static_cast<uint32_t>(payload->second);
  }

  void NamedData() {
    StoreAccess::KeptPayloads payloads;
    for (const NamedEntry& entry : file_.named_data()) {
      is_used_[entry.segment_index] = true;
      StoreAccess::AppendKept(contents_.named_data, entry.key, SegmentRope(container_, entry.segment_index), entry.segment_index,
                              std::nullopt, payloads);
    }
  }

  const PteFile& file_;
  const OpenContainer& container_;
  const fb::Program& program_;
  PteContents& contents_;
  std::vector<bool> is_used_;
  std::unordered_map<uint32_t, size_t> payload_of_segment_;
};

}  // namespace

absl::StatusOr<PteContents> PteFile::ToContents(const ToContentsOptions& options) const {
  return WithoutThrowing([&]() -> absl::StatusOr<PteContents> {
    PteContents contents;
    PTE_RETURN_IF_ERROR(Converter(*this, contents).Convert(options));
    return contents;
  });
}

}  // namespace pte
