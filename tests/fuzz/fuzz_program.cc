#include "tests/fuzz/fuzz_program.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/build_file.h"

namespace pte::test {
namespace {

constexpr int64_t kPlannedBytes = 4096;

fb::TensorT BytesTensor(size_t bytes) {
  fb::TensorT tensor;
  tensor.sizes = {static_cast<int32_t>(bytes)};
  tensor.dim_order = {0};
  return tensor;
}

// Builds one plan. Values refer to earlier values only, by the lists of their kinds.
class PlanBuilder {
 public:
  PlanBuilder(FuzzInput& input, const PayloadSizes& payloads) : input_(input), payloads_(payloads) {}

  std::unique_ptr<fb::ExecutionPlanT> Build(std::string name) {
    plan_->name = std::move(name);
    plan_->non_const_buffer_sizes = {0, kPlannedBytes};
    if (input_.Flag()) plan_->container_meta_type = std::make_unique<fb::ContainerMetadataT>();
    // So that there is something of each kind to refer to.
    AddBool();
    AddTensor(PlannedTensor());
    for (size_t i = input_.Below(7); i > 0; --i) AddValue();
    for (size_t i = input_.Below(3); i > 0; --i) plan_->inputs.push_back(PlainValue());
    for (size_t i = input_.Below(3); i > 0; --i) plan_->outputs.push_back(PlainValue());
    for (size_t i = input_.Below(3); i > 0 && payloads_.delegates > 0; --i) AddDelegate();
    AddChain();
    if (input_.Flag()) AddDevice();
    return std::move(plan_);
  }

 private:
  int32_t NextIndex() const { return static_cast<int32_t>(plan_->values.size()); }
  int32_t OneOf(const std::vector<int32_t>& indices) { return indices[input_.Below(indices.size())]; }
  int32_t PlainValue() { return OneOf(plain_); }
  int32_t AnyValue() { return static_cast<int32_t>(input_.Below(plan_->values.size())); }

  template <class Kind>
  void Add(Kind kind) {
    plan_->values.push_back(ValueOf(std::move(kind)));
  }

  template <class Kind>
  void AddPlain(Kind kind) {
    plain_.push_back(NextIndex());
    Add(std::move(kind));
  }

  void AddBool() {
    bools_.push_back(NextIndex());
    fb::BoolT value;
    value.bool_val = input_.Flag();
    AddPlain(value);
  }

  void AddInt() {
    ints_.push_back(NextIndex());
    fb::IntT value;
    value.int_val = input_.Pick<int64_t>({0, -1, INT64_MAX, INT64_MIN, 7});
    AddPlain(value);
  }

  void AddTensor(fb::TensorT tensor) {
    tensors_.push_back(NextIndex());
    AddPlain(std::move(tensor));
  }

  void Allocate(fb::TensorT& tensor) {
    tensor.allocation_info = std::make_unique<fb::AllocationDetailsT>();
    tensor.allocation_info->memory_id = 1;
    tensor.allocation_info->memory_offset_low = static_cast<uint32_t>(input_.Below(8)) * 16;
  }

  fb::TensorT PlannedTensor() {
    fb::TensorT tensor = BytesTensor(input_.Below(64));
    Allocate(tensor);
    return tensor;
  }

  fb::TensorT ConstantTensor() {
    if (payloads_.constants.empty()) return PlannedTensor();
    const size_t constant = input_.Below(payloads_.constants.size());
    fb::TensorT tensor = BytesTensor(payloads_.constants[constant]);
    tensor.data_buffer_idx = static_cast<uint32_t>(constant) + 1;
    return tensor;
  }

  fb::TensorT StateTensor() {
    if (payloads_.mutable_data.empty()) return PlannedTensor();
    const size_t state = input_.Below(payloads_.mutable_data.size());
    fb::TensorT tensor = BytesTensor(std::min<size_t>(payloads_.mutable_data[state], 2048));
    Allocate(tensor);
    tensor.data_buffer_idx = static_cast<uint32_t>(state) + 1;
    tensor.extra_tensor_info = std::make_unique<fb::ExtraTensorInfoT>();
    tensor.extra_tensor_info->fully_qualified_name = "state";
    return tensor;
  }

  fb::TensorT ExternalTensor() {
    fb::TensorT tensor = BytesTensor(16);
    tensor.scalar_type = fb::ScalarType::FLOAT;
    tensor.extra_tensor_info = std::make_unique<fb::ExtraTensorInfoT>();
    tensor.extra_tensor_info->location = fb::TensorDataLocation::EXTERNAL;
    tensor.extra_tensor_info->fully_qualified_name = "weight";
    return tensor;
  }

  void AddString() {
    fb::StringT value;
    value.string_val = input_.Pick<const char*>({"", "text", "a longer text that fits in no small string"});
    AddPlain(value);
  }

  void AddDouble() {
    fb::DoubleT value;
    value.double_val = input_.Pick<double>({0.0, -1.5, 1e300});
    AddPlain(value);
  }

  void AddIntList() {
    fb::IntListT list;
    for (size_t i = input_.Below(4); i > 0 && !ints_.empty(); --i) list.items.push_back(OneOf(ints_));
    Add(list);
  }

  void AddOptionalTensorList() {
    fb::OptionalTensorListT list;
    for (size_t i = input_.Below(4); i > 0; --i) list.items.push_back(input_.Flag() ? OneOf(tensors_) : -1);
    Add(list);
  }

  void AddTensorList() {
    fb::TensorListT list;
    for (size_t i = input_.Below(4); i > 0; --i) list.items.push_back(OneOf(tensors_));
    Add(list);
  }

  void AddBoolList() {
    fb::BoolListT list;
    list.items.assign(input_.Below(10), input_.Flag());
    Add(list);
  }

  void AddDoubleList() {
    fb::DoubleListT list;
    list.items.assign(input_.Below(4), 0.25);
    Add(list);
  }

  void AddValue() {
    switch (input_.Below(14)) {
      case 0: return AddPlain(fb::NullT());
      case 1: return AddInt();
      case 2: return AddBool();
      case 3: return AddDouble();
      case 4: return AddString();
      case 5: return AddIntList();
      case 6: return AddDoubleList();
      case 7: return AddBoolList();
      case 8: return AddTensorList();
      case 9: return AddOptionalTensorList();
      case 10: return AddTensor(PlannedTensor());
      case 11: return AddTensor(StateTensor());
      case 12: return AddTensor(ExternalTensor());
      default: return AddTensor(ConstantTensor());
    }
  }

  void AddDelegate() {
    auto delegate = std::make_unique<fb::BackendDelegateT>();
    delegate->id = "TestBackend";
    delegate->processed = std::make_unique<fb::BackendDelegateDataReferenceT>();
    delegate->processed->index = static_cast<uint32_t>(input_.Below(payloads_.delegates));
    for (size_t i = input_.Below(3); i > 0; --i) {
      delegate->compile_specs.push_back(std::make_unique<fb::CompileSpecT>());
      delegate->compile_specs.back()->key = "spec";
      delegate->compile_specs.back()->value.assign(input_.Below(20), input_.Byte());
    }
    plan_->delegates.push_back(std::move(delegate));
  }

  void AddDevice() {
    auto device = std::make_unique<fb::NonConstBufferDeviceT>();
    device->buffer_idx = 1;
    plan_->non_const_buffer_device.push_back(std::move(device));
  }

  std::vector<int32_t> Args() {
    std::vector<int32_t> args(input_.Below(4));
    for (int32_t& arg : args) arg = AnyValue();
    return args;
  }

  std::unique_ptr<fb::InstructionT> KernelCall() {
    fb::KernelCallT call;
    call.args = Args();
    return InstructionOf(std::move(call));
  }

  std::unique_ptr<fb::InstructionT> DelegateCall() {
    if (plan_->delegates.empty()) return KernelCall();
    fb::DelegateCallT call;
    call.delegate_index = static_cast<int32_t>(input_.Below(plan_->delegates.size()));
    call.args = Args();
    return InstructionOf(std::move(call));
  }

  // To behind the last instruction, wherever that will be.
  std::unique_ptr<fb::InstructionT> Jump(size_t end) {
    fb::JumpFalseCallT call;
    call.cond_value_index = OneOf(bools_);
    call.destination_instruction = static_cast<int32_t>(end);
    return InstructionOf(call);
  }

  std::unique_ptr<fb::InstructionT> Move() {
    fb::MoveCallT call;
    call.move_from = OneOf(tensors_);
    call.move_to = call.move_from;
    return InstructionOf(call);
  }

  std::unique_ptr<fb::InstructionT> Free() {
    fb::FreeCallT call;
    call.value_index = OneOf(tensors_);
    return InstructionOf(call);
  }

  void AddChain() {
    plan_->operators.push_back(std::make_unique<fb::OperatorT>());
    plan_->operators.back()->name = "aten::add";
    plan_->operators.back()->overload = "out";
    plan_->chains.push_back(std::make_unique<fb::ChainT>());
    fb::ChainT& chain = *plan_->chains.back();
    const size_t count = input_.Below(5);
    for (size_t i = 0; i < count; ++i) chain.instructions.push_back(Instruction(count));
    if (input_.Flag()) AddFrames(chain);
  }

  std::unique_ptr<fb::InstructionT> Instruction(size_t count) {
    switch (input_.Below(5)) {
      case 0: return KernelCall();
      case 1: return DelegateCall();
      case 2: return Jump(count);
      case 3: return Move();
      default: return Free();
    }
  }

  static void AddFrames(fb::ChainT& chain) {
    for (size_t i = 0; i < chain.instructions.size(); ++i) {
      chain.stacktrace.push_back(std::make_unique<fb::FrameListT>());
      chain.stacktrace.back()->items.push_back(std::make_unique<fb::FrameT>());
      chain.stacktrace.back()->items.back()->filename = "model.py";
    }
  }

  FuzzInput& input_;
  const PayloadSizes& payloads_;
  std::unique_ptr<fb::ExecutionPlanT> plan_ = std::make_unique<fb::ExecutionPlanT>();
  std::vector<int32_t> plain_;  // all but lists
  std::vector<int32_t> bools_;
  std::vector<int32_t> ints_;
  std::vector<int32_t> tensors_;
};

}  // namespace

fb::ProgramT FuzzProgram(FuzzInput& input, const PayloadSizes& payloads) {
  fb::ProgramT program;
  const auto methods = input.Pick<size_t>({1, 0, 2, 1});
  for (size_t i = 0; i < methods; ++i) program.execution_plan.push_back(PlanBuilder(input, payloads).Build("m" + std::to_string(i)));
  return program;
}

}  // namespace pte::test
