// What the methods of a program take, return and run, gathered in one pass over each method listed.
#ifndef PTE_SRC_CLI_SUMMARY_H_
#define PTE_SRC_CLI_SUMMARY_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/schema.h"
#include "src/cli/container.h"

namespace pte::cli {

// One input or output. `value` is nullptr where the method's index leads to no value.
struct MethodValue {
  int32_t index = 0;
  const fb::EValue* value = nullptr;
};

// `table` is nullptr for all calls whose index leads to no operator.
struct OperatorCalls {
  const fb::Operator* table = nullptr;
  uint64_t calls = 0;
};

struct DelegateUse {
  std::string_view id;
  const fb::BackendDelegate* table = nullptr;
  uint64_t offset = 0;  // of its bytes, in the outermost file
  uint64_t size = 0;
};

// How many instructions there are of each kind; a kind that the schema does not know counts as NONE.
class InstructionCounts {
 public:
  void Add(fb::InstructionArguments kind);
  uint64_t of(fb::InstructionArguments kind) const { return counts_[static_cast<size_t>(kind)]; }
  uint64_t total() const;

 private:
  std::array<uint64_t, static_cast<size_t>(fb::InstructionArguments::MAX) + 1> counts_{};
};

struct Method {
  const fb::ExecutionPlan* table = nullptr;
  std::string_view name;
  std::vector<MethodValue> inputs;
  std::vector<MethodValue> outputs;
  std::vector<OperatorCalls> operators;
  std::vector<DelegateUse> delegates;
  InstructionCounts instructions;
};

// Views into container.program, in the order of the file.
//   kResourceExhausted  see Budget
absl::StatusOr<std::vector<Method>> SummarizeMethods(const Container& container);

// The tensor that a value holds, or nullptr.
inline const fb::Tensor* TensorOf(const fb::EValue* value) { return value == nullptr ? nullptr : value->val_as_Tensor(); }

// Sizes of the buffers that a method needs, without the reserved first one.
std::vector<int64_t> PlannedMemory(const fb::ExecutionPlan& plan);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_SUMMARY_H_
