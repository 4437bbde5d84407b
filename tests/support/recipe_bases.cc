// The base files of the rules.
#include <memory>
#include <numeric>
#include <utility>

#include "tests/support/recipe.h"

namespace pte::test {
namespace {

fb::ExecutionPlanT& PlanOf(BaseProgram& base) { return *base.program.execution_plan[0]; }

std::unique_ptr<fb::AllocationDetailsT> PlannedAt(uint32_t offset) {
  auto out = std::make_unique<fb::AllocationDetailsT>();
  out->memory_id = 1;
  out->memory_offset_low = offset;
  return out;
}

fb::TensorT FloatTensor(std::vector<int32_t> sizes, uint32_t buffer) {
  fb::TensorT tensor;
  tensor.scalar_type = fb::ScalarType::FLOAT;
  tensor.dim_order.resize(sizes.size());
  std::iota(tensor.dim_order.begin(), tensor.dim_order.end(), uint8_t{0});
  tensor.sizes = std::move(sizes);
  tensor.data_buffer_idx = buffer;
  return tensor;
}

fb::TensorT StateTensor(std::vector<int32_t> sizes, uint32_t buffer, uint32_t planned_at) {
  fb::TensorT tensor = FloatTensor(std::move(sizes), buffer);
  tensor.allocation_info = PlannedAt(planned_at);
  tensor.extra_tensor_info = std::make_unique<fb::ExtraTensorInfoT>();
  tensor.extra_tensor_info->fully_qualified_name = "state";
  return tensor;
}

fb::TensorListT TensorsOf(std::vector<int32_t> items) {
  fb::TensorListT list;
  list.items = std::move(items);
  return list;
}

void AddMoreValues(fb::ExecutionPlanT& plan) {
  fb::OptionalTensorListT optional;
  optional.items = {-1, 5};
  fb::BoolListT bools;
  bools.items = {true, false};
  fb::BoolT yes;
  yes.bool_val = true;
  fb::DoubleT number;
  number.double_val = 1.5;
  plan.values.push_back(ValueOf(TensorsOf({5, 6})));
  plan.values.push_back(ValueOf(std::move(optional)));
  plan.values.push_back(ValueOf(std::move(bools)));
  plan.values.push_back(ValueOf(yes));
  plan.values.push_back(ValueOf(number));
}

void AddMoreInstructions(fb::ChainT& chain) {
  fb::MoveCallT move;
  move.move_to = 1;
  fb::JumpFalseCallT jump;
  jump.cond_value_index = 12;
  jump.destination_instruction = 4;
  fb::FreeCallT free;
  free.value_index = 4;
  chain.instructions.push_back(InstructionOf(move));
  chain.instructions.push_back(InstructionOf(jump));
  chain.instructions.push_back(InstructionOf(free));
}

// What BaseA, BaseB and BaseC have in common, completed. The backend is one that the runtime knows.
BaseProgram Completed(BaseProgram base) {
  AddMoreValues(PlanOf(base));
  AddMoreInstructions(*PlanOf(base).chains[0]);
  PlanOf(base).delegates[0]->id = "XnnpackBackend";
  return base;
}

BaseProgram ProgramB() {
  BaseProgram base = Completed(BaseB());
  PlanOf(base).values.push_back(ValueOf(StateTensor({2, 2}, 2, 32)));
  PlanOf(base).values.push_back(ValueOf(StateTensor({1}, 1, 48)));
  return base;
}

BaseProgram ProgramM() {
  BaseProgram base{MinimalProgram(), ""};
  PlanOf(base).container_meta_type = std::make_unique<fb::ContainerMetadataT>();
  return base;
}

BaseProgram ProgramD() {
  BaseProgram base = ProgramM();
  base.program.segments.clear();
  base.program.constant_segment->offsets.clear();
  base.program.constant_buffer.push_back(std::make_unique<fb::BufferT>());
  base.program.constant_buffer.push_back(std::make_unique<fb::BufferT>());
  base.program.constant_buffer[1]->storage.assign(16, 9);
  base.program.backend_delegate_data.push_back(std::make_unique<fb::BackendDelegateInlineDataT>());
  base.program.backend_delegate_data[0]->data.assign(5, 8);
  fb::ExecutionPlanT& plan = PlanOf(base);
  fb::TensorT planned = FloatTensor({2, 2}, 0);
  planned.allocation_info = PlannedAt(16);
  plan.values.push_back(ValueOf(fb::IntT()));
  plan.values.push_back(ValueOf(FloatTensor({4}, 1)));
  plan.values.push_back(ValueOf(std::move(planned)));
  plan.inputs = {0};
  plan.outputs = {2};
  plan.non_const_buffer_sizes = {0, 64};
  plan.operators.push_back(std::make_unique<fb::OperatorT>());
  plan.operators[0]->name = "aten::neg";
  plan.operators[0]->overload = "out";
  AddDelegate(base, fb::DataLocation::INLINE, 0);
  fb::KernelCallT kernel;
  kernel.args = {1, 2};
  fb::DelegateCallT delegate;
  delegate.args = {2};
  plan.chains[0]->instructions.push_back(InstructionOf(std::move(kernel)));
  plan.chains[0]->instructions.push_back(InstructionOf(std::move(delegate)));
  return base;
}

BaseProgram ProgramX() {
  BaseProgram base = ProgramA();
  fb::TensorT tensor = FloatTensor({4, 4}, 0);
  tensor.extra_tensor_info = std::make_unique<fb::ExtraTensorInfoT>();
  tensor.extra_tensor_info->fully_qualified_name = "weight";
  tensor.extra_tensor_info->location = fb::TensorDataLocation::EXTERNAL;
  PlanOf(base).values.push_back(ValueOf(std::move(tensor)));
  return base;
}

template <class Segment>
std::unique_ptr<Segment> Row(uint64_t offset, uint64_t size) {
  auto row = std::make_unique<Segment>();
  row->offset = offset;
  row->size = size;
  return row;
}

template <class NamedData, class Segment, class Root>
void AddRow(Root& root, std::string key, uint64_t offset, uint64_t size) {
  auto row = std::make_unique<NamedData>();
  row->key = std::move(key);
  row->segment_index = static_cast<uint32_t>(root.segments.size());
  root.named_data.push_back(std::move(row));
  root.segments.push_back(Row<Segment>(offset, size));
}

}  // namespace

BaseProgram ProgramA() { return Completed(BaseA()); }

Recipe A() {
  return Recipe([] { return ProgramA(); });
}
Recipe B() {
  return Recipe([] { return ProgramB(); });
}
Recipe C() {
  return Recipe([] { return Completed(BaseC()); });
}
Recipe D() {
  return Recipe([] { return ProgramD(); }).Header(0);
}
Recipe E() { return A().Header(24); }
Recipe M() {
  return Recipe([] { return ProgramM(); }).Header(0);
}
Recipe X() {
  return Recipe([] { return ProgramX(); });
}
Recipe P() {
  return Recipe([] { return BaseP(); });
}

Recipe BundleOf(const Recipe& program) {
  return Recipe([program] {
    fb::bundled::BundledProgramT bundle = BaseQ();
    const std::string file = program.File();
    bundle.program.assign(file.begin(), file.end());
    return bundle;
  });
}
Recipe Q() { return BundleOf(A()); }

void DropDelegate(BaseProgram& base) {
  fb::ExecutionPlanT& plan = PlanOf(base);
  auto& instructions = plan.chains[0]->instructions;
  plan.delegates.clear();
  instructions.erase(instructions.begin() + 1);
  instructions[2]->instr_args.AsJumpFalseCall()->destination_instruction = 3;
  base.program.segments.pop_back();
  base.data.resize(static_cast<size_t>(base.program.segments[0]->size));
}

void AddMethod(BaseProgram& base, std::string name) {
  BaseProgram other = ProgramM();
  PlanOf(other).name = std::move(name);
  base.program.execution_plan.push_back(std::move(other.program.execution_plan[0]));
}

void AddInput(BaseProgram& base, std::vector<int32_t> sizes) {
  PlanOf(base).inputs.push_back(static_cast<int32_t>(PlanOf(base).values.size()));
  PlanOf(base).values.push_back(ValueOf(FloatTensor(std::move(sizes), 0)));
}

void AddKey(BaseProgram& base, std::string key, uint64_t offset, uint64_t size) {
  AddRow<fb::NamedDataT, fb::DataSegmentT>(base.program, std::move(key), offset, size);
}

void AddKey(BaseDirectory& base, std::string key, uint64_t offset, uint64_t size) {
  AddRow<fb::flat_tensor::NamedDataT, fb::flat_tensor::DataSegmentT>(base.directory, std::move(key), offset, size);
}

void AddDelegate(BaseProgram& base, fb::DataLocation location, uint32_t index) {
  auto delegate = std::make_unique<fb::BackendDelegateT>();
  delegate->id = "XnnpackBackend";
  delegate->processed = std::make_unique<fb::BackendDelegateDataReferenceT>();
  delegate->processed->location = location;
  delegate->processed->index = index;
  PlanOf(base).delegates.push_back(std::move(delegate));
}

}  // namespace pte::test
