#include "src/verify/values.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/checked.h"
#include "src/base/fault.h"
#include "src/verify/tensor_data.h"
#include "src/verify/tensor_shape.h"

namespace pte {
namespace {

using fb::KernelTypes;
using flatbuffers::uoffset_t;

class ValueJudge {
 public:
  ValueJudge(Judge& judge, const fb::ExecutionPlan& plan, size_t plan_index, ProgramFacts& facts)
      : judge_(judge), plan_(plan), plan_index_(plan_index), facts_(facts), data_(judge, plan, facts), ports_(CountOf(plan.values())) {
    MarkPorts(plan.inputs(), kInput);
    MarkPorts(plan.outputs(), kOutput);
  }

  void Run() {
    ForEachTable(judge_, "values", plan_.values(), [&](uoffset_t i, const fb::EValue& value) {
      if (value.val() == nullptr) return;
      const FieldPath::Part part(judge_.path(), "val");
      Value(i, value);
    });
    ReportTrained();
  }

 private:
  static constexpr uint8_t kInput = 1;
  static constexpr uint8_t kOutput = 2;

  void MarkPorts(const flatbuffers::Vector<int32_t>* list, uint8_t port) {
    for (uoffset_t i = 0; i < CountOf(list); ++i) {
      const int32_t value = list->Get(i);
      if (value >= 0 && static_cast<size_t>(value) < ports_.size()) ports_[static_cast<size_t>(value)] |= port;
    }
  }

  void Value(uoffset_t index, const fb::EValue& value) {
    switch (value.val_type()) {
      case KernelTypes::Tensor: return Tensor(index, *value.val_as_Tensor());
      case KernelTypes::String: return String(*value.val_as_String());
      case KernelTypes::IntList: return IntList(*value.val_as_IntList());
      case KernelTypes::DoubleList: return static_cast<void>(HasItems(*value.val_as_DoubleList()));
      case KernelTypes::BoolList: return BoolList(*value.val_as_BoolList());
      case KernelTypes::TensorList: return TensorList(index, *value.val_as_TensorList());
      case KernelTypes::OptionalTensorList: return OptionalTensorList(index, *value.val_as_OptionalTensorList());
      default: return;
    }
  }

  void String(const fb::String& value) {
    if (value.string_val() != nullptr) return;
    judge_.Error("T23", judge_.Object(value, fb::String::VT_STRING_VAL, "string_val"), "the text is missing", "a string", "nothing");
  }

  template <class List>
  bool HasItems(const List& list) {
    if (list.items() != nullptr) return true;
    judge_.Error("T23", judge_.Object(list, List::VT_ITEMS, "items"), "the items are missing", "a list", "nothing");
    return false;
  }

  KernelTypes TypeOf(int64_t index) const { return plan_.values()->Get(static_cast<uoffset_t>(index))->val_type(); }
  bool Exists(int64_t index) const { return index >= 0 && static_cast<uint64_t>(index) < plan_.values()->size(); }

  void IntList(const fb::IntList& list) {
    if (!HasItems(list)) return;
    for (uoffset_t i = 0; i < list.items()->size(); ++i) {
      const int64_t item = list.items()->Get(i);
      const bool exists = Exists(item);
      if ((exists && TypeOf(item) == KernelTypes::Int) || judge_.Omits(Severity::kError)) continue;
      judge_.Add(Severity::kError, "T22", judge_.Item(*list.items(), i, "items"), exists ? "the item is no Int" : "no such value",
                 exists ? "the index of an Int" : Below(plan_.values()->size()), absl::StrCat(item),
                 exists ? std::nullopt : std::optional(RuntimeReaction::kRefuses));
    }
  }

  void BoolList(const fb::BoolList& list) {
    if (!HasItems(list)) return;
    const uint8_t* items = list.items()->Data();
    for (uoffset_t i = 0; i < list.items()->size(); ++i) {
      if (items[i] <= 1 || judge_.Omits(Severity::kError)) continue;
      judge_.Error("T24", judge_.Item(*list.items(), i, "items"), "no truth value", "0 or 1", absl::StrCat(int{items[i]}));
    }
  }

  void TensorList(uoffset_t own, const fb::TensorList& list) {
    if (!HasItems(list)) return;
    for (uoffset_t i = 0; i < list.items()->size(); ++i) {
      Member(own, list.items()->Get(i), judge_.Item(*list.items(), i, "items"), false);
    }
  }

  void OptionalTensorList(uoffset_t own, const fb::OptionalTensorList& list) {
    if (!HasItems(list)) return;
    for (uoffset_t i = 0; i < list.items()->size(); ++i) {
      const int32_t item = list.items()->Get(i);
      const Spot spot = judge_.Item(*list.items(), i, "items");
      if (item < -1 && !judge_.Omits(Severity::kError)) {
        judge_.Error("T21", spot, "neither a value nor none", "at least -1", absl::StrCat(item));
      } else if (item > -1) {
        Member(own, item, spot, true);
      }
    }
  }

  // The runtime makes the values in their order, and a list when its turn comes.
  void Member(uoffset_t own, int32_t item, const Spot& spot, bool may_be_none) {
    if (!Exists(item)) {
      if (judge_.Omits(Severity::kError)) return;
      judge_.Error("T19", spot, "no such value", Below(plan_.values()->size()), absl::StrCat(item));
      return;
    }
    const KernelTypes type = TypeOf(item);
    if (static_cast<uoffset_t>(item) == own || (type != KernelTypes::Tensor && !(may_be_none && type == KernelTypes::Null))) {
      if (judge_.Omits(Severity::kError)) return;
      judge_.Error("T19", spot, "the item is no tensor", "the index of a tensor", absl::StrCat(item));
    } else if (static_cast<uoffset_t>(item) > own && !judge_.Omits(Severity::kError)) {
      judge_.Error("T20", spot, "the item is a value that is made later than the list", Below(own), absl::StrCat(item));
    }
  }

  void Tensor(uoffset_t index, const fb::Tensor& tensor) {
    const bool is_dynamic_input = (ports_[index] & kInput) != 0 && tensor.shape_dynamism() == fb::TensorShapeDynamism::DYNAMIC_BOUND;
    const std::optional<uint64_t> bytes = JudgeShape(judge_, ShapeOf(tensor), kProgramShapes, is_dynamic_input);
    Attributes(tensor);
    data_.Run(tensor, bytes, ports_[index] != 0);
    if (IsExternal(tensor)) facts_.externals.push_back({plan_index_, index, &tensor});
  }

  void Attributes(const fb::Tensor& tensor) {
    if (tensor.storage_offset() != 0) {
      judge_.Error("T10", judge_.Field(tensor, fb::Tensor::VT_STORAGE_OFFSET, "storage_offset"),
                   "a tensor that begins inside its storage, which the runtime does not support", "0",
                   absl::StrCat(tensor.storage_offset()));
    }
    const auto dynamism = static_cast<int>(tensor.shape_dynamism());
    if (dynamism < 0 || dynamism > static_cast<int>(fb::TensorShapeDynamism::DYNAMIC_UNBOUND)) {
      judge_.Error("T11", judge_.Field(tensor, fb::Tensor::VT_SHAPE_DYNAMISM, "shape_dynamism"), "no such dynamism", "from 0 to 2",
                   absl::StrCat(dynamism));
    } else if (tensor.shape_dynamism() == fb::TensorShapeDynamism::DYNAMIC_UNBOUND) {
      judge_.Warn("T11", judge_.Field(tensor, fb::Tensor::VT_SHAPE_DYNAMISM, "shape_dynamism"),
                  "a shape without bounds, which the runtime refuses", "0 or 1", "2");
    }
    if (tensor.layout() != 0) {
      judge_.Warn("T18", judge_.Field(tensor, fb::Tensor::VT_LAYOUT, "layout"), "a layout other than strided, which the runtime ignores",
                  "0", absl::StrCat(int{tensor.layout()}));
    }
    if (tensor.requires_grad()) Trained(tensor);
  }

  void Trained(const fb::Tensor& tensor) {
    const bool is_constant = tensor.data_buffer_idx() > 0 && tensor.allocation_info() == nullptr;
    if (!is_constant || trained_++ != 0) return;
    first_trained_ = {*judge_.Field(tensor, fb::Tensor::VT_REQUIRES_GRAD, "").offset, judge_.path().Text() + ".requires_grad"};
  }

  // Exporters leave it on every parameter, so that one finding says it for all. The runtime computes no gradients.
  void ReportTrained() {
    if (trained_ == 0) return;
    judge_.Inform("T18", {first_trained_.first, first_trained_.second, std::nullopt, true}, "constants require gradients, first this one",
                  "none", absl::StrCat(trained_));
  }

  Judge& judge_;
  const fb::ExecutionPlan& plan_;
  size_t plan_index_;
  ProgramFacts& facts_;
  TensorDataJudge data_;
  std::vector<uint8_t> ports_;
  size_t trained_ = 0;
  std::pair<uint64_t, std::string> first_trained_;
};

}  // namespace

void JudgeValues(Judge& judge, const fb::ExecutionPlan& plan, size_t plan_index, ProgramFacts& facts) {
  ValueJudge(judge, plan, plan_index, facts).Run();
}

}  // namespace pte
