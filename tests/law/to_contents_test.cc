// From a file to contents: what is refused rather than lost, and what becomes of constants and mutable data.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/allocations.h"
#include "tests/support/build_file.h"
#include "tests/support/contents.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;

// Gives a table of a file without segments a vtable of its own, behind everything else, with `slot` leading to `value`.
std::string WithSlot(std::string file, size_t table, size_t slot, char value) {
  const auto old_vtable = static_cast<size_t>(static_cast<int64_t>(table) - static_cast<int32_t>(Peek32(file, table)));
  const size_t old_size = Peek32(file, old_vtable) & 0xffff;
  std::string vtable = file.substr(old_vtable, old_size);
  vtable.resize(std::max(old_size, slot + 2), '\0');
  vtable[0] = static_cast<char>(vtable.size());
  vtable[slot] = value;
  file.resize((file.size() + 3) / 4 * 4, '\0');
  Poke32(file, table, static_cast<uint32_t>(table - file.size()));
  return file + vtable;
}

// One field more than the schema's `known`: the first of its bytes.
std::string WithUnknownField(std::string file, size_t table, size_t known) { return WithSlot(std::move(file), table, 4 + 2 * known, 4); }

// A file without segments that has values, instructions, a delegate and a trace.
std::string Headless() {
  fb::ProgramT program = MinimalProgram();
  program.execution_plan = std::move(BaseA().program.execution_plan);
  program.execution_plan[0]->delegates[0]->processed->location = fb::DataLocation::INLINE;
  program.execution_plan[0]->delegates[0]->processed->index = 0;
  program.backend_delegate_data.push_back(std::make_unique<fb::BackendDelegateInlineDataT>());
  program.backend_delegate_data[0]->data = {1, 2, 3};
  return Pack(program);
}

TEST(ToContentsTest, UnknownFieldsAreRefusedByTheirPlace) {
  const std::string file = Headless();
  const Editor editor(file);
  const fb::ExecutionPlan& plan = *editor.root<fb::Program>().execution_plan()->Get(0);
  const struct {
    const void* table;
    size_t known;
    std::string path;
  } cases[] = {{&editor.root<fb::Program>(), 8, "root"},
               {&plan, 10, "execution_plan[0]"},
               {plan.values()->Get(4), 2, "execution_plan[0].values[4]"},
               {plan.values()->Get(4)->val(), 10, "execution_plan[0].values[4].val"},
               {plan.chains()->Get(0), 4, "execution_plan[0].chains[0]"},
               {plan.chains()->Get(0)->instructions()->Get(1)->instr_args(), 2, "execution_plan[0].chains[0].instructions[1].instr_args"},
               {plan.delegates()->Get(0)->compile_specs()->Get(0), 2, "execution_plan[0].delegates[0].compile_specs[0]"},
               {editor.root<fb::Program>().backend_delegate_data()->Get(0), 1, "backend_delegate_data[0]"},
               {editor.root<fb::Program>().constant_segment(), 2, "constant_segment"}};
  for (const auto& c : cases) {
    const PteFile extended = OpenPte(WithUnknownField(file, editor.At(c.table), c.known));
    EXPECT_THAT(extended.ToContents(), HasCodeAndMessage(StatusCode::kUnimplemented, c.path + ": "));
    ASSERT_OK_AND_ASSIGN(const PteContents contents, extended.ToContents({.drop_unknown_fields = true}));
    EXPECT_EQ(Written(contents), Written(ContentsOf(OpenPte(file)))) << c.path;
  }
}

TEST(ToContentsTest, UnknownFieldsOfTensorDataAreRefusedByTheirPlace) {
  PtdContents contents;
  const std::string file = Written(contents);
  const Editor editor(file);
  // The directory ends where the padding begins: there is room in it for a vtable.
  std::string extended = file.substr(0, Peek64(file, 16) + Peek64(file, 24));
  extended = WithUnknownField(extended, editor.At(&editor.root<fb::FlatTensor>()), 3);
  Poke64(extended, 24, extended.size() - 48);
  ASSERT_LE(extended.size(), 128u);
  extended.resize(128, '\0');
  const PtdFile opened = OpenPtd(extended);
  EXPECT_THAT(opened.ToContents(), HasCodeAndMessage(StatusCode::kUnimplemented, "root: "));
  ASSERT_OK_AND_ASSIGN(const PtdContents dropped, opened.ToContents({.drop_unknown_fields = true}));
  EXPECT_EQ(Written(dropped), file);
}

TEST(ToContentsTest, UnknownUnionTypesAreRefusedByTheirPlaceOrDropped) {
  Editor editor(Headless());
  const fb::ExecutionPlan* plan = editor.root<fb::Program>().execution_plan()->Get(0);
  editor.file()[editor.At(plan->values()->Get(4), fb::EValue::VT_VAL_TYPE)] = 99;
  const PteFile file = OpenPte(editor.file());
  EXPECT_THAT(file.ToContents(), HasCodeAndMessage(StatusCode::kUnimplemented, "execution_plan[0].values[4].val: "));
  ASSERT_OK_AND_ASSIGN(const PteContents contents, file.ToContents({.drop_unknown_fields = true}));
  const PteFile written = OpenPte(Written(contents));
  const auto& values = *written.program().execution_plan()->Get(0)->values();
  EXPECT_EQ(values.size(), 9u);
  EXPECT_EQ(values.Get(4)->val_type(), fb::KernelTypes::NONE);

  Editor other(Headless());
  plan = other.root<fb::Program>().execution_plan()->Get(0);
  other.file()[other.At(plan->chains()->Get(0)->instructions()->Get(1), fb::Instruction::VT_INSTR_ARGS_TYPE)] = 99;
  const PteFile instructions = OpenPte(other.file());
  EXPECT_THAT(instructions.ToContents(),
              HasCodeAndMessage(StatusCode::kUnimplemented, "execution_plan[0].chains[0].instructions[1].instr_args: "));
  ASSERT_OK_AND_ASSIGN(const PteContents dropped, instructions.ToContents({.drop_unknown_fields = true}));
  const PteFile rewritten = OpenPte(Written(dropped));
  const auto& chain = *rewritten.program().execution_plan()->Get(0)->chains()->Get(0);
  EXPECT_EQ(chain.instructions()->size(), 2u);
  EXPECT_EQ(chain.instructions()->Get(1)->instr_args_type(), fb::InstructionArguments::NONE);
}

TEST(ToContentsTest, ATypeWithoutItsValueIsDamage) {
  const std::string bytes = Headless();
  const Editor editor(bytes);
  const fb::ExecutionPlan* plan = editor.root<fb::Program>().execution_plan()->Get(0);
  const size_t value = editor.At(plan->values()->Get(4));
  const PteFile file = OpenPte(WithSlot(bytes, value, fb::EValue::VT_VAL, 0));
  EXPECT_THAT(file.ToContents(), IsFault(StatusCode::kDataLoss, "F6", value));
  EXPECT_THAT(file.ToContents({.drop_unknown_fields = true}), HasCodeAndMessage(StatusCode::kDataLoss, "execution_plan[0].values[4].val"));
  const size_t instruction = editor.At(plan->chains()->Get(0)->instructions()->Get(1));
  EXPECT_THAT(OpenPte(WithSlot(bytes, instruction, fb::Instruction::VT_INSTR_ARGS, 0)).ToContents(),
              IsFault(StatusCode::kDataLoss, "F6", instruction));
}

TEST(ToContentsTest, ANewerVersionIsNeverRewritten) {
  fb::ProgramT program = MinimalProgram();
  program.version = 1;
  ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(MakeSource(SourceKind::kMemory, Pack(program)), {.allow_newer = true}));
  EXPECT_THAT(file.ToContents(), HasCodeAndMessage(StatusCode::kUnimplemented, "at most 0, found 1"));
  EXPECT_THAT(file.ToContents({.drop_unknown_fields = true}), HasCode(StatusCode::kUnimplemented));

  BaseDirectory base = BaseP();
  base.directory.version = 3;
  ASSERT_OK_AND_ASSIGN(const PtdFile data, PtdFile::Open(MakeSource(SourceKind::kMemory, Build(base)), {.allow_newer = true}));
  EXPECT_THAT(data.ToContents(), HasCodeAndMessage(StatusCode::kUnimplemented, "at most 0, found 3"));
  EXPECT_THAT(data.ToContents({.drop_unknown_fields = true}), HasCode(StatusCode::kUnimplemented));
}

// One list of a MiB under a thousand values: a small file that would unpack to a GiB.
std::string Bomb() {
  constexpr size_t kItems = (size_t{1} << 20) / sizeof(int64_t);
  flatbuffers::FlatBufferBuilder builder;
  const auto list = fb::CreateIntList(builder, builder.CreateVector(std::vector<int64_t>(kItems, 7)));
  std::vector<flatbuffers::Offset<fb::EValue>> values;
  for (int i = 0; i < 1000; ++i) values.push_back(fb::CreateEValue(builder, fb::KernelTypes::IntList, list.Union()));
  const auto plan = fb::CreateExecutionPlan(builder, 0, 0, builder.CreateVector(values));
  const auto plans = builder.CreateVector(std::vector{plan});
  builder.Finish(fb::CreateProgram(builder, 0, plans), fb::ProgramIdentifier());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

TEST(ToContentsTest, ListsThatAliasEachOtherAreBounded) {
  const PteFile file = OpenPte(Bomb());
  ForgetLargestAllocation();
  EXPECT_THAT(file.ToContents(), HasCodeAndMessage(StatusCode::kResourceExhausted, "Limits::max_unpacked_bytes"));
  EXPECT_LE(LargestAllocation(), size_t{1} << 20);
  OpenOptions options;
  options.limits.max_unpacked_bytes = 100;
  ASSERT_OK_AND_ASSIGN(const PteFile small, PteFile::Open(MakeSource(SourceKind::kMemory, Headless()), options));
  EXPECT_THAT(small.ToContents(), HasCode(StatusCode::kResourceExhausted));
}

TEST(ToContentsTest, NoPayloadIsRead) {
  const auto source = Counting(Build(BaseC()));
  ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(source));
  source->Forget();
  const PteContents contents = ContentsOf(file);
  EXPECT_THAT(PlanPte(contents), IsOk());
  EXPECT_THAT(source->ranges(), testing::IsEmpty());
}

std::vector<uint64_t> ConstantOffsets(const PteFile& file) {
  const auto& offsets = *file.program().constant_segment()->offsets();
  return {offsets.begin(), offsets.end()};
}

// The constants are inside the flatbuffer, as files had them before.
std::string WithInlineConstants(const std::vector<std::vector<uint8_t>>& constants) {
  fb::ProgramT program = MinimalProgram();
  program.segments.clear();
  program.constant_segment = nullptr;
  program.constant_buffer.push_back(std::make_unique<fb::BufferT>());
  for (const std::vector<uint8_t>& constant : constants) {
    program.constant_buffer.push_back(std::make_unique<fb::BufferT>());
    program.constant_buffer.back()->storage = constant;
  }
  return Pack(program);
}

TEST(ToContentsTest, InlineConstantsBecomeASegmentWithTheSameIndices) {
  const PteFile file = OpenPte(WithInlineConstants({{1, 2, 3}, {}, {4}}));
  ASSERT_EQ(file.constant_count(), 4u);
  const PteContents contents = ContentsOf(file);
  EXPECT_EQ(contents.constants.size(), 3u);
  const PteFile written = OpenPte(Written(contents));
  EXPECT_EQ(written.program().constant_buffer()->size(), 0u);
  EXPECT_EQ(written.constant_segment(), 0u);
  ASSERT_EQ(written.constant_count(), 4u);
  EXPECT_EQ(TextOf(written.Constant(1)).substr(0, 3), "\1\2\3");
  EXPECT_EQ(TextOf(written.Constant(2)), "");
  EXPECT_EQ(TextOf(written.Constant(3)), "\4");
}

TEST(ToContentsTest, WithoutInlineBytesThereIsNoAlignmentToKeep) {
  PteContents contents = ContentsOf(OpenPte(WithInlineConstants({{}})));
  contents.constants.push_back(Copy("a"));
  contents.constants.push_back(Copy("b"));
  EXPECT_THAT(ConstantOffsets(OpenPte(Written(contents))), ElementsAre(0, 0, 0, 16));
}

TEST(ToContentsTest, ConstantsFollowThoseOfTheFile) {
  const std::string bytes = Build(BaseA());
  PteContents contents = ContentsOf(OpenPte(bytes));
  ASSERT_EQ(contents.constants.size(), 2u);
  contents.constants.push_back(Copy("third"));
  contents.constants.push_back(Copy("fourth"));
  ASSERT_EQ(contents.constants.size(), 4u);
  EXPECT_EQ(TextOf(contents.constants[2]), "third");
  const PteFile written = OpenPte(Written(contents));
  EXPECT_THAT(ConstantOffsets(written), ElementsAre(0, 0, 16, 32, 48));
  EXPECT_EQ(TextOf(written.SegmentPayload(0)).substr(0, 32), bytes.substr(Peek64(bytes, 24), 32));
  EXPECT_EQ(TextOf(written.Constant(3)), "third" + std::string(11, '\0'));
  EXPECT_EQ(TextOf(written.Constant(4)), "fourth");
}

TEST(ToContentsTest, ConstantsCanBeSetAndCleared) {
  const PteFile file = OpenPte(Build(BaseA()));
  PteContents contents = ContentsOf(file);
  contents.constants.push_back(Copy("third"));
  contents.constants.Set(2, Copy("THIRD"));
  contents.constants.Set(0, Copy("first"));
  EXPECT_EQ(contents.constants.size(), 3u);
  EXPECT_EQ(TextOf(contents.constants[0]), "first");
  EXPECT_EQ(TextOf(contents.constants[1]), TextOf(file.Constant(2)));
  EXPECT_EQ(TextOf(contents.constants[2]), "THIRD");
  const PteFile written = OpenPte(Written(contents));
  EXPECT_THAT(ConstantOffsets(written), ElementsAre(0, 0, 16, 32));
  EXPECT_EQ(written.segments().size(), 2u);
  EXPECT_EQ(TextOf(written.Constant(2)), TextOf(file.Constant(2)));
  contents.constants.clear();
  EXPECT_TRUE(contents.constants.empty());
  const PteFile cleared = OpenPte(Written(contents));
  EXPECT_THAT(ConstantOffsets(cleared), ElementsAre(0));
  EXPECT_EQ(TextOf(cleared.DelegatePayload(0, 0)), TextOf(file.DelegatePayload(0, 0)));
}

TEST(ToContentsTest, MutableDataCanBeAppendedSetAndCleared) {
  const PteFile file = OpenPte(Build(BaseB()));
  PteContents contents = ContentsOf(file);
  ASSERT_EQ(contents.mutable_data.size(), 2u);
  contents.mutable_data.push_back(Copy("odd"));
  const PteFile appended = OpenPte(Written(contents));
  ASSERT_EQ(appended.mutable_data_count(), 4u);
  EXPECT_EQ(TextOf(appended.MutableData(1)), TextOf(file.MutableData(1)));
  EXPECT_EQ(TextOf(appended.MutableData(2)), TextOf(file.MutableData(2)));
  EXPECT_EQ(TextOf(appended.MutableData(3)), "odd");
  contents.mutable_data.Set(0, Copy("longer than before"));
  const PteFile set = OpenPte(Written(contents));
  EXPECT_EQ(TextOf(set.MutableData(1)), "longer than before");
  EXPECT_EQ(TextOf(set.MutableData(2)), TextOf(file.MutableData(2)));
  contents.mutable_data.clear();
  const PteFile cleared = OpenPte(Written(contents));
  EXPECT_EQ(cleared.program().mutable_data_segments(), nullptr);
  EXPECT_EQ(cleared.segments().size(), 2u);
}

TEST(ToContentsTest, ALonePlaceholderTakesConstants) {
  PteContents contents = ContentsOf(OpenPte(Pack(MinimalProgram())));
  EXPECT_TRUE(contents.constants.empty());
  EXPECT_EQ(OpenPte(Written(contents)).segments().size(), 1u);
  contents.constants.push_back(Copy("first"));
  const PteFile written = OpenPte(Written(contents));
  EXPECT_EQ(written.segments().size(), 1u);
  EXPECT_EQ(TextOf(written.Constant(1)), "first");
  contents.constants.Set(0, Copy("other"));
  EXPECT_EQ(TextOf(OpenPte(Written(contents)).Constant(1)), "other");
}

// A placeholder may name a segment that is something else's; constants then get one of their own.
TEST(ToContentsTest, APlaceholderInAnothersSegmentLeavesItAlone) {
  BaseProgram base = BaseC();
  base.program.constant_segment->offsets = {0};
  base.program.constant_segment->segment_index = 2;
  const PteFile file = OpenPte(Build(base));
  PteContents contents = ContentsOf(file);
  EXPECT_TRUE(contents.constants.empty());
  contents.constants.push_back(Copy("constant"));
  const PteFile written = OpenPte(Written(contents));
  EXPECT_EQ(TextOf(written.Constant(1)), "constant");
  EXPECT_EQ(TextOf(written.FindNamedData("alpha")), TextOf(file.FindNamedData("alpha")));
  EXPECT_EQ(TextOf(written.SegmentPayload(0)), TextOf(file.SegmentPayload(0)));
}

}  // namespace
}  // namespace pte::test
