#include "src/cli/summary.h"

#include <numeric>

#include "src/cli/shape.h"

namespace pte::cli {
namespace {

using flatbuffers::uoffset_t;

// What an item costs beside the bytes that it shows: about the space that it takes in the answer.
constexpr uint64_t kItemCost = 64;
// The same of a value of a method, which is kept as JSON until the method is complete.
constexpr uint64_t kValueCost = 1024;

class Gatherer {
 public:
  Gatherer(const PteFile& file, Budget& budget) : file_(file), budget_(budget) {}

  absl::Status Gather(size_t plan_index, const fb::ExecutionPlan& plan, Method& method) {
    method.table = &plan;
    method.name = ViewOf(plan.name());
    absl::Status status = budget_.Charge(kItemCost + method.name.size() + SizeOf(plan.non_const_buffer_sizes()) * sizeof(int64_t));
    if (status.ok()) status = Values(plan, plan.inputs(), method.inputs);
    if (status.ok()) status = Values(plan, plan.outputs(), method.outputs);
    if (status.ok()) status = Operators(plan, method.operators);
    if (status.ok()) status = Delegates(plan_index, plan, method.delegates);
    if (status.ok()) Instructions(plan, method);
    return status;
  }

 private:
  absl::Status Values(const fb::ExecutionPlan& plan, const flatbuffers::Vector<int32_t>* indices, std::vector<MethodValue>& out) {
    for (uoffset_t i = 0; i < SizeOf(indices); ++i) {
      MethodValue item{indices->Get(i), nullptr};
      const bool known = item.index >= 0 && static_cast<size_t>(item.index) < SizeOf(plan.values());
      if (known) item.value = plan.values()->Get(static_cast<uoffset_t>(item.index));
      const fb::Tensor* tensor = TensorOf(item.value);
      const absl::Status charged = budget_.Charge(kValueCost + (tensor == nullptr ? 0 : kNumberCost * NumbersShown(LayoutOf(*tensor))));
      if (!charged.ok()) return charged;
      out.push_back(item);
    }
    return absl::OkStatus();
  }

  absl::Status Operators(const fb::ExecutionPlan& plan, std::vector<OperatorCalls>& out) {
    for (uoffset_t i = 0; i < SizeOf(plan.operators()); ++i) {
      const fb::Operator* op = plan.operators()->Get(i);
      const absl::Status charged = budget_.Charge(kItemCost + SizeOf(op->name()) + SizeOf(op->overload()));
      if (!charged.ok()) return charged;
      out.push_back({op, 0});
    }
    return absl::OkStatus();
  }

  absl::Status CompileSpecs(const fb::BackendDelegate& delegate) {
    for (uoffset_t i = 0; i < SizeOf(delegate.compile_specs()); ++i) {
      const absl::Status charged = budget_.Charge(kItemCost + SizeOf(delegate.compile_specs()->Get(i)->key()));
      if (!charged.ok()) return charged;
    }
    return absl::OkStatus();
  }

  absl::Status Delegates(size_t plan_index, const fb::ExecutionPlan& plan, std::vector<DelegateUse>& out) {
    for (uoffset_t i = 0; i < SizeOf(plan.delegates()); ++i) {
      const fb::BackendDelegate* delegate = plan.delegates()->Get(i);
      absl::Status status = budget_.Charge(kItemCost + SizeOf(delegate->id()));
      if (status.ok()) status = CompileSpecs(*delegate);
      if (!status.ok()) return status;
      const absl::StatusOr<Payload> payload = file_.DelegatePayload(plan_index, i);
      if (!payload.ok()) return payload.status();
      out.push_back({ViewOf(delegate->id()), delegate, payload->file_offset(), payload->size()});
    }
    return absl::OkStatus();
  }

  static void CountCall(const fb::KernelCall* call, Method& method, uint64_t& outside) {
    const int64_t index = call == nullptr ? -1 : call->op_index();
    const bool known = index >= 0 && static_cast<size_t>(index) < method.operators.size();
    ++(known ? method.operators[static_cast<size_t>(index)].calls : outside);
  }

  static void Instructions(const fb::ExecutionPlan& plan, Method& method) {
    uint64_t outside = 0;
    for (uoffset_t c = 0; c < SizeOf(plan.chains()); ++c) {
      const auto* instructions = plan.chains()->Get(c)->instructions();
      for (uoffset_t i = 0; i < SizeOf(instructions); ++i) {
        const fb::Instruction* instruction = instructions->Get(i);
        method.instructions.Add(instruction->instr_args_type());
        if (instruction->instr_args_type() != fb::InstructionArguments::KernelCall) continue;
        CountCall(instruction->instr_args_as_KernelCall(), method, outside);
      }
    }
    if (outside != 0) method.operators.push_back({nullptr, outside});
  }

  const PteFile& file_;
  Budget& budget_;
};

}  // namespace

void InstructionCounts::Add(fb::InstructionArguments kind) {
  const auto index = static_cast<size_t>(kind);
  ++counts_[index < counts_.size() ? index : 0];
}

uint64_t InstructionCounts::total() const { return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0}); }

absl::StatusOr<std::vector<Method>> SummarizeMethods(const Container& container) {
  const auto* plans = container.program->program().execution_plan();
  Budget budget(container);
  Gatherer gatherer(*container.program, budget);
  std::vector<Method> methods;
  for (uoffset_t p = 0; p < SizeOf(plans); ++p) {
    methods.emplace_back();
    const absl::Status gathered = gatherer.Gather(p, *plans->Get(p), methods.back());
    if (!gathered.ok()) return gathered;
  }
  return methods;
}

std::vector<int64_t> PlannedMemory(const fb::ExecutionPlan& plan) {
  const auto* sizes = plan.non_const_buffer_sizes();
  if (SizeOf(sizes) == 0) return {};
  std::vector<int64_t> planned;
  for (uoffset_t i = 1; i < sizes->size(); ++i) planned.push_back(sizes->Get(i));
  return planned;
}

}  // namespace pte::cli
