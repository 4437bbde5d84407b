// Finding what generated code would crash on, and how large its result may become, before it runs.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/flatbuffer/pack.h"

namespace pte {
namespace {

// More than any table takes up beside its strings and vectors, with its vtable and its place in a vector.
constexpr uint64_t kMostPerTable = 128;
constexpr uint64_t kMostPerList = 16;  // its length, its padding and the offset to it

absl::Status Null(const std::string& path, std::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat("program: ", path, ": no object; wanted ", std::string(wanted)));
}

// Sums up an upper bound of one execution plan's size.
class PlanChecker {
 public:
  PlanChecker(size_t index, size_t payloads) : prefix_(absl::StrCat("execution_plan[", index, "].")), payloads_(payloads) {}

  absl::Status Check(const fb::ExecutionPlanT& plan) {
    Table();
    List(plan.name);
    if (plan.container_meta_type) {
      Table();
      List(plan.container_meta_type->encoded_inp_str);
      List(plan.container_meta_type->encoded_out_str);
    }
    List(plan.inputs);
    List(plan.outputs);
    List(plan.non_const_buffer_sizes);
    PTE_RETURN_IF_ERROR(Each(plan.values, "values", [this](const fb::EValueT& value, auto path) { return Value(value, path); }));
    PTE_RETURN_IF_ERROR(Each(plan.chains, "chains", [this](const fb::ChainT& chain, auto path) { return Chain(chain, path); }));
    PTE_RETURN_IF_ERROR(Each(plan.operators, "operators", [this](const fb::OperatorT& op, auto) {
      List(op.name);
      List(op.overload);
      return absl::OkStatus();
    }));
    PTE_RETURN_IF_ERROR(
        Each(plan.delegates, "delegates", [this](const fb::BackendDelegateT& delegate, auto path) { return Delegate(delegate, path); }));
    return Each(plan.non_const_buffer_device, "non_const_buffer_device", [](const auto&, auto) { return absl::OkStatus(); });
  }

  uint64_t size() const { return size_; }

 private:
  void Add(uint64_t bytes) { size_ = CheckedAdd(size_, bytes).value_or(UINT64_MAX); }
  void Table() { Add(kMostPerTable); }
  template <class Items>
  void List(const Items& list) {
    Add(kMostPerList + list.size() * sizeof(typename Items::value_type));
  }
  void List(const std::vector<bool>& list) { Add(kMostPerList + list.size()); }

  // Calls check(item, path) for each; `path` is a callable that makes the text when it is needed.
  template <class Item, class CheckItem>
  absl::Status Each(const std::vector<std::unique_ptr<Item>>& items, const std::string& name, CheckItem check) {
    List(items);
    for (size_t i = 0; i < items.size(); ++i) {
      const auto path = [&] { return absl::StrCat(prefix_, name, "[", i, "]"); };
      if (items[i] == nullptr) return Null(path(), "one");
      Table();
      PTE_RETURN_IF_ERROR(check(*items[i], path));
    }
    return absl::OkStatus();
  }

  template <class Path>
  absl::Status Value(const fb::EValueT& value, Path path) {
    if (value.val.type != fb::KernelTypes::NONE && value.val.value == nullptr) return Null(path() + ".val", "one of the type's");
    Table();
    if (const auto* tensor = value.val.AsTensor()) Tensor(*tensor);
    if (const auto* text = value.val.AsString()) List(text->string_val);
    if (const auto* list = value.val.AsIntList()) List(list->items);
    if (const auto* list = value.val.AsDoubleList()) List(list->items);
    if (const auto* list = value.val.AsBoolList()) List(list->items);
    if (const auto* list = value.val.AsTensorList()) List(list->items);
    if (const auto* list = value.val.AsOptionalTensorList()) List(list->items);
    return absl::OkStatus();
  }

  void Tensor(const fb::TensorT& tensor) {
    List(tensor.sizes);
    List(tensor.dim_order);
    if (tensor.allocation_info) Table();
    if (!tensor.extra_tensor_info) return;
    Table();
    List(tensor.extra_tensor_info->fully_qualified_name);
  }

  template <class Path>
  absl::Status Chain(const fb::ChainT& chain, Path path) {
    List(chain.inputs);
    List(chain.outputs);
    const std::string prefix = std::exchange(prefix_, path() + ".");
    PTE_RETURN_IF_ERROR(Each(chain.instructions, "instructions",
                             [this](const fb::InstructionT& instruction, auto at) { return this->Instruction(instruction, at); }));
    PTE_RETURN_IF_ERROR(
        Each(chain.stacktrace, "stacktrace", [this](const fb::FrameListT& frames, auto at) { return this->Frames(frames, at); }));
    prefix_ = prefix;
    return absl::OkStatus();
  }

  template <class Path>
  absl::Status Instruction(const fb::InstructionT& instruction, Path path) {
    const auto& args = instruction.instr_args;
    if (args.type != fb::InstructionArguments::NONE && args.value == nullptr) return Null(path() + ".instr_args", "one of the type's");
    Table();
    if (const auto* kernel = args.AsKernelCall()) List(kernel->args);
    if (const auto* delegate = args.AsDelegateCall()) List(delegate->args);
    return absl::OkStatus();
  }

  template <class Path>
  absl::Status Frames(const fb::FrameListT& frames, Path path) {
    List(frames.items);
    for (size_t i = 0; i < frames.items.size(); ++i) {
      if (frames.items[i] == nullptr) return Null(absl::StrCat(path(), ".items[", i, "]"), "one");
      Table();
      List(frames.items[i]->filename);
      List(frames.items[i]->name);
      List(frames.items[i]->context);
    }
    return absl::OkStatus();
  }

  template <class Path>
  absl::Status Delegate(const fb::BackendDelegateT& delegate, Path path) {
    List(delegate.id);
    Table();
    if (delegate.processed == nullptr) return Null(path() + ".processed", "a reference to one of the delegate payloads");
    const fb::BackendDelegateDataReferenceT& reference = *delegate.processed;
    if (reference.location != fb::DataLocation::INLINE || reference.index >= payloads_) {
      return absl::InvalidArgumentError(
          absl::StrCat("program: ", path(), ".processed: refers to no delegate payload; wanted INLINE and an index below ", payloads_,
                       ", found location ", static_cast<int>(reference.location), " and index ", reference.index));
    }
    const std::string prefix = std::exchange(prefix_, path() + ".");
    PTE_RETURN_IF_ERROR(Each(delegate.compile_specs, "compile_specs", [this](const fb::CompileSpecT& spec, auto) {
      List(spec.key);
      List(spec.value);
      return absl::OkStatus();
    }));
    prefix_ = prefix;
    return absl::OkStatus();
  }

  std::string prefix_;
  size_t payloads_;
  uint64_t size_ = 0;
};

}  // namespace

absl::Status CheckProgram(const fb::ProgramT& program, const PayloadLists& lists) {
  if (program.version > kProgramVersion) {
    return absl::InvalidArgumentError(absl::StrCat("program: version: a newer schema than this library writes; wanted at most ",
                                                   kProgramVersion, ", found ", program.version));
  }
  std::vector<Contribution> parts;
  for (size_t i = 0; i < program.execution_plan.size(); ++i) {
    if (program.execution_plan[i] == nullptr) return Null(absl::StrCat("execution_plan[", i, "]"), "one");
    PlanChecker checker(i, lists.delegates.size());
    PTE_RETURN_IF_ERROR(checker.Check(*program.execution_plan[i]));
    parts.push_back({"execution_plan", i, checker.size()});
  }
  for (size_t i = 0; i < lists.inline_sizes.size(); ++i) parts.push_back({"backend_delegate_data", i, lists.inline_sizes[i]});
  uint64_t named = 0;
  for (const PayloadLists::Named& row : lists.named_data) named += kMostPerTable + row.key.size();
  parts.push_back({"named_data", std::nullopt, named});
  parts.push_back({"segments", std::nullopt, lists.segments.size() * kMostPerTable});
  parts.push_back({"constant_segment", std::nullopt, lists.constants.offsets.size() * sizeof(uint64_t)});
  return CheckFlatbufferSize(std::move(parts));
}

}  // namespace pte
