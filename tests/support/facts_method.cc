#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "tests/support/facts.h"

namespace pte::test::facts {
namespace {

using nlohmann::json;

json Extra(const fb::ExtraTensorInfo* extra) {
  if (extra == nullptr) return nullptr;
  json name = nullptr;
  if (extra->fully_qualified_name() != nullptr) name = Text(extra->fully_qualified_name());
  return {{"fully_qualified_name", name},
          {"location", static_cast<int>(extra->location())},
          {"mutable_data_segments_idx", extra->mutable_data_segments_idx()},
          {"device_type", static_cast<int>(extra->device_type())},
          {"device_index", extra->device_index()}};
}

// [memory id, offset]
json Allocation(const fb::AllocationDetails* allocation) {
  if (allocation == nullptr) return nullptr;
  const uint64_t high = allocation->memory_offset_high();
  return {allocation->memory_id(), allocation->memory_offset_low() | high << 32};
}

json TensorFacts(const fb::Tensor& tensor) {
  return {{"dtype", Dtype(tensor.scalar_type())},
          {"scalar_type", static_cast<int>(tensor.scalar_type())},
          {"sizes", List(tensor.sizes())},
          {"dim_order", List(tensor.dim_order())},
          {"dynamism", static_cast<int>(tensor.shape_dynamism())},
          {"requires_grad", tensor.requires_grad()},
          {"data_buffer_idx", tensor.data_buffer_idx()},
          {"allocation", Allocation(tensor.allocation_info())},
          {"extra", Extra(tensor.extra_tensor_info())}};
}

json ValueFacts(const fb::ExecutionPlan& plan, int32_t index) {
  const fb::EValue& value = *plan.values()->Get(static_cast<unsigned>(index));
  json facts = {{"type", fb::EnumNameKernelTypes(value.val_type())}, {"value_index", index}};
  if (const auto* number = value.val_as_Int()) facts["value"] = number->int_val();
  if (const auto* truth = value.val_as_Bool()) facts["value"] = truth->bool_val();
  if (const auto* number = value.val_as_Double()) facts["value"] = Double(number->double_val());
  if (const auto* text = value.val_as_String()) facts["value"] = Text(text->string_val());
  if (const auto* tensor = value.val_as_Tensor()) facts.update(TensorFacts(*tensor));
  return facts;
}

json ValueList(const fb::ExecutionPlan& plan, const flatbuffers::Vector<int32_t>* indices) {
  json list = json::array();
  if (indices == nullptr) return list;
  for (const int32_t index : *indices) list.push_back(ValueFacts(plan, index));
  return list;
}

std::vector<const fb::Tensor*> Tensors(const fb::ExecutionPlan& plan) {
  std::vector<const fb::Tensor*> tensors;
  if (plan.values() == nullptr) return tensors;
  for (const fb::EValue* value : *plan.values()) {
    if (const fb::Tensor* tensor = value->val_as_Tensor()) tensors.push_back(tensor);
  }
  return tensors;
}

bool IsExternal(const fb::Tensor& tensor) {
  return tensor.extra_tensor_info() != nullptr && tensor.extra_tensor_info()->location() == fb::TensorDataLocation::EXTERNAL;
}

// Adds the four lists that tell where the first bytes of tensors come from; the two of bare numbers are sorted.
void AddTensorLists(const fb::ExecutionPlan& plan, json& facts) {
  json external = json::array();
  json named_mutable = json::array();
  std::vector<uint32_t> constants;
  std::vector<uint32_t> initialised;
  for (const fb::Tensor* tensor : Tensors(plan)) {
    const bool planned = tensor->allocation_info() != nullptr;
    const fb::ExtraTensorInfo* extra = tensor->extra_tensor_info();
    json named = {{"dtype", Dtype(tensor->scalar_type())}, {"sizes", List(tensor->sizes())}};
    if (IsExternal(*tensor)) {
      named["name"] = Text(extra->fully_qualified_name());
      named["dim_order"] = List(tensor->dim_order());
      named["mutable"] = planned;
      external.push_back(named);
      continue;
    }
    if (planned && extra != nullptr && extra->fully_qualified_name() != nullptr) {
      named["name"] = Text(extra->fully_qualified_name());
      named["data_buffer_idx"] = tensor->data_buffer_idx();
      named_mutable.push_back(named);
    }
    if (tensor->data_buffer_idx() != 0) (planned ? initialised : constants).push_back(tensor->data_buffer_idx());
  }
  std::sort(constants.begin(), constants.end());
  std::sort(initialised.begin(), initialised.end());
  facts["external_tensors"] = external;
  facts["named_mutable_buffers"] = named_mutable;
  facts["constant_tensors"] = constants;
  facts["initialised_mutable_tensors"] = initialised;
}

// Adds "values" and "value_kinds".
void AddValues(const fb::ExecutionPlan& plan, json& facts) {
  std::map<std::string, int> kinds;
  const size_t count = plan.values() == nullptr ? 0 : plan.values()->size();
  for (size_t i = 0; i < count; ++i) ++kinds[fb::EnumNameKernelTypes(plan.values()->Get(static_cast<unsigned>(i))->val_type())];
  facts["values"] = count;
  facts["value_kinds"] = kinds.empty() ? json::object() : json(kinds);
}

int FrameCount(const fb::Chain& chain, std::set<std::string>& files) {
  int count = 0;
  if (chain.stacktrace() == nullptr) return count;
  for (const fb::FrameList* list : *chain.stacktrace()) {
    if (list->items() == nullptr) continue;
    for (const fb::Frame* frame : *list->items()) {
      files.insert(Text(frame->filename()));
      ++count;
    }
  }
  return count;
}

// Adds "instructions", "stack_frames" and "stack_files".
void AddChains(const fb::ExecutionPlan& plan, json& facts) {
  std::map<std::string, int> instructions;
  std::set<std::string> files;
  int frames = 0;
  if (plan.chains() != nullptr) {
    for (const fb::Chain* chain : *plan.chains()) {
      frames += FrameCount(*chain, files);
      if (chain->instructions() == nullptr) continue;
      for (const fb::Instruction* instruction : *chain->instructions())
        ++instructions[fb::EnumNameInstructionArguments(instruction->instr_args_type())];
    }
  }
  facts["instructions"] = instructions.empty() ? json::object() : json(instructions);
  facts["stack_frames"] = frames;
  facts["stack_files"] = files;
}

// [buffer, device type, device index] each, null where the file has no list.
json BufferDevices(const fb::ExecutionPlan& plan) {
  if (plan.non_const_buffer_device() == nullptr) return nullptr;
  json list = json::array();
  for (const fb::NonConstBufferDevice* device : *plan.non_const_buffer_device())
    list.push_back({device->buffer_idx(), static_cast<int>(device->device_type()), device->device_index()});
  return list;
}

json ContainerMeta(const fb::ContainerMetadata* meta) {
  if (meta == nullptr) return nullptr;
  return {Text(meta->encoded_inp_str()), Text(meta->encoded_out_str())};
}

}  // namespace

json Operators(const fb::ExecutionPlan& plan) {
  std::set<std::string> names;
  if (plan.operators() != nullptr) {
    for (const fb::Operator* op : *plan.operators()) {
      const std::string overload = Text(op->overload());
      names.insert(absl::StrCat(Text(op->name()), overload.empty() ? "" : ".", overload));
    }
  }
  return names;
}

json Method(const fb::ExecutionPlan& plan) {
  json facts = {{"name", Text(plan.name())},
                {"inputs", ValueList(plan, plan.inputs())},
                {"outputs", ValueList(plan, plan.outputs())},
                {"operators", Operators(plan)},
                {"non_const_buffer_sizes", List(plan.non_const_buffer_sizes())},
                {"non_const_buffer_device", BufferDevices(plan)},
                {"container_meta", ContainerMeta(plan.container_meta_type())}};
  AddValues(plan, facts);
  AddChains(plan, facts);
  AddTensorLists(plan, facts);
  return facts;
}

}  // namespace pte::test::facts
