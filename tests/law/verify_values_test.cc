// C.5: values and tensors.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/law/verify_rows.h"

namespace pte::test {
namespace {

constexpr int64_t kInt32Max = INT32_MAX;

std::string Value(int index, const std::string& field) { return "execution_plan[0].values[" + std::to_string(index) + "].val." + field; }

// The tensors of A.
constexpr int kPlanned = 4;
constexpr int kConstant = 5;
// What AddInput adds: nothing but its own fields bounds it.
constexpr int kInput = 14;
constexpr const char* kInputSizes = "execution_plan[0].values[14].val.sizes";
constexpr const char* kInputType = "execution_plan[0].values[14].val.scalar_type";

Recipe Input(std::vector<int32_t> sizes) {
  return A().Model([=](BaseProgram& base) { AddInput(base, sizes); });
}
Recipe InputOf(int scalar_type) { return Input({2, 2}).Set(kInputType, scalar_type); }
Recipe Bounded(Recipe recipe) { return recipe.Set(Value(kInput, "shape_dynamism"), 1); }
Recipe Planned(const std::string& field, int64_t value) { return A().Set(Value(kPlanned, field), value); }
Recipe Constant(const std::string& field, int64_t value) { return A().Set(Value(kConstant, field), value); }

std::vector<Row> SizeRows() {
  constexpr auto kMax = static_cast<int32_t>(kInt32Max);
  return {
      Breaks("T1", "NoSizes", kError, A().Slot(Value(kPlanned, "sizes")), "execution_plan[0].values[4].val"),
      Breaks("T1", "Negative", kError, Planned("sizes[0]", -2), "execution_plan[0].values[4].val.sizes[0]")
          .Reference(RuntimeReaction::kRefuses),
      // The reference does not look at the sizes of such an input.
      Breaks("T1", "NegativeBound", kError, Bounded(Input({2, -2})), "execution_plan[0].values[14].val.sizes[1]"),
      Breaks("T1", "NoBounds", kError, Bounded(Input({2, 2})).Slot(kInputSizes), "execution_plan[0].values[14].val"),
      Keeps("T1", "Zero", Planned("sizes[0]", 0)),
      Breaks("T2", "ThreeTimesMax", kError, Input({kMax, kMax, kMax}), kInputSizes).Reference(RuntimeReaction::kRefuses),
      Breaks("T2", "BytesAlone", kError, Input({kMax, kMax}).Set(kInputType, 7), kInputSizes),
      // 2^64 less 2^34 bytes; their strides are beyond the portable runtime's.
      Lacks("T2", "BytesJustBelow2To64", Input({kMax, kMax})),
      // Bounds may be far above what is ever used.
      Breaks("T2", "ThreeTimesMaxAsBounds", kWarning, Bounded(Input({kMax, kMax, kMax})), kInputSizes).Reference(RuntimeReaction::kRefuses),
      Keeps("T2", "Small", Input({2, 3, 4})),
      Breaks("T3", "ThreeTimesMaxAndZero", kError, Input({kMax, kMax, kMax, 0}), kInputSizes).Reference(RuntimeReaction::kRefuses),
      Breaks("T3", "ThreeTimesMaxAndZeroAsBounds", kWarning, Bounded(Input({kMax, kMax, kMax, 0})), kInputSizes)
          .Reference(RuntimeReaction::kRefuses),
      Keeps("T3", "SmallAndZero", Input({2, 3, 4, 0})),
      // The number of elements fits, the distance between rows does not fit the portable runtime's 32 bits; others run it.
      Breaks("T4", "RowsOf2To32", kWarning, Input({1, 65536, 65536}), kInputSizes).Reference(RuntimeReaction::kMisreads),
      Breaks("T4", "BoundsOfRowsOf2To32", kWarning, Bounded(Input({1, 65536, 65536})), kInputSizes),
      Keeps("T4", "RowsOfAlmost2To31", Input({2, 32768, 65535})),
  };
}

std::vector<Row> LayoutRows() {
  constexpr const char* kOrder = "execution_plan[0].values[4].val.dim_order";
  return {
      Breaks("T5", "NoOrder", kError, A().Slot(kOrder), "execution_plan[0].values[4].val").Reference(RuntimeReaction::kRefuses),
      Breaks("T5", "TooShort", kError, A().Items(kOrder, {0}), kOrder),
      Breaks("T5", "TooLong", kError, A().Items(kOrder, {0, 1, 2}), kOrder),
      Breaks("T5", "OutOfRange", kError, A().Items(kOrder, {0, 7}), kOrder),
      Breaks("T5", "Twice", kError, A().Items(kOrder, {0, 0}), kOrder),
      Keeps("T5", "Reversed", A().Items(kOrder, {1, 0})),
      Breaks("T6", "Rank17", kError, Input(std::vector<int32_t>(17, 1)), kInputSizes).Reference(RuntimeReaction::kRefuses),
      Keeps("T6", "Rank16", Input(std::vector<int32_t>(16, 1))),
      Keeps("T6", "Rank0", Input({})),
  };
}

std::vector<Row> TypeRows() {
  return {
      Breaks("T7", "Negative", kError, InputOf(-1), kInputType).Reference(RuntimeReaction::kRefuses),
      Breaks("T7", "Beyond", kError, InputOf(30), kInputType),
      Keeps("T7", "Last", InputOf(29)),
      Breaks("T8", "Complex64", kWarning, InputOf(9), kInputType).Reference(RuntimeReaction::kAccepts),
      Breaks("T8", "Complex32", kWarning, InputOf(8), kInputType),
      Breaks("T8", "Complex128", kWarning, InputOf(10), kInputType),
      Breaks("T8", "Bits1x8", kWarning, InputOf(18), kInputType),
      Breaks("T8", "Bits8", kWarning, InputOf(21), kInputType),
      Keeps("T8", "Bfloat16", InputOf(15)),
      Breaks("T9", "Quint4x2", kWarning, InputOf(16), kInputType).Reference(RuntimeReaction::kAccepts),
      Breaks("T9", "Quint2x4", kWarning, InputOf(17), kInputType),
      // Neither the schema's, nor of whole bytes.
      Breaks("T9", "Bits2x4", kWarning, InputOf(19), kInputType).Allow({"T8"}),
      Breaks("T9", "Bits4x2", kWarning, InputOf(20), kInputType).Allow({"T8"}),
      Keeps("T9", "Bits16", InputOf(22)),
  };
}

std::vector<Row> TensorFieldRows() {
  return {
      Breaks("T10", "One", kError, Planned("storage_offset", 1), "execution_plan[0].values[4].val.storage_offset")
          .Reference(RuntimeReaction::kRefuses),
      Keeps("T10", "Zero", Planned("storage_offset", 0)),
      Breaks("T11", "Unbound", kWarning, Planned("shape_dynamism", 2), "execution_plan[0].values[4].val.shape_dynamism")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("T11", "Unknown", kError, Planned("shape_dynamism", 9), "execution_plan[0].values[4].val.shape_dynamism")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("T11", "Bound", Planned("shape_dynamism", 1)),
      Breaks("T12", "Unknown", kError, Planned("extra_tensor_info.location", 9),
             "execution_plan[0].values[4].val.extra_tensor_info.location")
          .Reference(RuntimeReaction::kMisreads),
      Keeps("T12", "Segment", A()),
      Breaks("T13", "NoName", kError, X().Slot(Value(kInput, "extra_tensor_info.fully_qualified_name")),
             "execution_plan[0].values[14].val.extra_tensor_info")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("T13", "EmptyName", kError, X().Clear(Value(kInput, "extra_tensor_info.fully_qualified_name")),
             "execution_plan[0].values[14].val.extra_tensor_info.fully_qualified_name"),
      Keeps("T13", "Name", X()),
      Breaks("T15", "ConstantTooLarge", kError, Constant("data_buffer_idx", 77), "execution_plan[0].values[5].val.data_buffer_idx")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("T15", "ConstantJustTooLarge", kError, Constant("data_buffer_idx", 3), "execution_plan[0].values[5].val.data_buffer_idx"),
      Breaks("T15", "StateTooLarge", kError, B().Set("execution_plan[0].values[14].val.data_buffer_idx", 77),
             "execution_plan[0].values[14].val.data_buffer_idx"),
      Breaks("T15", "StateWithoutStates", kError, Planned("data_buffer_idx", 1), "execution_plan[0].values[4].val.data_buffer_idx"),
      Breaks("T15", "InlineConstantTooLarge", kError, D().Set("execution_plan[0].values[1].val.data_buffer_idx", 2),
             "execution_plan[0].values[1].val.data_buffer_idx"),
      Keeps("T15", "LastConstant", Constant("data_buffer_idx", 2)),
      // It counts in another list, which the file does not hold.
      Keeps("T15", "External", X().Set("execution_plan[0].values[14].val.data_buffer_idx", 77)),
      // Its data is a null pointer, which kernels read (tests/interop sees it).
      Breaks("T16", "NoData", kWarning, Constant("data_buffer_idx", 0), "execution_plan[0].values[5].val.data_buffer_idx")
          .Reference(RuntimeReaction::kCrashes),
      Keeps("T16", "InputWithoutData", Input({2, 2})),
  };
}

std::vector<Row> PlacementRows() {
  const auto buffer_on_cuda = [](Recipe recipe) {
    return recipe.Model([](BaseProgram& base) {
      auto device = std::make_unique<fb::NonConstBufferDeviceT>();
      device->buffer_idx = 1;
      device->device_type = fb::DeviceType::CUDA;
      base.program.execution_plan[0]->non_const_buffer_device.push_back(std::move(device));
    });
  };
  const auto on_cuda = [&] { return buffer_on_cuda(Planned("extra_tensor_info.device_type", 1)); };
  constexpr const char* kType = "execution_plan[0].values[4].val.extra_tensor_info.device_type";
  return {
      Breaks("T17", "UnknownDevice", kError, Planned("extra_tensor_info.device_type", 9), kType).Reference(RuntimeReaction::kAccepts),
      Breaks("T17", "NegativeIndex", kError, Planned("extra_tensor_info.device_index", -1),
             "execution_plan[0].values[4].val.extra_tensor_info.device_index"),
      // A buffer that is not listed is the CPU's.
      Breaks("T17", "NotOfItsBuffer", kWarning, Planned("extra_tensor_info.device_type", 1), kType).Reference(RuntimeReaction::kAccepts),
      Breaks("T17", "OtherIndexThanItsBuffer", kWarning, on_cuda().Set(Value(kPlanned, "extra_tensor_info.device_index"), 1), kType),
      // A tensor that says nothing is on the CPU.
      Breaks("T17", "SilentInACudaBuffer", kWarning, buffer_on_cuda(A().Slot(Value(kPlanned, "extra_tensor_info"))),
             "execution_plan[0].values[4].val"),
      Breaks("T17", "NegativeDevice", kError, Planned("extra_tensor_info.device_type", -1), kType),
      Keeps("T17", "OfItsBuffer", on_cuda()),
      Keeps("T17", "SilentInABufferOfTheCpu", A().Slot(Value(kPlanned, "extra_tensor_info"))),
      Breaks("T18", "Layout", kWarning, Planned("layout", 9), "execution_plan[0].values[4].val.layout")
          .Reference(RuntimeReaction::kAccepts),
      Breaks("T18", "ConstantWithGradient", kInfo, Constant("requires_grad", 1), "execution_plan[0].values[5].val.requires_grad")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("T18", "PlannedWithGradient", Planned("requires_grad", 1)),
  };
}

std::vector<Row> ListRows() {
  constexpr const char* kTensor = "execution_plan[0].values[9].val.items[0]";
  constexpr const char* kOptional = "execution_plan[0].values[10].val.items[0]";
  constexpr const char* kInt = "execution_plan[0].values[7].val.items[0]";
  constexpr const char* kBool = "execution_plan[0].values[11].val.items[0]";
  constexpr int64_t kNan = 0x7ff8000000000000;
  constexpr int64_t kInfinity = 0x7ff0000000000000;
  return {
      Breaks("T19", "TooLarge", kError, A().Set(kTensor, 99), kTensor).Reference(RuntimeReaction::kRefuses),
      Breaks("T19", "Negative", kError, A().Set(kTensor, -1), kTensor),
      Breaks("T19", "Int", kError, A().Set(kTensor, 0), kTensor),
      Breaks("T19", "Itself", kError, A().Set(kTensor, 9), kTensor),
      Breaks("T19", "OptionalTooLarge", kError, A().Set(kOptional, 99), kOptional),
      Breaks("T19", "OptionalInt", kError, A().Set(kOptional, 0), kOptional),
      Breaks("T19", "OptionalItself", kError, A().Set(kOptional, 10), kOptional),
      Keeps("T19", "OtherTensor", A().Set(kTensor, 4)),
      Keeps("T19", "OptionalNull", A().Set(kOptional, 2)),
      Breaks("T20", "LaterTensor", kError, B().Set(kTensor, 14), kTensor).Reference(RuntimeReaction::kMisreads),
      Breaks("T20", "OptionalLaterTensor", kError, B().Set(kOptional, 14), kOptional),
      Keeps("T20", "EarlierTensor", B().Set(kTensor, 6)),
      Breaks("T21", "MinusTwo", kError, A().Set(kOptional, -2), kOptional).Reference(RuntimeReaction::kRefuses),
      Keeps("T21", "MinusOne", A().Set(kOptional, -1)),
      Breaks("T22", "Negative", kError, A().Set(kInt, -1), kInt).Reference(RuntimeReaction::kRefuses),
      Breaks("T22", "TooLarge", kError, A().Set(kInt, 99), kInt),
      Breaks("T22", "BeyondInt32", kError, A().Set(kInt, int64_t{1} << 32), kInt),
      Breaks("T22", "Tensor", kError, A().Set(kInt, 4), kInt).Reference(RuntimeReaction::kCrashes),
      Keeps("T22", "OtherInt", A().Set(kInt, 1)),
      Breaks("T23", "NoTensors", kError, A().Slot(Value(9, "items")), "execution_plan[0].values[9].val"),
      Breaks("T23", "NoOptionalTensors", kError, A().Slot(Value(10, "items")), "execution_plan[0].values[10].val"),
      Breaks("T23", "NoInts", kError, A().Slot(Value(7, "items")), "execution_plan[0].values[7].val"),
      Breaks("T23", "NoDoubles", kError, A().Slot(Value(8, "items")), "execution_plan[0].values[8].val"),
      Breaks("T23", "NoBools", kError, A().Slot(Value(11, "items")), "execution_plan[0].values[11].val"),
      Breaks("T23", "NoString", kError, A().Slot(Value(3, "string_val")), "execution_plan[0].values[3].val")
          .Reference(RuntimeReaction::kRefuses),
      Keeps("T23", "EmptyTensors", A().Clear(Value(9, "items"))),
      Keeps("T23", "EmptyString", A().Clear(Value(3, "string_val"))),
      Breaks("T24", "Two", kError, A().Set(kBool, 2), kBool).Reference(RuntimeReaction::kMisreads),
      Breaks("T24", "Max", kError, A().Set(kBool, 255), kBool),
      Keeps("T24", "Zero", A().Set(kBool, 0)),
      Keeps("T25", "Nan", A().Set(Value(13, "double_val"), kNan)),
      Keeps("T25", "Infinity", A().Set(Value(13, "double_val"), kInfinity)),
      Keeps("T25", "NanInList", A().Set(Value(8, "items[0]"), kNan)),
  };
}

}  // namespace

std::vector<Row> ValueRows() { return Joined({SizeRows(), LayoutRows(), TypeRows(), TensorFieldRows(), PlacementRows(), ListRows()}); }

PTE_TEST_JUDGE_ROWS(VerifyValues, ValueRows());

}  // namespace pte::test
