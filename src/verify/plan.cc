#include "src/verify/plan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/container/keys.h"

namespace pte {
namespace {

using fb::ExecutionPlan;
using fb::KernelTypes;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

// The runtime puts an operator's full name into a buffer of this size, terminator included.
constexpr size_t kOperatorNameRoom = 100;

// Backends that ship with the runtime or are known to register themselves with it.
constexpr std::array<std::string_view, 17> kBackends = {"XnnpackBackend",
                                                        "CoreMLBackend",
                                                        "MPSBackend",
                                                        "QnnBackend",
                                                        "VulkanBackend",
                                                        "EthosUBackend",
                                                        "ArmBackend",
                                                        "VgfBackend",
                                                        "OpenvinoBackend",
                                                        "NeuropilotBackend",
                                                        "EnnBackend",
                                                        "CudaBackend",
                                                        "AotiBackend",
                                                        "MetalBackend",
                                                        "MLXBackend",
                                                        "TensorRTBackend",
                                                        "BackendWithCompilerDemo"};

// Namespaces of the kernels that ship with it.
constexpr std::array<std::string_view, 7> kNamespaces = {"aten",    "executorch_prim", "dim_order_ops", "quantized_decomposed",
                                                         "cadence", "cortex_m",        "llama"};

bool IsKnownNamespace(std::string_view name) {
  const size_t end = name.find("::");
  return end != std::string_view::npos && std::find(kNamespaces.begin(), kNamespaces.end(), name.substr(0, end)) != kNamespaces.end();
}

bool IsKernelCall(const fb::Instruction* instruction) { return instruction->instr_args_as_KernelCall() != nullptr; }

class PlanJudge {
 public:
  PlanJudge(Judge& judge, const ExecutionPlan& plan) : judge_(judge), plan_(plan) {}

  void Run() {
    Presence();
    Ports(plan_.inputs(), "inputs");
    Ports(plan_.outputs(), "outputs");
    Operators();
    Delegates();
    BufferSizes();
    BufferDevices();
  }

 private:
  void Missing(Severity severity, voffset_t slot, std::string_view name) {
    // Values are what the runtime looks at without asking whether they are there.
    const std::optional<RuntimeReaction> runtime =
        slot == ExecutionPlan::VT_VALUES ? std::optional(RuntimeReaction::kCrashes) : std::nullopt;
    judge_.Add(severity, "P1", judge_.Field(plan_, slot, name), "the method lacks what the runtime asks for", "a list", "nothing", runtime);
  }

  void Presence() {
    const auto need = [&](const void* field, voffset_t slot, std::string_view name) {
      if (field == nullptr) Missing(Severity::kError, slot, name);
    };
    need(plan_.values(), ExecutionPlan::VT_VALUES, "values");
    need(plan_.inputs(), ExecutionPlan::VT_INPUTS, "inputs");
    need(plan_.outputs(), ExecutionPlan::VT_OUTPUTS, "outputs");
    need(plan_.chains(), ExecutionPlan::VT_CHAINS, "chains");
    need(plan_.delegates(), ExecutionPlan::VT_DELEGATES, "delegates");
    need(plan_.non_const_buffer_sizes(), ExecutionPlan::VT_NON_CONST_BUFFER_SIZES, "non_const_buffer_sizes");
    if (plan_.operators() == nullptr && HasKernelCall()) Missing(Severity::kError, ExecutionPlan::VT_OPERATORS, "operators");
    if (plan_.container_meta_type() == nullptr) {
      Missing(Severity::kWarning, ExecutionPlan::VT_CONTAINER_META_TYPE, "container_meta_type");
    }
  }

  bool HasKernelCall() const {
    for (uoffset_t i = 0; i < CountOf(plan_.chains()); ++i) {
      const auto* instructions = plan_.chains()->Get(i)->instructions();
      if (instructions != nullptr && std::any_of(instructions->begin(), instructions->end(), IsKernelCall)) return true;
    }
    return false;
  }

  void Ports(const flatbuffers::Vector<int32_t>* list, std::string_view name) {
    const size_t values = CountOf(plan_.values());
    for (uoffset_t i = 0; i < CountOf(list); ++i) {
      const int32_t index = list->Get(i);
      if (index < 0 || static_cast<size_t>(index) >= values) {
        judge_.Error("P3", judge_.Item(*list, i, name), "no such value", Below(values), absl::StrCat(index));
        continue;
      }
      const KernelTypes type = plan_.values()->Get(static_cast<uoffset_t>(index))->val_type();
      const bool is_list = type >= KernelTypes::IntList && type <= KernelTypes::OptionalTensorList;
      if (!is_list && type != KernelTypes::NONE) continue;
      judge_.Warn("P4", judge_.Item(*list, i, name), is_list ? "the runtime takes and gives no lists" : "the value is none",
                  "a tensor or a scalar", fb::EnumNameKernelTypes(type));
    }
  }

  void Operators() {
    ForEachTable(judge_, "operators", plan_.operators(), [&](uoffset_t, const fb::Operator& op) {
      const Spot spot = judge_.Object(op, fb::Operator::VT_NAME, "name");
      if (op.name() == nullptr) {
        judge_.Error("P6", spot, "the operator has no name", "a name", "nothing");
        return;
      }
      const size_t overload = TextOf(op.overload()).size();
      const size_t length = op.name()->size() + (overload == 0 ? 0 : overload + 1);
      if (length >= kOperatorNameRoom) {
        judge_.Error("P6", spot, "the operator's full name is longer than the runtime can hold",
                     absl::StrCat("at most ", kOperatorNameRoom - 1, " characters"), absl::StrCat(length));
      } else if (!IsKnownNamespace(TextOf(op.name()))) {
        judge_.Inform("P25", spot, "an operator that the runtime does not bring", "a known namespace", ShowKey(TextOf(op.name())));
      }
    });
  }

  void Delegates() {
    ForEachTable(judge_, "delegates", plan_.delegates(), [&](uoffset_t, const fb::BackendDelegate& delegate) {
      const Spot spot = judge_.Object(delegate, fb::BackendDelegate::VT_ID, "id");
      const std::string_view id = TextOf(delegate.id());
      if (delegate.id() == nullptr) {
        judge_.Error("P14", spot, "the delegate does not name its backend", "a backend's name", "nothing");
      } else if (std::find(kBackends.begin(), kBackends.end(), id) == kBackends.end()) {
        judge_.Inform("P25", spot, "a backend that the runtime does not bring", "a known backend", ShowKey(id));
      }
      CompileSpecs(delegate);
    });
  }

  void CompileSpecs(const fb::BackendDelegate& delegate) {
    using fb::CompileSpec;
    ForEachTable(judge_, "compile_specs", delegate.compile_specs(), [&](uoffset_t, const CompileSpec& spec) {
      if (spec.key() == nullptr) {
        judge_.Error("P15", judge_.Object(spec, CompileSpec::VT_KEY, "key"), "the compile spec has no key", "a key", "nothing");
      }
      if (spec.value() == nullptr) {
        judge_.Error("P15", judge_.Object(spec, CompileSpec::VT_VALUE, "value"), "the compile spec has no value", "a value", "nothing");
      }
    });
  }

  void BufferSizes() {
    const auto* sizes = plan_.non_const_buffer_sizes();
    if (sizes == nullptr) return;
    const uint64_t most = judge_.container().options.limits.max_planned_bytes;
    for (uoffset_t i = 0; i < sizes->size(); ++i) {
      const Spot spot = judge_.Item(*sizes, i, "non_const_buffer_sizes");
      const int64_t size = sizes->Get(i);
      if (size < 0) {
        judge_.Error("P19", spot, "a negative size", "at least 0", absl::StrCat(size));
      } else if (static_cast<uint64_t>(size) > most) {
        judge_.Error("P19", spot, "a planned buffer beyond Limits::max_planned_bytes", absl::StrCat("at most ", Number(most)),
                     Number(static_cast<uint64_t>(size)));
      } else if (i == 0 && size != 0) {
        judge_.Warn("P19", spot, "buffer 0 is reserved, and has no bytes", "0", absl::StrCat(size));
      }
    }
    if (sizes->size() == 0 && HasPlannedTensor()) {
      judge_.Error("P19", judge_.Object(plan_, ExecutionPlan::VT_NON_CONST_BUFFER_SIZES, "non_const_buffer_sizes"),
                   "tensors are planned, but there is no buffer", "at least 2", "0");
    }
  }

  bool HasPlannedTensor() const {
    for (uoffset_t i = 0; i < CountOf(plan_.values()); ++i) {
      const fb::Tensor* tensor = plan_.values()->Get(i)->val_as_Tensor();
      if (tensor != nullptr && tensor->allocation_info() != nullptr) return true;
    }
    return false;
  }

  void BufferDevices() {
    using fb::NonConstBufferDevice;
    const size_t count = CountOf(plan_.non_const_buffer_sizes());
    std::vector<bool> seen(count);
    ForEachTable(judge_, "non_const_buffer_device", plan_.non_const_buffer_device(), [&](uoffset_t, const NonConstBufferDevice& device) {
      const Spot spot = judge_.Field(device, NonConstBufferDevice::VT_BUFFER_IDX, "buffer_idx");
      const int32_t index = device.buffer_idx();
      if (device.device_type() != fb::DeviceType::CPU && device.device_type() != fb::DeviceType::CUDA) {
        judge_.Error("P20", judge_.Field(device, NonConstBufferDevice::VT_DEVICE_TYPE, "device_type"), "no such device type",
                     "0 (CPU) or 1 (CUDA)", absl::StrCat(static_cast<int>(device.device_type())));
      }
      if (index < 0 || static_cast<size_t>(index) >= count) {
        judge_.Error("P20", spot, "no such planned buffer", Below(count), absl::StrCat(index));
        return;
      }
      if (seen[static_cast<size_t>(index)]) {
        judge_.Warn("P20", spot, "a second device for the same buffer; the first counts", "one device", absl::StrCat(index));
      }
      seen[static_cast<size_t>(index)] = true;
    });
  }

  Judge& judge_;
  const ExecutionPlan& plan_;
};

}  // namespace

void JudgePlan(Judge& judge, const ExecutionPlan& plan) { PlanJudge(judge, plan).Run(); }

}  // namespace pte
