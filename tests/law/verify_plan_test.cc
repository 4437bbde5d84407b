// C.4: execution plans.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/law/verify_rows.h"

namespace pte::test {
namespace {

fb::ExecutionPlanT& PlanOf(BaseProgram& base) { return *base.program.execution_plan[0]; }

std::string InPlan(const std::string& field) { return "execution_plan[0]." + field; }
std::string Call(int instruction, const std::string& field) {
  return InPlan("chains[0].instructions[" + std::to_string(instruction) + "].instr_args." + field);
}
Recipe WithCall(int instruction, const std::string& field, int64_t value) { return A().Set(Call(instruction, field), value); }

// The instructions of A.
constexpr int kKernel = 0;
constexpr int kDelegate = 1;
constexpr int kMove = 2;
constexpr int kJump = 3;
constexpr int kFree = 4;

std::vector<Row> ListRows() {
  const auto without = [](const char* field) { return M().Slot(InPlan(field)); };
  return {
      Breaks("P1", "NoValues", kError, without("values"), "execution_plan[0]").Reference(RuntimeReaction::kCrashes),
      Breaks("P1", "NoInputs", kError, without("inputs"), "execution_plan[0]").Reference(RuntimeReaction::kRefuses),
      Breaks("P1", "NoOutputs", kError, without("outputs"), "execution_plan[0]"),
      Breaks("P1", "NoChains", kError, without("chains"), "execution_plan[0]"),
      Breaks("P1", "NoDelegates", kError, without("delegates"), "execution_plan[0]"),
      Breaks("P1", "NoBufferSizes", kError, without("non_const_buffer_sizes"), "execution_plan[0]"),
      // The call's index is then out of range, too.
      Breaks("P1", "NoOperatorsForACall", kError, A().Slot("execution_plan[0].operators"), "execution_plan[0]").Allow({"P5"}),
      Breaks("P1", "NoContainerMetaType", kWarning, without("container_meta_type"), "execution_plan[0]")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("P1", "NoOperatorsAndNoCall", without("operators")),
      Breaks("P2", "NoChain", kError, M().Clear("execution_plan[0].chains"), "execution_plan[0].chains"),
      Breaks("P2", "NoInstructions", kError, M().Slot("execution_plan[0].chains[0].instructions"), "execution_plan[0].chains[0]")
          .Reference(RuntimeReaction::kRefuses),
      Keeps("P2", "EmptyInstructions", M()),
      Breaks("P3", "InputTooLarge", kError, A().Set("execution_plan[0].inputs[0]", 999), "execution_plan[0].inputs[0]")
          .Reference(RuntimeReaction::kCrashes),
      Breaks("P3", "InputJustTooLarge", kError, A().Set("execution_plan[0].inputs[0]", 14), "execution_plan[0].inputs[0]"),
      Breaks("P3", "InputNegative", kError, A().Set("execution_plan[0].inputs[0]", -1), "execution_plan[0].inputs[0]"),
      Breaks("P3", "OutputTooLarge", kError, A().Set("execution_plan[0].outputs[0]", 999), "execution_plan[0].outputs[0]"),
      Breaks("P3", "OutputNegative", kError, A().Set("execution_plan[0].outputs[0]", -1), "execution_plan[0].outputs[0]"),
      Keeps("P3", "LastValue", A().Set("execution_plan[0].inputs[0]", 13)),
      Breaks("P4", "InputList", kWarning, A().Set("execution_plan[0].inputs[0]", 7), "execution_plan[0].inputs[0]")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("P4", "OutputList", kWarning, A().Set("execution_plan[0].outputs[0]", 9), "execution_plan[0].outputs[0]"),
      // A value without a type is none of any union (F6).
      Breaks("P4", "InputOfNoType", kWarning, A().Set("execution_plan[0].inputs[0]", 13).Set("execution_plan[0].values[13].val_type", 0),
             "execution_plan[0].inputs[0]")
          .Allow({"F6"}),
      Keeps("P4", "InputBool", A().Set("execution_plan[0].inputs[0]", 12)),
  };
}

// --- Instructions.

Recipe OperatorNamed(std::string name) {
  return A().Model([=](BaseProgram& base) { PlanOf(base).operators[0]->name = name; });
}

std::vector<Row> CallRows() {
  constexpr const char* kOpIndex = "execution_plan[0].chains[0].instructions[0].instr_args.op_index";
  constexpr const char* kArgs = "execution_plan[0].chains[0].instructions[0].instr_args.args[0]";
  constexpr const char* kDelegateArgs = "execution_plan[0].chains[0].instructions[1].instr_args.args[0]";
  constexpr const char* kDelegateIndex = "execution_plan[0].chains[0].instructions[1].instr_args.delegate_index";
  // The full name is "name.overload"; the overload is "out".
  const auto name_of = [](size_t full_size) { return "aten::" + std::string(full_size - 10, 'x'); };
  return {
      Breaks("P5", "TooLarge", kError, WithCall(kKernel, "op_index", 5), kOpIndex).Reference(RuntimeReaction::kCrashes),
      Breaks("P5", "JustTooLarge", kError, WithCall(kKernel, "op_index", 1), kOpIndex),
      Breaks("P5", "Negative", kError, WithCall(kKernel, "op_index", -1), kOpIndex),
      Keeps("P5", "Last", A()),
      Breaks("P6", "NameOf100", kError, OperatorNamed(name_of(100)), "execution_plan[0].operators[0].name")
          .Reference(RuntimeReaction::kCrashes),
      Breaks("P6", "NoName", kError, A().Slot("execution_plan[0].operators[0].name"), "execution_plan[0].operators[0]"),
      Keeps("P6", "NameOf99", OperatorNamed(name_of(99))),
      Breaks("P7", "NoArgs", kError, A().Slot(Call(kKernel, "args")), "execution_plan[0].chains[0].instructions[0].instr_args"),
      Breaks("P7", "NoDelegateArgs", kError, A().Slot(Call(kDelegate, "args")), "execution_plan[0].chains[0].instructions[1].instr_args"),
      Breaks("P7", "TooLarge", kError, WithCall(kKernel, "args[0]", 500), kArgs).Reference(RuntimeReaction::kRefuses),
      Breaks("P7", "Negative", kError, WithCall(kKernel, "args[0]", -1), kArgs),
      Breaks("P7", "DelegateTooLarge", kError, WithCall(kDelegate, "args[0]", 14), kDelegateArgs),
      Keeps("P7", "Last", WithCall(kKernel, "args[0]", 13)),
      Breaks("P8", "TooLarge", kError, WithCall(kDelegate, "delegate_index", 9), kDelegateIndex).Reference(RuntimeReaction::kRefuses),
      Breaks("P8", "Negative", kError, WithCall(kDelegate, "delegate_index", -1), kDelegateIndex),
      Keeps("P8", "Last", A()),
  };
}

// A, whose JumpFalseCall leads to the first instruction, which computes its condition, and whose last one is another that leads back to
// the MoveCall in front of it.
Recipe NestedLoops() {
  return WithCall(kJump, "destination_instruction", 0).Set(Call(kKernel, "args[0]"), 12).Model([](BaseProgram& base) {
    fb::JumpFalseCallT jump;
    jump.cond_value_index = 12;
    jump.destination_instruction = kMove;
    PlanOf(base).chains[0]->instructions[kFree] = InstructionOf(std::move(jump));
  });
}

std::vector<Row> ControlRows() {
  constexpr const char* kDestination = "execution_plan[0].chains[0].instructions[3].instr_args.destination_instruction";
  constexpr const char* kCondition = "execution_plan[0].chains[0].instructions[3].instr_args.cond_value_index";
  constexpr const char* kFrom = "execution_plan[0].chains[0].instructions[2].instr_args.move_from";
  constexpr const char* kTo = "execution_plan[0].chains[0].instructions[2].instr_args.move_to";
  constexpr const char* kFreed = "execution_plan[0].chains[0].instructions[4].instr_args.value_index";
  constexpr int kBoolType = 11;
  return {
      Breaks("P9", "TooLarge", kError, WithCall(kJump, "destination_instruction", 500), kDestination).Reference(RuntimeReaction::kMisreads),
      Breaks("P9", "JustTooLarge", kError, WithCall(kJump, "destination_instruction", 6), kDestination),
      Breaks("P9", "Negative", kError, WithCall(kJump, "destination_instruction", -1), kDestination),
      Keeps("P9", "BehindTheLast", WithCall(kJump, "destination_instruction", 5)),
      Breaks("P10", "ToItself", kWarning, WithCall(kJump, "destination_instruction", 3), kDestination).Reference(RuntimeReaction::kRefuses),
      // Nothing between writes to the condition.
      Breaks("P10", "BackwardsWithoutExit", kWarning, WithCall(kJump, "destination_instruction", 2), kDestination),
      Keeps("P10", "ToTheNext", A()),
      Keeps("P10", "BackwardsOverWhatComputesTheCondition",
            WithCall(kJump, "destination_instruction", 0).Set(Call(kKernel, "args[0]"), 12)),
      // The inner loop is left by the jump of the outer one.
      Keeps("P10", "BackwardsOverAJumpToBefore", NestedLoops()),
      Breaks("P11", "Int", kError, WithCall(kJump, "cond_value_index", 0), kCondition).Reference(RuntimeReaction::kRefuses),
      Breaks("P11", "TensorOfFloats", kError, WithCall(kJump, "cond_value_index", 5), kCondition),
      Breaks("P11", "TooLarge", kError, WithCall(kJump, "cond_value_index", 14), kCondition),
      Keeps("P11", "TensorOfBools", WithCall(kJump, "cond_value_index", 5).Set("execution_plan[0].values[5].val.scalar_type", kBoolType)),
      Breaks("P12", "FreedInt", kError, WithCall(kFree, "value_index", 0), kFreed).Reference(RuntimeReaction::kRefuses),
      Breaks("P12", "FreedTooLarge", kError, WithCall(kFree, "value_index", 14), kFreed),
      // The reference refuses an index out of range as soon as it loads the method.
      Breaks("P12", "MoveFromTooLarge", kError, WithCall(kMove, "move_from", 14), kFrom),
      Breaks("P12", "MoveFromNegative", kError, WithCall(kMove, "move_from", -1), kFrom),
      Breaks("P12", "MoveToNegative", kError, WithCall(kMove, "move_to", -1), kTo),
      Breaks("P12", "MoveToTooLarge", kError, WithCall(kMove, "move_to", 14), kTo),
      Breaks("P12", "FreedNegative", kError, WithCall(kFree, "value_index", -1), kFreed),
      Breaks("P12", "MoveToAnotherType", kWarning, WithCall(kMove, "move_to", 3), kTo).Reference(RuntimeReaction::kRefuses),
      Keeps("P12", "MoveToTheSameType", A()),
  };
}

// --- Delegates.

// A with a second delegate on the same bytes as the first, so that nothing is left unused whatever is wrong with it.
Recipe SecondDelegate(fb::DataLocation location, uint32_t index) {
  return A().Model([=](BaseProgram& base) { AddDelegate(base, location, index); });
}

std::vector<Row> DelegateRows() {
  const auto two = [] { return SecondDelegate(fb::DataLocation::SEGMENT, 1); };
  return {
      Breaks("P13", "NoReference", kError, two().Slot("execution_plan[0].delegates[1].processed"), "execution_plan[0].delegates[1]")
          .Reference(RuntimeReaction::kCrashes),
      Keeps("P13", "TwoReferences", two()),
      Breaks("P14", "NoId", kError, A().Slot("execution_plan[0].delegates[0].id"), "execution_plan[0].delegates[0]")
          .Reference(RuntimeReaction::kCrashes),
      Keeps("P14", "Id", A()),
      Breaks("P15", "NoKey", kError, A().Slot("execution_plan[0].delegates[0].compile_specs[0].key"),
             "execution_plan[0].delegates[0].compile_specs[0]")
          .Reference(RuntimeReaction::kCrashes),
      Breaks("P15", "NoValue", kError, A().Slot("execution_plan[0].delegates[0].compile_specs[0].value"),
             "execution_plan[0].delegates[0].compile_specs[0]"),
      Keeps("P15", "EmptyValue", A().Clear("execution_plan[0].delegates[0].compile_specs[0].value")),
      Breaks("P16", "NoInlineData", kError, D().Slot("backend_delegate_data"), "execution_plan[0].delegates[0].processed.index")
          .Reference(RuntimeReaction::kCrashes),
      Breaks("P16", "NoSuchEntry", kError, SecondDelegate(fb::DataLocation::INLINE, 9), "execution_plan[0].delegates[1].processed.index"),
      Breaks("P16", "EntryWithoutData", kWarning, D().Slot("backend_delegate_data[0].data"), "backend_delegate_data[0]")
          .Reference(RuntimeReaction::kCrashes),
      Keeps("P16", "EmptyEntry", D().Clear("backend_delegate_data[0].data")),
      Breaks("P17", "NoSuchSegment", kError, SecondDelegate(fb::DataLocation::SEGMENT, 9), "execution_plan[0].delegates[1].processed.index")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("P17", "NoSuchLocation", kError, two().Set("execution_plan[0].delegates[1].processed.location", 7),
             "execution_plan[0].delegates[1].processed.location"),
      Keeps("P17", "LastSegment", two()),
      Breaks("P18", "NobodyUsesIt", kWarning, D().Model([](BaseProgram& base) {
        base.program.backend_delegate_data.push_back(std::make_unique<fb::BackendDelegateInlineDataT>());
      }),
             "backend_delegate_data[1]")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("P18", "Used", D()),
  };
}

// --- Planned memory.

Recipe BufferSizes(std::initializer_list<int64_t> sizes) { return A().Items("execution_plan[0].non_const_buffer_sizes", sizes); }

Recipe OnDevices(std::vector<int32_t> buffers) {
  return A().Model([=](BaseProgram& base) {
    for (const int32_t buffer : buffers) {
      PlanOf(base).non_const_buffer_device.push_back(std::make_unique<fb::NonConstBufferDeviceT>());
      PlanOf(base).non_const_buffer_device.back()->buffer_idx = buffer;
    }
  });
}

std::vector<Row> BufferRows() {
  constexpr int64_t kTiB = int64_t{1} << 40;
  constexpr const char* kFirst = "execution_plan[0].non_const_buffer_device[0].buffer_idx";
  constexpr const char* kSecond = "execution_plan[0].non_const_buffer_device[1].buffer_idx";
  return {
      Breaks("P19", "Negative", kError, BufferSizes({0, 64, -5}), "execution_plan[0].non_const_buffer_sizes[2]")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("P19", "ReservedOne", kWarning, BufferSizes({99, 64}), "execution_plan[0].non_const_buffer_sizes[0]")
          .Reference(RuntimeReaction::kAccepts),
      // Its tensor is then outside of every buffer.
      Breaks("P19", "NoneForATensor", kError, BufferSizes({}), "execution_plan[0].non_const_buffer_sizes").Allow({"P21"}),
      // A limit, which is an error as that of F3 is.
      Breaks("P19", "Absurd", kError, BufferSizes({0, 64, int64_t{1} << 60}), "execution_plan[0].non_const_buffer_sizes[2]"),
      Keeps("P19", "TheLimit", BufferSizes({0, 64, kTiB})),
      Breaks("P20", "NoSuchBuffer", kError, OnDevices({9}), kFirst).Reference(RuntimeReaction::kAccepts),
      Breaks("P20", "Negative", kError, OnDevices({-1}), kFirst),
      Breaks("P20", "Twice", kWarning, OnDevices({1, 1}), kSecond).Reference(RuntimeReaction::kAccepts),
      Breaks("P20", "UnknownDevice", kError, OnDevices({1}).Set("execution_plan[0].non_const_buffer_device[0].device_type", 7),
             "execution_plan[0].non_const_buffer_device[0].device_type"),
      Keeps("P20", "EachOnce", OnDevices({0, 1})),
  };
}

std::vector<Row> PlacementRows() {
  const auto place = [](const char* field, uint32_t value) {
    return A().Set("execution_plan[0].values[4].val.allocation_info." + std::string(field), value);
  };
  constexpr const char* kId = "execution_plan[0].values[4].val.allocation_info.memory_id";
  constexpr const char* kOffset = "execution_plan[0].values[4].val.allocation_info.memory_offset_low";
  return {
      Breaks("P21", "Id0", kError, place("memory_id", 0), kId).Reference(RuntimeReaction::kRefuses),
      Breaks("P21", "Id9", kError, place("memory_id", 9), kId),
      Breaks("P21", "EndsBeyondTheBuffer", kError, place("memory_offset_low", 49), kOffset),
      Breaks("P21", "BeginsBeyondTheBuffer", kError, place("memory_offset_low", UINT32_MAX), kOffset),
      Breaks("P21", "BeginsFarBeyondTheBuffer", kError, place("memory_offset_high", 1), kOffset),
      Breaks(
          "P21", "OffsetNearMax", kError,
          place("memory_offset_low", UINT32_MAX - 7).Set("execution_plan[0].values[4].val.allocation_info.memory_offset_high", UINT32_MAX),
          kOffset),
      Keeps("P21", "UpToTheBuffersEnd", place("memory_offset_low", 48)),
      // Planners let tensors share memory.
      Keeps("P22", "SamePlace", B().Set("execution_plan[0].values[14].val.allocation_info.memory_offset_low", 16)),
  };
}

// --- What the runtime ignores.

Recipe StackTraces(size_t count) {
  return A().Model([=](BaseProgram& base) {
    for (size_t i = 0; i < count; ++i) {
      PlanOf(base).chains[0]->stacktrace.push_back(std::make_unique<fb::FrameListT>());
      PlanOf(base).chains[0]->stacktrace.back()->items.push_back(std::make_unique<fb::FrameT>());
    }
  });
}

std::vector<Row> IgnoredRows() {
  return {
      Breaks("P23", "InputNegative", kWarning, A().Items("execution_plan[0].chains[0].inputs", {-5}),
             "execution_plan[0].chains[0].inputs[0]")
          .Reference(RuntimeReaction::kAccepts),
      Breaks("P23", "OutputTooLarge", kWarning, A().Items("execution_plan[0].chains[0].outputs", {4, 999}),
             "execution_plan[0].chains[0].outputs[1]"),
      Keeps("P23", "Last", A().Items("execution_plan[0].chains[0].inputs", {4, 13})),
      Breaks("P24", "SevenForFive", kWarning, StackTraces(7), "execution_plan[0].chains[0].stacktrace"),
      Breaks("P24", "NoFrames", kWarning, StackTraces(5).Slot("execution_plan[0].chains[0].stacktrace[0].items"),
             "execution_plan[0].chains[0].stacktrace[0]")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("P24", "OneEach", StackTraces(5)),
      Breaks("P25", "Backend", kInfo, A().Text("execution_plan[0].delegates[0].id", "NoSuchBackend!"), "execution_plan[0].delegates[0].id")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("P25", "Operator", kInfo, OperatorNamed("nowhere::nothing"), "execution_plan[0].operators[0].name"),
      Keeps("P25", "KnownBoth", A()),
  };
}

}  // namespace

std::vector<Row> PlanRows() {
  return Joined({ListRows(), CallRows(), ControlRows(), DelegateRows(), BufferRows(), PlacementRows(), IgnoredRows()});
}

PTE_TEST_JUDGE_ROWS(VerifyPlan, PlanRows());

}  // namespace pte::test
