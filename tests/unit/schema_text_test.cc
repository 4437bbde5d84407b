// What the generated type tables do not tell of schema/*.fbs: alignment, which types there are, and what must not be written there.
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/schema.h"
#include "tests/support/files.h"
#include "tests/support/pattern.h"

namespace pte {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using ByteVector = flatbuffers::Vector<uint8_t>;

template <class Table>
using Member = std::vector<uint8_t> Table::NativeTableType::*;

template <class Table>
size_t OffsetOfBytes(size_t before, size_t size, Member<Table> member, const ByteVector* (Table::*get)() const) {
  flatbuffers::FlatBufferBuilder builder;
  typename Table::NativeTableType native;
  (native.*member).resize(size);
  const auto table = Table::Pack(builder, &native);
  builder.CreateString(std::string(before, 'x'));  // buffers grow towards their start
  builder.Finish(table);
  const uint8_t* buffer = builder.GetBufferPointer();
  return static_cast<size_t>((flatbuffers::GetRoot<Table>(buffer)->*get)()->data() - buffer);
}

// The largest number that divides the vector's offset in buffers of many shapes: its alignment, no more and no less.
template <class Table>
size_t AlignmentOf(Member<Table> member, const ByteVector* (Table::*get)() const) {
  size_t alignment = 0;
  for (size_t before = 0; before < 40; ++before) {
    for (size_t size = 1; size < 40; ++size) alignment = std::gcd(alignment, OffsetOfBytes<Table>(before, size, member, get));
  }
  return alignment;
}

TEST(SchemaTextTest, PayloadVectorsHaveTheirAlignment) {
  EXPECT_EQ(AlignmentOf<fb::Buffer>(&fb::BufferT::storage, &fb::Buffer::storage), 16u);
  EXPECT_EQ(AlignmentOf<fb::BackendDelegateInlineData>(&fb::BackendDelegateInlineDataT::data, &fb::BackendDelegateInlineData::data), 16u);
  EXPECT_EQ(AlignmentOf<fb::bundled::Tensor>(&fb::bundled::TensorT::data, &fb::bundled::Tensor::data), 16u);
  EXPECT_EQ(AlignmentOf<fb::bundled::BundledProgram>(&fb::bundled::BundledProgramT::program, &fb::bundled::BundledProgram::program), 32u);
}

TEST(SchemaTextTest, OtherByteVectorsHaveNone) {
  EXPECT_EQ(AlignmentOf<fb::CompileSpec>(&fb::CompileSpecT::value, &fb::CompileSpec::value), 4u);
  EXPECT_EQ(AlignmentOf<fb::Tensor>(&fb::TensorT::dim_order, &fb::Tensor::dim_order), 4u);
  EXPECT_EQ(AlignmentOf<fb::bundled::Tensor>(&fb::bundled::TensorT::dim_order, &fb::bundled::Tensor::dim_order), 4u);
  EXPECT_EQ(
      AlignmentOf<fb::flat_tensor::TensorLayout>(&fb::flat_tensor::TensorLayoutT::dim_order, &fb::flat_tensor::TensorLayout::dim_order),
      4u);
}

TEST(SchemaTextTest, EnumsAreBytes) {
  static_assert(std::is_same_v<std::underlying_type_t<fb::ScalarType>, int8_t>);
  static_assert(std::is_same_v<std::underlying_type_t<fb::TensorShapeDynamism>, int8_t>);
  static_assert(std::is_same_v<std::underlying_type_t<fb::TensorDataLocation>, int8_t>);
  static_assert(std::is_same_v<std::underlying_type_t<fb::DeviceType>, int8_t>);
  static_assert(std::is_same_v<std::underlying_type_t<fb::DataLocation>, int8_t>);
  static_assert(std::is_same_v<std::underlying_type_t<fb::KernelTypes>, uint8_t>);
  static_assert(std::is_same_v<std::underlying_type_t<fb::InstructionArguments>, uint8_t>);
  static_assert(std::is_same_v<std::underlying_type_t<fb::bundled::ValueUnion>, uint8_t>);
}

// The text of a schema without its comments.
std::string SchemaText(const std::string& name) {
  std::string text;
  const std::vector<std::string> lines = absl::StrSplit(test::ReadFile(PTE_SOURCE_DIR "/schema/" + name), '\n');
  for (const std::string& line : lines) absl::StrAppend(&text, line.substr(0, line.find("//")), "\n");
  return text;
}

const test::Pattern kTypes(R"(\b(?:table|struct|enum|union)\s+(\w+))");

// schema_facts_test has the fields of each of these; a type added to a schema must be added there and here.
TEST(SchemaTextTest, SchemasHaveTheseTypes) {
  EXPECT_THAT(kTypes.FirstGroups(SchemaText("scalar_type.fbs")), ElementsAre("ScalarType"));
  EXPECT_THAT(
      kTypes.FirstGroups(SchemaText("program.fbs")),
      ElementsAre("ContainerMetadata", "Null", "AllocationDetails", "TensorShapeDynamism", "TensorDataLocation", "DeviceType",
                  "ExtraTensorInfo", "Tensor", "Int", "Bool", "Double", "String", "IntList", "DoubleList", "BoolList", "TensorList",
                  "OptionalTensorList", "KernelTypes", "EValue", "Operator", "KernelCall", "DelegateCall", "MoveCall", "JumpFalseCall",
                  "FreeCall", "InstructionArguments", "Instruction", "Frame", "FrameList", "DataLocation", "BackendDelegateDataReference",
                  "CompileSpec", "BackendDelegate", "Chain", "ExecutionPlan", "NonConstBufferDevice", "Buffer", "BackendDelegateInlineData",
                  "DataSegment", "SubsegmentOffsets", "NamedData", "Program"));
  EXPECT_THAT(kTypes.FirstGroups(SchemaText("flat_tensor.fbs")),
              ElementsAre("TensorLayout", "DataSegment", "NamedData", "FlatTensor", "LegacyTensorMetadata", "LegacyFlatTensor"));
  EXPECT_THAT(kTypes.FirstGroups(SchemaText("bundled_program.fbs")),
              ElementsAre("Int", "Bool", "Double", "Tensor", "ValueUnion", "Value", "BundledMethodTestCase", "BundledMethodTestSuite",
                          "BundledProgram"));
}

// Explicit ids, required fields, keys and structs would change the bytes, or refuse files that the format allows.
TEST(SchemaTextTest, SchemasUseNoAttributeButAlignment) {
  for (const char* name : {"scalar_type.fbs", "program.fbs", "flat_tensor.fbs", "bundled_program.fbs"}) {
    SCOPED_TRACE(name);
    const std::string text = SchemaText(name);
    EXPECT_THAT(test::Pattern(R"(\b(struct)\b)").FirstGroups(text), IsEmpty());
    EXPECT_THAT(test::Pattern(R"(\(\s*((?!force_align: \d+\))[^)]*)\))").FirstGroups(text), IsEmpty());
  }
}

}  // namespace
}  // namespace pte
