#include "src/verify/instructions.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace pte {
namespace {

using fb::InstructionArguments;
using fb::KernelTypes;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

class ChainJudge {
 public:
  ChainJudge(Judge& judge, const fb::ExecutionPlan& plan, const fb::Chain& chain)
      : judge_(judge), plan_(plan), chain_(chain), count_(CountOf(chain.instructions())) {}

  void Run() {
    Ports(chain_.inputs(), "inputs");
    Ports(chain_.outputs(), "outputs");
    StackTraces();
    if (chain_.instructions() == nullptr) {
      judge_.Error("P2", judge_.Object(chain_, fb::Chain::VT_INSTRUCTIONS, "instructions"), "the chain's instructions are missing",
                   "a list, which may be empty", "nothing");
      return;
    }
    ForEachTable(judge_, "instructions", chain_.instructions(), [&](uoffset_t i, const fb::Instruction& instruction) {
      if (instruction.instr_args() == nullptr) return;
      const FieldPath::Part part(judge_.path(), "instr_args");
      Instruction(i, instruction);
    });
  }

 private:
  void Ports(const flatbuffers::Vector<int32_t>* list, std::string_view name) {
    for (uoffset_t i = 0; i < CountOf(list); ++i) {
      if (IsValue(list->Get(i))) continue;
      judge_.Warn("P23", judge_.Item(*list, i, name), "no such value; the runtime does not look", Below(CountOf(plan_.values())),
                  absl::StrCat(list->Get(i)));
    }
  }

  void StackTraces() {
    const auto* traces = chain_.stacktrace();
    if (traces == nullptr) return;
    if (traces->size() != count_) {
      judge_.Warn("P24", judge_.Object(chain_, fb::Chain::VT_STACKTRACE, "stacktrace"), "not one stack trace for each instruction",
                  absl::StrCat(count_), absl::StrCat(traces->size()));
    }
    ForEachTable(judge_, "stacktrace", traces, [&](uoffset_t, const fb::FrameList& trace) {
      if (trace.items() != nullptr) return;
      judge_.Warn("P24", judge_.Object(trace, fb::FrameList::VT_ITEMS, "items"), "the stack trace has no list of frames", "a list",
                  "nothing");
    });
  }

  void Instruction(uoffset_t index, const fb::Instruction& instruction) {
    switch (instruction.instr_args_type()) {
      case InstructionArguments::KernelCall: return KernelCall(*instruction.instr_args_as_KernelCall());
      case InstructionArguments::DelegateCall: return DelegateCall(*instruction.instr_args_as_DelegateCall());
      case InstructionArguments::MoveCall: return MoveCall(*instruction.instr_args_as_MoveCall());
      case InstructionArguments::JumpFalseCall: return JumpFalseCall(index, *instruction.instr_args_as_JumpFalseCall());
      case InstructionArguments::FreeCall: return FreeCall(*instruction.instr_args_as_FreeCall());
      default: return;
    }
  }

  bool IsValue(int64_t index) const { return index >= 0 && static_cast<uint64_t>(index) < CountOf(plan_.values()); }
  KernelTypes TypeOf(int32_t index) const { return plan_.values()->Get(static_cast<uoffset_t>(index))->val_type(); }

  void KernelCall(const fb::KernelCall& call) {
    Index("P5", judge_.Field(call, fb::KernelCall::VT_OP_INDEX, "op_index"), "no such operator", call.op_index(),
          CountOf(plan_.operators()));
    Arguments(call, call.args());
  }

  void DelegateCall(const fb::DelegateCall& call) {
    Index("P8", judge_.Field(call, fb::DelegateCall::VT_DELEGATE_INDEX, "delegate_index"), "no such delegate", call.delegate_index(),
          CountOf(plan_.delegates()));
    Arguments(call, call.args());
  }

  bool Index(std::string_view rule, const Spot& spot, std::string_view what, int32_t index, size_t count) {
    if (index >= 0 && static_cast<size_t>(index) < count) return true;
    judge_.Error(rule, spot, what, Below(count), absl::StrCat(index));
    return false;
  }

  template <class Call>
  void Arguments(const Call& call, const flatbuffers::Vector<int32_t>* arguments) {
    if (arguments == nullptr) {
      judge_.Error("P7", judge_.Object(call, Call::VT_ARGS, "args"), "the arguments are missing", "a list", "nothing");
      return;
    }
    arguments_ += arguments->size();
    for (uoffset_t i = 0; i < arguments->size(); ++i) {
      if (!IsValue(arguments->Get(i)) && !judge_.Omits(Severity::kError)) {
        judge_.Error("P7", judge_.Item(*arguments, i, "args"), "no such value", Below(CountOf(plan_.values())),
                     absl::StrCat(arguments->Get(i)));
      }
    }
  }

  bool Value(std::string_view rule, const Spot& spot, int32_t index) {
    return Index(rule, spot, "no such value", index, CountOf(plan_.values()));
  }

  void MoveCall(const fb::MoveCall& call) {
    const Spot from = judge_.Field(call, fb::MoveCall::VT_MOVE_FROM, "move_from");
    const Spot to = judge_.Field(call, fb::MoveCall::VT_MOVE_TO, "move_to");
    const bool has_from = Value("P12", from, call.move_from());
    if (!Value("P12", to, call.move_to()) || !has_from || TypeOf(call.move_from()) == TypeOf(call.move_to())) return;
    judge_.Warn("P12", to, "the value moved is of another type than the one it replaces", fb::EnumNameKernelTypes(TypeOf(call.move_from())),
                fb::EnumNameKernelTypes(TypeOf(call.move_to())));
  }

  void FreeCall(const fb::FreeCall& call) {
    const Spot spot = judge_.Field(call, fb::FreeCall::VT_VALUE_INDEX, "value_index");
    if (!Value("P12", spot, call.value_index()) || TypeOf(call.value_index()) == KernelTypes::Tensor) return;
    judge_.Error("P12", spot, "only tensors can be freed", "the index of a tensor", fb::EnumNameKernelTypes(TypeOf(call.value_index())));
  }

  void JumpFalseCall(uoffset_t index, const fb::JumpFalseCall& call) {
    const Spot condition = judge_.Field(call, fb::JumpFalseCall::VT_COND_VALUE_INDEX, "cond_value_index");
    if (Value("P11", condition, call.cond_value_index())) Condition(condition, call.cond_value_index());
    const Spot spot = judge_.Field(call, fb::JumpFalseCall::VT_DESTINATION_INSTRUCTION, "destination_instruction");
    const int64_t destination = call.destination_instruction();
    if (destination < 0 || static_cast<uint64_t>(destination) > count_) {
      judge_.Error("P9", spot, "no such instruction", absl::StrCat("from 0 to ", count_), absl::StrCat(destination));
    } else if (destination <= index && !MayEnd(static_cast<uoffset_t>(destination), index, call.cond_value_index())) {
      judge_.Warn("P10", spot, "a loop that nothing ends: its condition is not computed inside", absl::StrCat("above ", index),
                  absl::StrCat(destination));
    }
  }

  void Condition(const Spot& spot, int32_t index) {
    const fb::EValue& value = *plan_.values()->Get(static_cast<uoffset_t>(index));
    if (value.val() == nullptr || value.val_type() == KernelTypes::Bool) return;
    const fb::Tensor* tensor = value.val_as_Tensor();
    if (tensor != nullptr && tensor->scalar_type() == fb::ScalarType::BOOL) return;
    judge_.Error("P11", spot, "the condition is neither a Bool nor a tensor of them", "Bool", fb::EnumNameKernelTypes(value.val_type()));
  }

  // Whether an instruction of the loop may change its condition or leave it. Looking at a loop takes as long as it is, with its arguments;
  // that all loops together take no longer than the chain, `looked_` sees to.
  bool MayEnd(uoffset_t begin, uoffset_t end, int32_t condition) {
    constexpr size_t kLooks = 16;
    for (uoffset_t i = begin; i < end; ++i) {
      if (++looked_ > kLooks * (count_ + arguments_)) return true;
      const fb::Instruction& instruction = *chain_.instructions()->Get(i);
      if (Touches(instruction, condition)) return true;
      const fb::JumpFalseCall* jump = instruction.instr_args_as_JumpFalseCall();
      if (jump != nullptr && (jump->destination_instruction() > int64_t{end} || jump->destination_instruction() < int64_t{begin}))
        return true;
    }
    return false;
  }

  bool Touches(const fb::Instruction& instruction, int32_t value) {
    const auto has = [&](const flatbuffers::Vector<int32_t>* list) {
      looked_ += CountOf(list);
      return list != nullptr && std::find(list->begin(), list->end(), value) != list->end();
    };
    if (const fb::KernelCall* call = instruction.instr_args_as_KernelCall()) return has(call->args());
    if (const fb::DelegateCall* call = instruction.instr_args_as_DelegateCall()) return has(call->args());
    if (const fb::MoveCall* call = instruction.instr_args_as_MoveCall()) return call->move_to() == value;
    return false;
  }

  Judge& judge_;
  const fb::ExecutionPlan& plan_;
  const fb::Chain& chain_;
  size_t count_;
  size_t arguments_ = 0;  // of the calls so far
  size_t looked_ = 0;
};

}  // namespace

void JudgeChains(Judge& judge, const fb::ExecutionPlan& plan) {
  if (CountOf(plan.chains()) == 0 && plan.chains() != nullptr) {
    judge.Error("P2", judge.Object(plan, fb::ExecutionPlan::VT_CHAINS, "chains"), "the method has no chain", "at least 1", "0");
  }
  ForEachTable(judge, "chains", plan.chains(), [&](uoffset_t, const fb::Chain& chain) { ChainJudge(judge, plan, chain).Run(); });
}

}  // namespace pte
