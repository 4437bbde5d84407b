// C.2: the flatbuffer of a .pte, and how much work a small file may ask for.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "pte/schema.h"
#include "tests/law/verify_rows.h"

namespace pte::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

std::vector<Row> StructureRows() {
  return {
      Breaks("F1", "OffsetOutOfTheBuffer", kError, A().Set("execution_plan[0].name", 0x7fffff00), "&execution_plan[0].name")
          .Reference(RuntimeReaction::kCrashes),
      Breaks("F1", "HugeVector", kError, A().Vlen("execution_plan[0].values", 0x40000000), "execution_plan[0].values"),
      Breaks("F1", "HugeVectorOfBytes", kError, A().Vlen("execution_plan[0].delegates[0].compile_specs[0].value", 0x40000000),
             "execution_plan[0].delegates[0].compile_specs[0].value"),
      Breaks("F1", "StringWithoutTerminator", kError, C().Text("named_data[1].key", "betaX"), "named_data[1].key"),
      Breaks("F1", "VtableOutOfTheBuffer", kError, A().Vtable("segments[1]", 0x7ffffff0), "segments[1]"),
      Breaks("F1", "OddVtable", kError, A().Bytewise([](FlatImage& image) { ++image.bytes[image.VtableAt("segments[1]")]; }),
             "segments[1]"),
      Keeps("F1", "Sound", A()),
      Breaks("F2", "TableMisaligned", kError, A().Nudge("execution_plan[0].chains[0]", 1), "execution_plan[0].chains[0]")
          .Reference(RuntimeReaction::kRefuses),
      // The vector begins at what was its first element, half of which is then its length.
      Breaks("F2", "WideVectorMisaligned", kError,
             A().Items("execution_plan[0].values[7].val.items", {1, 0}).Nudge("execution_plan[0].values[7].val.items", 4),
             "execution_plan[0].values[7].val.items"),
      Keeps("F2", "Aligned", A().Items("execution_plan[0].values[7].val.items", {1, 0})),
  };
}

std::vector<Row> LimitRows() {
  Limits few;
  few.max_tables = 5;
  Limits flat;
  flat.max_depth = 2;
  return {Breaks("F3", "MoreTablesThanAllowed", kError, A(), std::nullopt).Under(few).Reference(RuntimeReaction::kRefuses),
          Breaks("F3", "DeeperThanAllowed", kError, A(), std::nullopt).Under(flat), Keeps("F3", "AsManyAsAllowed", A())};
}

std::vector<Row> ElementRows() {
  return {
      Breaks("F5", "NullValue", kError, A().Elem("execution_plan[0].values[13]"), "execution_plan[0].values[13]")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("F5", "NullInstruction", kError, A().Elem("execution_plan[0].chains[0].instructions[2]"),
             "execution_plan[0].chains[0].instructions[2]"),
      Breaks("F5", "NullBufferDevice", kError,
             A().Model([](BaseProgram& base) {
                  auto& devices = base.program.execution_plan[0]->non_const_buffer_device;
                  devices.push_back(std::make_unique<fb::NonConstBufferDeviceT>());
                })
                 .Elem("execution_plan[0].non_const_buffer_device[0]"),
             "execution_plan[0].non_const_buffer_device[0]"),
      Keeps("F5", "EveryElement", A()),
      Breaks("F6", "ValueWithoutType", kError, A().Set("execution_plan[0].values[13].val_type", 0), "execution_plan[0].values[13].val_type")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("F6", "UnknownType", kError, A().Set("execution_plan[0].values[13].val_type", 12), "execution_plan[0].values[13].val_type"),
      Breaks("F6", "TypeWithoutValue", kError, A().Slot("execution_plan[0].values[13].val"), "execution_plan[0].values[13]"),
      Breaks("F6", "UnknownInstruction", kError, A().Set("execution_plan[0].chains[0].instructions[2].instr_args_type", 6),
             "execution_plan[0].chains[0].instructions[2].instr_args_type"),
      Keeps("F6", "OtherType", A().Set("execution_plan[0].values[13].val_type", 2)),
  };
}

std::vector<Row> TextRows() {
  return {
      Breaks("F7", "Value", kWarning, A().Text("execution_plan[0].values[3].val.string_val", "\xff"),
             "execution_plan[0].values[3].val.string_val")
          .Reference(RuntimeReaction::kAccepts),
      Breaks("F7", "Key", kError, C().Text("named_data[0].key", "\xff"), "named_data[0].key").Reference(RuntimeReaction::kAccepts),
      Breaks("F7", "Method", kError, A().Text("execution_plan[0].name", "\xff"), "execution_plan[0].name"),
      Breaks("F7", "Backend", kError, A().Text("execution_plan[0].delegates[0].id", "\xff"), "execution_plan[0].delegates[0].id"),
      Keeps("F7", "TwoByteCharacter", C().Text("named_data[0].key", "\xc3\xa9")),
      Breaks("F8", "Key", kError, C().Text("named_data[0].key", std::string("al\0ha", 5)), "named_data[0].key")
          .Reference(RuntimeReaction::kMisreads),
      Breaks("F8", "Method", kError, A().Text("execution_plan[0].name", std::string("f\0rward", 7)), "execution_plan[0].name"),
      Breaks("F8", "Backend", kError, A().Text("execution_plan[0].delegates[0].id", std::string("X\0", 2)),
             "execution_plan[0].delegates[0].id"),
      Keeps("F8", "ControlCharacter", C().Text("named_data[0].key", "al\x01ha")),
  };
}

// The place of the last field in the root's vtable.
size_t LastOfRootVtable(const FlatImage& image) {
  const size_t vtable = image.VtableAt("");
  return vtable + (Peek32(image.bytes, vtable) & 0xffff) - sizeof(flatbuffers::voffset_t);
}

// The root has a field that the schema does not know, which is said to be far behind the file.
Recipe FieldFarBehind() {
  return A().Extra("").Bytewise([](FlatImage& image) { image.bytes.replace(LastOfRootVtable(image), 2, "\xfe\xff"); });
}

std::vector<Row> SharingRows() {
  const uint64_t program = Peek64(A().File(), 16);
  const std::string hidden(16, 'x');
  return {
      Breaks("F9", "TwoFieldsOneVector", kInfo,
             A().Model([](BaseProgram& base) {
                  base.program.execution_plan[0]->inputs = base.program.execution_plan[0]->outputs = {4, 4};
                })
                 .Share("execution_plan[0].inputs", "execution_plan[0].outputs"),
             "execution_plan[0].outputs")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("F9", "EqualVectors", A()),
      Breaks("F10", "UnknownField", kInfo, A().Extra("execution_plan[0]"), "execution_plan[0].?"),
      Breaks("F10", "UnknownFieldOfTheRoot", kInfo, A().Extra(""), "?").Reference(RuntimeReaction::kAccepts),
      Breaks("F10", "UnknownFieldSaidToBeBeyondTheFile", kInfo, FieldFarBehind(), LastOfRootVtable(FieldFarBehind().Build())),
      Keeps("F10", "KnownFields", A()),
      Breaks("F11", "BytesBehindTheLastObject", kWarning, A().Hidden(hidden), program).Reference(RuntimeReaction::kAccepts),
      Keeps("F11", "NoneBehindTheLastObject", A()),
  };
}

// A root whose vtable is the last two bytes of the file, and says that it has none.
TEST(VerifyFlatbufferTest, AVtableWithoutSizesIsNotReadBeyondTheFile) {
  const std::string file(
      "\x08\0\0\0"
      "ET12"
      "\xfc\xff\xff\xff"
      "\0\0",
      14);
  EXPECT_EQ(ReportOf(file).verdict, Verdict::kError);
}

// --- Small files that ask for much.

std::string Finished(FlatBufferBuilder& builder, Offset<fb::Program> program) {
  builder.Finish(program, fb::ProgramIdentifier());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

// `plans` methods that are one, whose `values` values are one.
std::string Aliased(size_t plans, size_t values) {
  FlatBufferBuilder builder;
  const auto null = fb::CreateNull(builder);
  const auto value = fb::CreateEValue(builder, fb::KernelTypes::Null, null.Union());
  const auto value_list = builder.CreateVector(std::vector<Offset<fb::EValue>>(values, value));
  const auto name = builder.CreateString("forward");
  fb::ExecutionPlanBuilder plan(builder);
  plan.add_name(name);
  plan.add_values(value_list);
  const auto plan_list = builder.CreateVector(std::vector<Offset<fb::ExecutionPlan>>(plans, plan.Finish()));
  fb::ProgramBuilder program(builder);
  program.add_execution_plan(plan_list);
  return Finished(builder, program.Finish());
}

// `keys` entries that are one.
std::string AliasedKeys(size_t keys) {
  FlatBufferBuilder builder;
  const auto key = fb::CreateNamedData(builder, builder.CreateString(std::string(1000, 'k')), 0);
  const auto key_list = builder.CreateVector(std::vector<Offset<fb::NamedData>>(keys, key));
  fb::ProgramBuilder program(builder);
  program.add_named_data(key_list);
  return Finished(builder, program.Finish());
}

// The lists of `values` lists are one, each item of which is out of range.
std::string AliasedLists(size_t values, size_t items) {
  FlatBufferBuilder builder;
  const auto list = fb::CreateIntList(builder, builder.CreateVector(std::vector<int64_t>(items, -1)));
  const auto value = fb::CreateEValue(builder, fb::KernelTypes::IntList, list.Union());
  const auto value_list = builder.CreateVector(std::vector<Offset<fb::EValue>>(values, value));
  fb::ExecutionPlanBuilder plan(builder);
  plan.add_values(value_list);
  const auto plan_list = builder.CreateVector(std::vector<Offset<fb::ExecutionPlan>>{plan.Finish()});
  fb::ProgramBuilder program(builder);
  program.add_execution_plan(plan_list);
  return Finished(builder, program.Finish());
}

// What one that visits everything each time would need hours for.
void ExpectErrorSoon(const std::string& file, const std::vector<std::string>& rules) {
  constexpr std::chrono::seconds kSoon(20);
  const auto start = std::chrono::steady_clock::now();
  const VerifyReport report = ReportOf(file);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kSoon);
  EXPECT_EQ(report.verdict, Verdict::kError);
  EXPECT_LE(report.findings.size(), 3 * size_t{Limits().max_findings});
  if (!rules.empty()) {
    ASSERT_THAT(report.findings, testing::SizeIs(1)) << Describe(report);
    EXPECT_THAT(rules, testing::Contains(report.findings[0].rule));
  }
}

}  // namespace

std::vector<Row> FlatbufferRows() { return Joined({StructureRows(), LimitRows(), ElementRows(), TextRows(), SharingRows()}); }

PTE_TEST_JUDGE_ROWS(VerifyFlatbuffer, FlatbufferRows());

// F4, which the limit of F3 ends.
TEST(VerifyFlatbufferTest, AliasedMethodsEndAtALimit) {
  const std::string file = Aliased(20'000, 20'000);
  EXPECT_LT(file.size(), 200'000U);
  ExpectErrorSoon(file, {"F3", "F4"});
}

TEST(VerifyFlatbufferTest, AliasedValuesEndAtALimit) { ExpectErrorSoon(Aliased(1, 500'001), {"F3", "F4"}); }

TEST(VerifyFlatbufferTest, VectorsAsLongAsMemoryAreOutOfTheBuffer) {
  for (const char* path : {"execution_plan", "segments", "execution_plan[0].inputs", "execution_plan[0].values[8].val.items"}) {
    for (const uint32_t length : {uint32_t{1} << 30, UINT32_MAX}) ExpectErrorSoon(A().Vlen(path, length).File(), {"F1"});
  }
}

// Each within the limit of tables.
TEST(VerifyFlatbufferTest, AliasedRowsWithinTheLimitEndSoon) {
  ExpectErrorSoon(AliasedKeys(400'000), {});
  ExpectErrorSoon(Aliased(400, 1000), {});
}

// Jumps back to a call whose arguments they all would look through.
std::string LoopsOverLongArguments(size_t jumps, size_t arguments) {
  BaseProgram base = ProgramA();
  fb::ExecutionPlanT& plan = *base.program.execution_plan[0];
  std::vector<std::unique_ptr<fb::InstructionT>>& instructions = plan.chains[0]->instructions;
  instructions.resize(1);
  instructions[0]->instr_args.AsKernelCall()->args.assign(arguments, 1);
  for (size_t i = 0; i < jumps; ++i) {
    fb::JumpFalseCallT jump;
    jump.cond_value_index = 12;
    instructions.push_back(InstructionOf(std::move(jump)));
  }
  return Pack(base.program);
}

TEST(VerifyFlatbufferTest, LoopsOverLongArgumentsEndSoon) { ExpectErrorSoon(LoopsOverLongArguments(50'000, 2'000'000), {}); }

// A list costs nothing by the count of tables, however long it is.
TEST(VerifyFlatbufferTest, AliasedListsEndSoon) { ExpectErrorSoon(AliasedLists(100'000, 100'000), {}); }

}  // namespace pte::test
