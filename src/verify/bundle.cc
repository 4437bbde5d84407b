#include "src/verify/bundle.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/base/fault.h"
#include "src/container/tensor_layout.h"
#include "src/verify/named_keys.h"
#include "src/verify/tensor_shape.h"

namespace pte {
namespace {

using fb::KernelTypes;
using fb::bundled::BundledMethodTestCase;
using fb::bundled::BundledMethodTestSuite;
using fb::bundled::Value;
using fb::bundled::ValueUnion;
using flatbuffers::uoffset_t;
using Values = flatbuffers::Vector<flatbuffers::Offset<Value>>;

// The methods of the program, by name.
class Methods {
 public:
  explicit Methods(const fb::Program* program) : is_known_(program != nullptr) {
    if (program == nullptr) return;
    for (uoffset_t i = 0; i < CountOf(program->execution_plan()); ++i) {
      const fb::ExecutionPlan* plan = program->execution_plan()->Get(i);
      plans_.emplace_back(TextOf(plan->name()), plan);
    }
    std::stable_sort(plans_.begin(), plans_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  bool is_known() const { return is_known_; }
  const fb::ExecutionPlan* Find(std::string_view name) const {
    const auto at = std::lower_bound(plans_.begin(), plans_.end(), name, [](const auto& a, std::string_view b) { return a.first < b; });
    return at != plans_.end() && at->first == name ? at->second : nullptr;
  }

 private:
  bool is_known_;
  std::vector<std::pair<std::string_view, const fb::ExecutionPlan*>> plans_;
};

KernelTypes TypeInProgram(ValueUnion type) {
  switch (type) {
    case ValueUnion::Tensor: return KernelTypes::Tensor;
    case ValueUnion::Int: return KernelTypes::Int;
    case ValueUnion::Bool: return KernelTypes::Bool;
    case ValueUnion::Double: return KernelTypes::Double;
    default: return KernelTypes::NONE;
  }
}

class SuiteJudge {
 public:
  SuiteJudge(Judge& judge, const fb::ExecutionPlan* plan) : judge_(judge), plan_(plan) {}

  void Case(const BundledMethodTestCase& test) {
    const size_t inputs = CountOf(test.inputs());
    const size_t outputs = CountOf(test.expected_outputs());
    if (plan_ != nullptr && inputs != CountOf(plan_->inputs())) {
      judge_.Error("B6", judge_.Object(test, BundledMethodTestCase::VT_INPUTS, "inputs"), "not the number of inputs that the method has",
                   absl::StrCat(CountOf(plan_->inputs())), absl::StrCat(inputs));
    }
    // None at all says that outputs are not to be compared.
    if (plan_ != nullptr && outputs != 0 && outputs < CountOf(plan_->outputs())) {
      judge_.Error("B6", judge_.Object(test, BundledMethodTestCase::VT_EXPECTED_OUTPUTS, "expected_outputs"),
                   "fewer values than the method has outputs", absl::StrCat(CountOf(plan_->outputs()), ", or none"), absl::StrCat(outputs));
    }
    List(test.inputs(), "inputs", plan_ == nullptr ? nullptr : plan_->inputs());
    List(test.expected_outputs(), "expected_outputs", plan_ == nullptr ? nullptr : plan_->outputs());
  }

 private:
  void List(const Values* values, std::string_view name, const flatbuffers::Vector<int32_t>* ports) {
    ForEachTable(judge_, name, values, [&](uoffset_t i, const Value& value) {
      if (value.val() == nullptr) return;
      const fb::EValue* wanted = PortValue(ports, i);
      if (const fb::bundled::Tensor* tensor = value.val_as_Tensor()) {
        const FieldPath::Part part(judge_.path(), "val");
        Tensor(*tensor);
      }
      if (wanted != nullptr) Compare(value, *wanted);
    });
  }

  // The value of the program that a port stands for; nullptr where the program's own rules have something to say.
  const fb::EValue* PortValue(const flatbuffers::Vector<int32_t>* ports, uoffset_t i) const {
    if (i >= CountOf(ports)) return nullptr;
    const int32_t index = ports->Get(i);
    if (index < 0 || static_cast<size_t>(index) >= CountOf(plan_->values())) return nullptr;
    const fb::EValue* value = plan_->values()->Get(static_cast<uoffset_t>(index));
    return value->val() == nullptr ? nullptr : value;
  }

  void Tensor(const fb::bundled::Tensor& tensor) {
    const std::optional<uint64_t> bytes = JudgeShape(judge_, ShapeOf(tensor), kBundleShapes);
    const Spot spot = judge_.Object(tensor, fb::bundled::Tensor::VT_DATA, "data");
    if (tensor.data() == nullptr) {
      judge_.Error("B7", spot, "the tensor has no data", "a vector", "nothing");
    } else if (bytes && tensor.data()->size() != *bytes) {
      const bool is_short = tensor.data()->size() < *bytes;
      judge_.Add(is_short ? Severity::kError : Severity::kWarning, "B7", spot,
                 is_short ? "less data than the tensor has" : "more data than the tensor has", absl::StrCat(Number(*bytes), " bytes"),
                 Number(tensor.data()->size()));
    }
  }

  void Compare(const Value& value, const fb::EValue& wanted) {
    const KernelTypes type = TypeInProgram(value.val_type());
    if (type == KernelTypes::NONE) return;
    if (type != wanted.val_type()) {
      judge_.Error("B8", judge_.Field(value, Value::VT_VAL_TYPE, "val_type"), "another type than the method's value has",
                   fb::EnumNameKernelTypes(wanted.val_type()), fb::EnumNameKernelTypes(type));
      return;
    }
    const fb::bundled::Tensor* tensor = value.val_as_Tensor();
    if (tensor == nullptr) return;
    DimOrder(*tensor, *wanted.val_as_Tensor());
    if (tensor->scalar_type() == wanted.val_as_Tensor()->scalar_type()) return;
    const auto show = [](fb::ScalarType dtype) { return absl::StrCat(static_cast<int>(dtype), " (", ToAbsl(DtypeName(dtype)), ")"); };
    if (!RuntimeElementSize(tensor->scalar_type())) return;
    const FieldPath::Part part(judge_.path(), "val");
    judge_.Error("B8", judge_.Field(*tensor, fb::bundled::Tensor::VT_SCALAR_TYPE, "scalar_type"),
                 "another element type than the method's tensor has", show(wanted.val_as_Tensor()->scalar_type()),
                 show(tensor->scalar_type()));
  }

  // The runtime takes a case's bytes as they are. Exporters write every case in the usual order, whatever the method's input has.
  void DimOrder(const fb::bundled::Tensor& tensor, const fb::Tensor& wanted) {
    if (!HasOrder(tensor) || !HasOrder(wanted)) return;
    const std::vector<uint8_t> found = OrderOfBytes(tensor);
    const std::vector<uint8_t> order = OrderOfBytes(wanted);
    if (found.size() != order.size() || found == order) return;
    const auto show = [](const auto& list) { return absl::StrCat("[", absl::StrJoin(list, ", "), "]"); };
    const FieldPath::Part part(judge_.path(), "val");
    judge_.Warn("B8", judge_.Object(tensor, fb::bundled::Tensor::VT_DIM_ORDER, "dim_order"),
                "the bytes are in another order than the method's tensor has them", show(*wanted.dim_order()), show(*tensor.dim_order()));
  }

  template <class Tensor>
  static bool HasOrder(const Tensor& tensor) {
    if (tensor.sizes() == nullptr || tensor.dim_order() == nullptr) return false;
    const std::span<const uint8_t> order(tensor.dim_order()->data(), tensor.dim_order()->size());
    return order.size() == tensor.sizes()->size() && !FirstOutOfOrder(order, order.size());
  }

  // The dim order without the dimensions of one element, which make no difference to where bytes are.
  template <class Tensor>
  static std::vector<uint8_t> OrderOfBytes(const Tensor& tensor) {
    std::vector<uint8_t> order;
    for (const uint8_t dim : *tensor.dim_order()) {
      if (tensor.sizes()->Get(dim) != 1) order.push_back(dim);
    }
    return order;
  }

  Judge& judge_;
  const fb::ExecutionPlan* plan_;
};

const fb::ExecutionPlan* JudgeName(Judge& judge, const BundledMethodTestSuite& suite, const Methods& methods) {
  const Spot spot = judge.Object(suite, BundledMethodTestSuite::VT_METHOD_NAME, "method_name");
  if (suite.method_name() == nullptr) {
    judge.Error("B5", spot, "the test suite does not name its method", "a name", "nothing");
    return nullptr;
  }
  const fb::ExecutionPlan* plan = methods.Find(TextOf(suite.method_name()));
  if (plan == nullptr && methods.is_known()) {
    judge.Add(Severity::kError, "B5", spot, "the program has no such method", "the name of a method", ShowKey(TextOf(suite.method_name())),
              RuntimeReaction::kAccepts);
  }
  return plan;
}

void JudgeOrder(Judge& judge, const fb::BundledProgram& bundle) {
  std::vector<NamedKey> names;
  std::string_view before;
  bool is_sorted = true;
  for (uoffset_t i = 0; i < CountOf(bundle.method_test_suites()); ++i) {
    const BundledMethodTestSuite& suite = *bundle.method_test_suites()->Get(i);
    if (suite.method_name() == nullptr) continue;
    const std::string_view name = TextOf(suite.method_name());
    const std::string path = absl::StrCat("method_test_suites[", i, "].method_name");
    if (name < before && std::exchange(is_sorted, false)) {
      judge.Warn("B5", {judge.container().OffsetOf(suite.method_name()), path}, "the suites are not in the order of their names",
                 absl::StrCat("after ", ShowKey(before)), ShowKey(name));
    }
    before = name;
    names.push_back({name, i});
  }
  ForEachDuplicate(names, [&](const NamedKey& first, const NamedKey& again) {
    const std::string path = absl::StrCat("method_test_suites[", again.index, "].method_name");
    judge.Add(Severity::kError, "B5", {judge.container().OffsetOf(bundle.method_test_suites()->Get(again.index)->method_name()), path},
              absl::StrCat("a second suite for the method of suite ", first.index), "one suite a method", ShowKey(again.key),
              RuntimeReaction::kMisreads);
  });
}

}  // namespace

void JudgeBundle(Judge& judge, const fb::BundledProgram& bundle, const fb::Program* program) {
  if (bundle.method_test_suites() == nullptr) {
    judge.Error("B5", judge.Object(bundle, fb::BundledProgram::VT_METHOD_TEST_SUITES, "method_test_suites"), "the test suites are missing",
                "a list", "nothing");
  }
  const Methods methods(program);
  ForEachTable(judge, "method_test_suites", bundle.method_test_suites(), [&](uoffset_t, const BundledMethodTestSuite& suite) {
    SuiteJudge cases(judge, JudgeName(judge, suite, methods));
    ForEachTable(judge, "test_cases", suite.test_cases(), [&](uoffset_t, const BundledMethodTestCase& test) { cases.Case(test); });
  });
  JudgeOrder(judge, bundle);
}

void JudgeBundledPlace(Judge& judge, ByteRange place, const OpenContainer& program) {
  constexpr uint64_t kUsual = 32;  // what writers of bundles align the program to
  constexpr uint64_t kPage = 4096;
  const Spot spot{place.offset - sizeof(uoffset_t), "program"};  // the vector begins with its length
  if (place.offset % kUsual != 0) {
    judge.Warn("B9", spot, "the program is misaligned in the bundle", absl::StrCat("a multiple of ", kUsual), Number(place.offset));
    return;
  }
  const uint64_t base = program.header.segment_base_offset;
  if (base == 0 || base % kPage != 0 || place.offset % kPage == 0) return;
  judge.Warn("B9", spot, "the program's segments are aligned to pages, but not inside the bundle", absl::StrCat("a multiple of ", kPage),
             Number(place.offset));
}

}  // namespace pte
