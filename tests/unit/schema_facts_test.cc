// The schemas held against the format's facts, written down here a second time: a slip in schema/*.fbs would otherwise be read back by the
// same code that wrote it, and never show.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flatbuffers/minireflect.h"
#include "gtest/gtest.h"
#include "pte/schema.h"

namespace pte {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::TypeTable;

// One field, in the order of ids. `type` is the schema's, with the underlying type in front of an enum's name; a union has two fields.
struct Field {
  std::string name;
  std::string type;
  int slot;  // in the vtable, as the accessors use it
};

struct Table {
  std::string name;  // within pte.fb
  const TypeTable* type;
  std::function<flatbuffers::uoffset_t(FlatBufferBuilder&)> pack_defaults;
  std::vector<Field> fields;
};

template <class T>
Table Of(std::string name, std::vector<Field> fields) {
  const auto pack = [](FlatBufferBuilder& builder) {
    const typename T::NativeTableType defaults;
    return T::Pack(builder, &defaults).o;
  };
  return {std::move(name), T::MiniReflectTypeTable(), pack, std::move(fields)};
}

// An enum or a union: names and numbers.
struct Names {
  std::string name;
  const TypeTable* type;
  std::vector<std::pair<std::string, int64_t>> values;
};

// clang-format off
std::vector<Table> PlanTables() {
  using namespace fb;
  return {
      Of<ContainerMetadata>("ContainerMetadata", {{"encoded_inp_str", "string", ContainerMetadata::VT_ENCODED_INP_STR},
                                                  {"encoded_out_str", "string", ContainerMetadata::VT_ENCODED_OUT_STR}}),
      Of<EValue>("EValue", {{"val_type", "utype KernelTypes", EValue::VT_VAL_TYPE}, {"val", "KernelTypes", EValue::VT_VAL}}),
      Of<Operator>("Operator", {{"name", "string", Operator::VT_NAME}, {"overload", "string", Operator::VT_OVERLOAD}}),
      Of<KernelCall>("KernelCall", {{"op_index", "int", KernelCall::VT_OP_INDEX}, {"args", "[int]", KernelCall::VT_ARGS}}),
      Of<DelegateCall>("DelegateCall", {{"delegate_index", "int", DelegateCall::VT_DELEGATE_INDEX},
                                        {"args", "[int]", DelegateCall::VT_ARGS}}),
      Of<MoveCall>("MoveCall", {{"move_from", "int", MoveCall::VT_MOVE_FROM}, {"move_to", "int", MoveCall::VT_MOVE_TO}}),
      Of<JumpFalseCall>("JumpFalseCall", {{"cond_value_index", "int", JumpFalseCall::VT_COND_VALUE_INDEX},
                                          {"destination_instruction", "int", JumpFalseCall::VT_DESTINATION_INSTRUCTION}}),
      Of<FreeCall>("FreeCall", {{"value_index", "int", FreeCall::VT_VALUE_INDEX}}),
      Of<Instruction>("Instruction", {{"instr_args_type", "utype InstructionArguments", Instruction::VT_INSTR_ARGS_TYPE},
                                      {"instr_args", "InstructionArguments", Instruction::VT_INSTR_ARGS}}),
      Of<Frame>("Frame", {{"filename", "string", Frame::VT_FILENAME},
                          {"lineno", "int", Frame::VT_LINENO},
                          {"name", "string", Frame::VT_NAME},
                          {"context", "string", Frame::VT_CONTEXT}}),
      Of<FrameList>("FrameList", {{"items", "[Frame]", FrameList::VT_ITEMS}}),
      Of<Chain>("Chain", {{"inputs", "[int]", Chain::VT_INPUTS},
                          {"outputs", "[int]", Chain::VT_OUTPUTS},
                          {"instructions", "[Instruction]", Chain::VT_INSTRUCTIONS},
                          {"stacktrace", "[FrameList]", Chain::VT_STACKTRACE}}),
      Of<ExecutionPlan>("ExecutionPlan", {{"name", "string", ExecutionPlan::VT_NAME},
                                          {"container_meta_type", "ContainerMetadata", ExecutionPlan::VT_CONTAINER_META_TYPE},
                                          {"values", "[EValue]", ExecutionPlan::VT_VALUES},
                                          {"inputs", "[int]", ExecutionPlan::VT_INPUTS},
                                          {"outputs", "[int]", ExecutionPlan::VT_OUTPUTS},
                                          {"chains", "[Chain]", ExecutionPlan::VT_CHAINS},
                                          {"operators", "[Operator]", ExecutionPlan::VT_OPERATORS},
                                          {"delegates", "[BackendDelegate]", ExecutionPlan::VT_DELEGATES},
                                          {"non_const_buffer_sizes", "[long]", ExecutionPlan::VT_NON_CONST_BUFFER_SIZES},
                                          {"non_const_buffer_device", "[NonConstBufferDevice]",
                                           ExecutionPlan::VT_NON_CONST_BUFFER_DEVICE}}),
      Of<NonConstBufferDevice>("NonConstBufferDevice", {{"buffer_idx", "int", NonConstBufferDevice::VT_BUFFER_IDX},
                                                        {"device_type", "byte DeviceType", NonConstBufferDevice::VT_DEVICE_TYPE},
                                                        {"device_index", "byte", NonConstBufferDevice::VT_DEVICE_INDEX}}),
  };
}

std::vector<Table> ValueTables() {
  using namespace fb;
  return {
      Of<AllocationDetails>("AllocationDetails", {{"memory_id", "uint", AllocationDetails::VT_MEMORY_ID},
                                                  {"memory_offset_low", "uint", AllocationDetails::VT_MEMORY_OFFSET_LOW},
                                                  {"memory_offset_high", "uint", AllocationDetails::VT_MEMORY_OFFSET_HIGH}}),
      Of<ExtraTensorInfo>("ExtraTensorInfo", {{"mutable_data_segments_idx", "ulong", ExtraTensorInfo::VT_MUTABLE_DATA_SEGMENTS_IDX},
                                              {"fully_qualified_name", "string", ExtraTensorInfo::VT_FULLY_QUALIFIED_NAME},
                                              {"location", "byte TensorDataLocation", ExtraTensorInfo::VT_LOCATION},
                                              {"device_type", "byte DeviceType", ExtraTensorInfo::VT_DEVICE_TYPE},
                                              {"device_index", "byte", ExtraTensorInfo::VT_DEVICE_INDEX}}),
      Of<Tensor>("Tensor", {{"scalar_type", "byte ScalarType", Tensor::VT_SCALAR_TYPE},
                            {"storage_offset", "int", Tensor::VT_STORAGE_OFFSET},
                            {"sizes", "[int]", Tensor::VT_SIZES},
                            {"dim_order", "[ubyte]", Tensor::VT_DIM_ORDER},
                            {"requires_grad", "bool", Tensor::VT_REQUIRES_GRAD},
                            {"data_buffer_idx", "uint", Tensor::VT_DATA_BUFFER_IDX},
                            {"allocation_info", "AllocationDetails", Tensor::VT_ALLOCATION_INFO},
                            {"layout", "byte", Tensor::VT_LAYOUT},
                            {"shape_dynamism", "byte TensorShapeDynamism", Tensor::VT_SHAPE_DYNAMISM},
                            {"extra_tensor_info", "ExtraTensorInfo", Tensor::VT_EXTRA_TENSOR_INFO}}),
      Of<Null>("Null", {}),
      Of<Int>("Int", {{"int_val", "long", Int::VT_INT_VAL}}),
      Of<Bool>("Bool", {{"bool_val", "bool", Bool::VT_BOOL_VAL}}),
      Of<Double>("Double", {{"double_val", "double", Double::VT_DOUBLE_VAL}}),
      Of<String>("String", {{"string_val", "string", String::VT_STRING_VAL}}),
      Of<IntList>("IntList", {{"items", "[long]", IntList::VT_ITEMS}}),
      Of<DoubleList>("DoubleList", {{"items", "[double]", DoubleList::VT_ITEMS}}),
      Of<BoolList>("BoolList", {{"items", "[bool]", BoolList::VT_ITEMS}}),
      Of<TensorList>("TensorList", {{"items", "[int]", TensorList::VT_ITEMS}}),
      Of<OptionalTensorList>("OptionalTensorList", {{"items", "[int]", OptionalTensorList::VT_ITEMS}}),
  };
}

std::vector<Table> DataTables() {
  using namespace fb;
  return {
      Of<BackendDelegateDataReference>("BackendDelegateDataReference",
                                       {{"location", "byte DataLocation", BackendDelegateDataReference::VT_LOCATION},
                                        {"index", "uint", BackendDelegateDataReference::VT_INDEX}}),
      Of<CompileSpec>("CompileSpec", {{"key", "string", CompileSpec::VT_KEY}, {"value", "[ubyte]", CompileSpec::VT_VALUE}}),
      Of<BackendDelegate>("BackendDelegate", {{"id", "string", BackendDelegate::VT_ID},
                                              {"processed", "BackendDelegateDataReference", BackendDelegate::VT_PROCESSED},
                                              {"compile_specs", "[CompileSpec]", BackendDelegate::VT_COMPILE_SPECS}}),
      Of<Buffer>("Buffer", {{"storage", "[ubyte]", Buffer::VT_STORAGE}}),
      Of<BackendDelegateInlineData>("BackendDelegateInlineData", {{"data", "[ubyte]", BackendDelegateInlineData::VT_DATA}}),
      Of<DataSegment>("DataSegment", {{"offset", "ulong", DataSegment::VT_OFFSET}, {"size", "ulong", DataSegment::VT_SIZE}}),
      Of<SubsegmentOffsets>("SubsegmentOffsets", {{"segment_index", "uint", SubsegmentOffsets::VT_SEGMENT_INDEX},
                                                  {"offsets", "[ulong]", SubsegmentOffsets::VT_OFFSETS}}),
      Of<NamedData>("NamedData", {{"key", "string", NamedData::VT_KEY}, {"segment_index", "uint", NamedData::VT_SEGMENT_INDEX}}),
      Of<Program>("Program", {{"version", "uint", Program::VT_VERSION},
                              {"execution_plan", "[ExecutionPlan]", Program::VT_EXECUTION_PLAN},
                              {"constant_buffer", "[Buffer]", Program::VT_CONSTANT_BUFFER},
                              {"backend_delegate_data", "[BackendDelegateInlineData]", Program::VT_BACKEND_DELEGATE_DATA},
                              {"segments", "[DataSegment]", Program::VT_SEGMENTS},
                              {"constant_segment", "SubsegmentOffsets", Program::VT_CONSTANT_SEGMENT},
                              {"mutable_data_segments", "[SubsegmentOffsets]", Program::VT_MUTABLE_DATA_SEGMENTS},
                              {"named_data", "[NamedData]", Program::VT_NAMED_DATA}}),
  };
}

std::vector<Table> FlatTensorTables() {
  using namespace fb::flat_tensor;
  return {
      Of<fb::flat_tensor::TensorLayout>("flat_tensor.TensorLayout", {{"scalar_type", "byte ScalarType", fb::flat_tensor::TensorLayout::VT_SCALAR_TYPE},
                                                    {"sizes", "[int]", fb::flat_tensor::TensorLayout::VT_SIZES},
                                                    {"dim_order", "[ubyte]", fb::flat_tensor::TensorLayout::VT_DIM_ORDER}}),
      Of<DataSegment>("flat_tensor.DataSegment", {{"offset", "ulong", DataSegment::VT_OFFSET}, {"size", "ulong", DataSegment::VT_SIZE}}),
      Of<NamedData>("flat_tensor.NamedData", {{"key", "string", NamedData::VT_KEY},
                                              {"segment_index", "uint", NamedData::VT_SEGMENT_INDEX},
                                              {"tensor_layout", "flat_tensor.TensorLayout", NamedData::VT_TENSOR_LAYOUT}}),
      Of<FlatTensor>("flat_tensor.FlatTensor", {{"version", "uint", FlatTensor::VT_VERSION},
                                                {"segments", "[flat_tensor.DataSegment]", FlatTensor::VT_SEGMENTS},
                                                {"named_data", "[flat_tensor.NamedData]", FlatTensor::VT_NAMED_DATA}}),
      Of<LegacyTensorMetadata>("flat_tensor.LegacyTensorMetadata",
                               {{"fully_qualified_name", "string", LegacyTensorMetadata::VT_FULLY_QUALIFIED_NAME},
                                {"scalar_type", "byte ScalarType", LegacyTensorMetadata::VT_SCALAR_TYPE},
                                {"sizes", "[int]", LegacyTensorMetadata::VT_SIZES},
                                {"dim_order", "[ubyte]", LegacyTensorMetadata::VT_DIM_ORDER},
                                {"segment_index", "uint", LegacyTensorMetadata::VT_SEGMENT_INDEX},
                                {"offset", "ulong", LegacyTensorMetadata::VT_OFFSET}}),
      Of<LegacyFlatTensor>("flat_tensor.LegacyFlatTensor",
                           {{"version", "uint", LegacyFlatTensor::VT_VERSION},
                            {"tensor_alignment", "uint", LegacyFlatTensor::VT_TENSOR_ALIGNMENT},
                            {"tensors", "[flat_tensor.LegacyTensorMetadata]", LegacyFlatTensor::VT_TENSORS},
                            {"segments", "[flat_tensor.DataSegment]", LegacyFlatTensor::VT_SEGMENTS}}),
  };
}

std::vector<Table> BundledTables() {
  using namespace fb::bundled;
  return {
      Of<Int>("bundled.Int", {{"int_val", "long", Int::VT_INT_VAL}}),
      Of<Bool>("bundled.Bool", {{"bool_val", "bool", Bool::VT_BOOL_VAL}}),
      Of<Double>("bundled.Double", {{"double_val", "double", Double::VT_DOUBLE_VAL}}),
      Of<Tensor>("bundled.Tensor", {{"scalar_type", "byte ScalarType", Tensor::VT_SCALAR_TYPE},
                                    {"sizes", "[int]", Tensor::VT_SIZES},
                                    {"data", "[ubyte]", Tensor::VT_DATA},
                                    {"dim_order", "[ubyte]", Tensor::VT_DIM_ORDER}}),
      Of<Value>("bundled.Value", {{"val_type", "utype bundled.ValueUnion", Value::VT_VAL_TYPE},
                                  {"val", "bundled.ValueUnion", Value::VT_VAL}}),
      Of<BundledMethodTestCase>("bundled.BundledMethodTestCase",
                                {{"inputs", "[bundled.Value]", BundledMethodTestCase::VT_INPUTS},
                                 {"expected_outputs", "[bundled.Value]", BundledMethodTestCase::VT_EXPECTED_OUTPUTS}}),
      Of<BundledMethodTestSuite>("bundled.BundledMethodTestSuite",
                                 {{"method_name", "string", BundledMethodTestSuite::VT_METHOD_NAME},
                                  {"test_cases", "[bundled.BundledMethodTestCase]", BundledMethodTestSuite::VT_TEST_CASES}}),
      Of<BundledProgram>("bundled.BundledProgram",
                         {{"version", "uint", BundledProgram::VT_VERSION},
                          {"method_test_suites", "[bundled.BundledMethodTestSuite]", BundledProgram::VT_METHOD_TEST_SUITES},
                          {"program", "[ubyte]", BundledProgram::VT_PROGRAM}}),
  };
}

std::vector<Names> Enums() {
  return {
      {"ScalarType", fb::ScalarTypeTypeTable(),
       {{"BYTE", 0}, {"CHAR", 1}, {"SHORT", 2}, {"INT", 3}, {"LONG", 4}, {"HALF", 5}, {"FLOAT", 6}, {"DOUBLE", 7}, {"COMPLEX32", 8},
        {"COMPLEX64", 9}, {"COMPLEX128", 10}, {"BOOL", 11}, {"QINT8", 12}, {"QUINT8", 13}, {"QINT32", 14}, {"BFLOAT16", 15},
        {"QUINT4X2", 16}, {"QUINT2X4", 17}, {"BITS16", 22}, {"FLOAT8E5M2", 23}, {"FLOAT8E4M3FN", 24}, {"FLOAT8E5M2FNUZ", 25},
        {"FLOAT8E4M3FNUZ", 26}, {"UINT16", 27}, {"UINT32", 28}, {"UINT64", 29}}},
      {"TensorShapeDynamism", fb::TensorShapeDynamismTypeTable(), {{"STATIC", 0}, {"DYNAMIC_BOUND", 1}, {"DYNAMIC_UNBOUND", 2}}},
      {"TensorDataLocation", fb::TensorDataLocationTypeTable(), {{"SEGMENT", 0}, {"EXTERNAL", 1}}},
      {"DeviceType", fb::DeviceTypeTypeTable(), {{"CPU", 0}, {"CUDA", 1}}},
      {"DataLocation", fb::DataLocationTypeTable(), {{"INLINE", 0}, {"SEGMENT", 1}}},
  };
}

std::vector<Names> Unions() {
  return {
      {"KernelTypes", fb::KernelTypesTypeTable(),
       {{"NONE", 0}, {"Null", 1}, {"Int", 2}, {"Bool", 3}, {"Double", 4}, {"Tensor", 5}, {"String", 6}, {"IntList", 7},
        {"DoubleList", 8}, {"BoolList", 9}, {"TensorList", 10}, {"OptionalTensorList", 11}}},
      {"InstructionArguments", fb::InstructionArgumentsTypeTable(),
       {{"NONE", 0}, {"KernelCall", 1}, {"DelegateCall", 2}, {"MoveCall", 3}, {"JumpFalseCall", 4}, {"FreeCall", 5}}},
      {"bundled.ValueUnion", fb::bundled::ValueUnionTypeTable(), {{"NONE", 0}, {"Tensor", 1}, {"Int", 2}, {"Bool", 3}, {"Double", 4}}},
  };
}
// clang-format on

std::vector<Table> AllTables() {
  std::vector<Table> all;
  for (auto part : {PlanTables, ValueTables, DataTables, FlatTensorTables, BundledTables}) {
    for (Table& table : part()) all.push_back(std::move(table));
  }
  return all;
}

std::string NameOf(const TypeTable* type) {
  static const std::vector<std::pair<const TypeTable*, std::string>> kNames = [] {
    std::vector<std::pair<const TypeTable*, std::string>> names;
    for (const Table& table : AllTables()) names.emplace_back(table.type, table.name);
    for (const Names& names_of_enum : Enums()) names.emplace_back(names_of_enum.type, names_of_enum.name);
    for (const Names& names_of_union : Unions()) names.emplace_back(names_of_union.type, names_of_union.name);
    return names;
  }();
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return "a type that the facts do not have";
}

std::string ElementaryName(flatbuffers::ElementaryType type) {
  switch (type) {
    case flatbuffers::ET_UTYPE: return "utype";
    case flatbuffers::ET_BOOL: return "bool";
    case flatbuffers::ET_CHAR: return "byte";
    case flatbuffers::ET_UCHAR: return "ubyte";
    case flatbuffers::ET_INT: return "int";
    case flatbuffers::ET_UINT: return "uint";
    case flatbuffers::ET_LONG: return "long";
    case flatbuffers::ET_ULONG: return "ulong";
    case flatbuffers::ET_DOUBLE: return "double";
    case flatbuffers::ET_STRING: return "string";
    case flatbuffers::ET_SEQUENCE: return "";
    default: return flatbuffers::ElementaryTypeNames()[type];
  }
}

std::string TypeOf(const TypeTable& table, size_t field) {
  const flatbuffers::TypeCode code = table.type_codes[field];
  std::string type = ElementaryName(static_cast<flatbuffers::ElementaryType>(code.base_type));
  if (code.sequence_ref >= 0) absl::StrAppend(&type, type.empty() ? "" : " ", NameOf(table.type_refs[code.sequence_ref]()));
  return code.is_repeating ? absl::StrCat("[", type, "]") : type;
}

TEST(SchemaFactsTest, TablesHaveTheirFieldsInOrder) {
  for (const Table& table : AllTables()) {
    SCOPED_TRACE(table.name);
    EXPECT_EQ(table.type->st, flatbuffers::ST_TABLE);
    ASSERT_EQ(table.type->num_elems, table.fields.size());
    for (size_t i = 0; i < table.fields.size(); ++i) {
      EXPECT_EQ(table.type->names[i], table.fields[i].name);
      EXPECT_EQ(TypeOf(*table.type, i), table.fields[i].type) << table.fields[i].name;
      EXPECT_EQ(table.fields[i].slot, static_cast<int>(4 + 2 * i)) << table.fields[i].name;
    }
  }
}

// With defaults forced into the buffer, each scalar shows its default in place.
TEST(SchemaFactsTest, EveryDefaultIsZero) {
  for (const Table& table : AllTables()) {
    SCOPED_TRACE(table.name);
    FlatBufferBuilder builder;
    builder.ForceDefaults(true);
    builder.Finish(flatbuffers::Offset<flatbuffers::Table>(table.pack_defaults(builder)));
    const auto& packed = *flatbuffers::GetRoot<flatbuffers::Table>(builder.GetBufferPointer());
    for (size_t i = 0; i < table.fields.size(); ++i) {
      const flatbuffers::TypeCode code = table.type->type_codes[i];
      const auto type = static_cast<flatbuffers::ElementaryType>(code.base_type);
      if (code.is_repeating || type == flatbuffers::ET_STRING || type == flatbuffers::ET_SEQUENCE) continue;
      const auto slot = static_cast<flatbuffers::voffset_t>(table.fields[i].slot);
      ASSERT_TRUE(packed.CheckField(slot)) << table.fields[i].name;
      const uint8_t* value = packed.GetAddressOf(slot);
      const size_t size = flatbuffers::InlineSize(type, nullptr);
      EXPECT_TRUE(std::all_of(value, value + size, [](uint8_t byte) { return byte == 0; })) << table.fields[i].name;
    }
  }
}

void ExpectNames(const Names& facts, flatbuffers::SequenceType sequence) {
  SCOPED_TRACE(facts.name);
  EXPECT_EQ(facts.type->st, sequence);
  ASSERT_EQ(facts.type->num_elems, facts.values.size());
  for (size_t i = 0; i < facts.values.size(); ++i) {
    EXPECT_EQ(facts.type->names[i], facts.values[i].first);
    EXPECT_EQ(flatbuffers::LookupEnum(facts.values[i].second, facts.type->values, facts.type->num_elems), static_cast<int64_t>(i));
  }
}

TEST(SchemaFactsTest, EnumsHaveTheirValues) {
  for (const Names& facts : Enums()) ExpectNames(facts, flatbuffers::ST_ENUM);
}

TEST(SchemaFactsTest, UnionsHaveTheirTypes) {
  for (const Names& facts : Unions()) {
    ExpectNames(facts, flatbuffers::ST_UNION);
    const std::string prefix = facts.name.starts_with("bundled.") ? "bundled." : "";
    for (size_t i = 1; i < facts.values.size(); ++i) {
      const int reference = facts.type->type_codes[i].sequence_ref;
      ASSERT_GE(reference, 0);
      EXPECT_EQ(NameOf(facts.type->type_refs[reference]()), prefix + facts.values[i].first);
    }
  }
}

TEST(SchemaFactsTest, IdentifiersAndExtensions) {
  EXPECT_STREQ(fb::ProgramIdentifier(), "ET12");
  EXPECT_STREQ(fb::ProgramExtension(), "pte");
  EXPECT_STREQ(fb::flat_tensor::FlatTensorIdentifier(), "FT01");
  EXPECT_STREQ(fb::flat_tensor::FlatTensorExtension(), "ptd");
  EXPECT_STREQ(fb::bundled::BundledProgramIdentifier(), "BP08");
  EXPECT_STREQ(fb::bundled::BundledProgramExtension(), "bpte");
}

}  // namespace
}  // namespace pte
