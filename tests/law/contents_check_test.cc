// Contents that contradict themselves are refused by the name of the place, and never crash the writer.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/build_file.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

void ExpectRefused(const PteContents& contents, const std::string& path) {
  EXPECT_THAT(PlanPte(contents), HasCodeAndMessage(StatusCode::kInvalidArgument, path));
  std::string out;
  StringSink sink(out);
  EXPECT_THAT(WritePte(contents, sink), HasCodeAndMessage(StatusCode::kInvalidArgument, path));
  EXPECT_TRUE(out.empty());
  const TempDir folder;
  EXPECT_THAT(SavePte(contents, folder / "a.pte"), HasCodeAndMessage(StatusCode::kInvalidArgument, path));
  EXPECT_THAT(SaveProgramAndData(contents, folder / "a.pte"), HasCodeAndMessage(StatusCode::kInvalidArgument, path));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ContentsCheckTest, PayloadListsOfTheProgramMustBeEmpty) {
  const std::pair<std::string, std::function<void(fb::ProgramT&)>> cases[] = {
      {"constant_buffer", [](fb::ProgramT& p) { p.constant_buffer.push_back(std::make_unique<fb::BufferT>()); }},
      {"backend_delegate_data",
       [](fb::ProgramT& p) { p.backend_delegate_data.push_back(std::make_unique<fb::BackendDelegateInlineDataT>()); }},
      {"segments", [](fb::ProgramT& p) { p.segments.push_back(SegmentRow(0, 0)); }},
      {"constant_segment", [](fb::ProgramT& p) { p.constant_segment = std::make_unique<fb::SubsegmentOffsetsT>(); }},
      {"mutable_data_segments", [](fb::ProgramT& p) { p.mutable_data_segments.push_back(std::make_unique<fb::SubsegmentOffsetsT>()); }},
      {"named_data", [](fb::ProgramT& p) { p.named_data.push_back(nullptr); }},
  };
  for (const auto& [path, change] : cases) {
    PteContents contents;
    contents.program = OneMethod();
    change(contents.program);
    ExpectRefused(contents, path);
  }
}

// A program that has everything: values of each type, chains, delegates, traces.
PteContents Full() {
  PteContents contents;
  contents.program.execution_plan = std::move(BaseA().program.execution_plan);
  fb::ExecutionPlanT& plan = *contents.program.execution_plan[0];
  plan.delegates[0]->processed->location = fb::DataLocation::INLINE;
  plan.delegates[0]->processed->index = 0;
  contents.delegate_payloads.emplace_back(Copy("delegate"));
  plan.non_const_buffer_device.push_back(std::make_unique<fb::NonConstBufferDeviceT>());
  auto frames = std::make_unique<fb::FrameListT>();
  frames->items.push_back(std::make_unique<fb::FrameT>());
  plan.chains[0]->stacktrace.push_back(std::move(frames));
  return contents;
}

TEST(ContentsCheckTest, ANewerSchemaVersionIsNotWritten) {
  PteContents contents;
  contents.program.version = 1;
  std::string out;
  StringSink sink(out);
  EXPECT_THAT(WritePte(contents, sink), HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(out, "");
}

TEST(ContentsCheckTest, AMissingObjectIsNamedWhereverItIs) {
  using Plan = fb::ExecutionPlanT;
  const std::pair<std::string, std::function<void(Plan&)>> cases[] = {
      {"execution_plan[0].values[2]", [](Plan& p) { p.values[2] = nullptr; }},
      {"execution_plan[0].chains[0]", [](Plan& p) { p.chains[0] = nullptr; }},
      {"execution_plan[0].operators[0]", [](Plan& p) { p.operators[0] = nullptr; }},
      {"execution_plan[0].delegates[0]", [](Plan& p) { p.delegates[0] = nullptr; }},
      {"execution_plan[0].delegates[0].processed", [](Plan& p) { p.delegates[0]->processed = nullptr; }},
      {"execution_plan[0].delegates[0].compile_specs[0]", [](Plan& p) { p.delegates[0]->compile_specs[0] = nullptr; }},
      {"execution_plan[0].chains[0].instructions[1]", [](Plan& p) { p.chains[0]->instructions[1] = nullptr; }},
      {"execution_plan[0].chains[0].stacktrace[0]", [](Plan& p) { p.chains[0]->stacktrace[0] = nullptr; }},
      {"execution_plan[0].chains[0].stacktrace[0].items[0]", [](Plan& p) { p.chains[0]->stacktrace[0]->items[0] = nullptr; }},
      {"execution_plan[0].non_const_buffer_device[0]", [](Plan& p) { p.non_const_buffer_device[0] = nullptr; }},
  };
  for (const auto& [path, change] : cases) {
    PteContents contents = Full();
    change(*contents.program.execution_plan[0]);
    ExpectRefused(contents, path);
  }
  PteContents contents = Full();
  contents.program.execution_plan.insert(contents.program.execution_plan.begin(), nullptr);
  ExpectRefused(contents, "execution_plan[0]");
}

TEST(ContentsCheckTest, AUnionWithoutItsValueIsNamed) {
  for (int type = static_cast<int>(fb::KernelTypes::MIN) + 1; type <= static_cast<int>(fb::KernelTypes::MAX); ++type) {
    PteContents contents = Full();
    contents.program.execution_plan[0]->values[2] = std::make_unique<fb::EValueT>();
    contents.program.execution_plan[0]->values[2]->val.type = static_cast<fb::KernelTypes>(type);
    ExpectRefused(contents, "execution_plan[0].values[2].val");
    contents.program.execution_plan[0]->values[2]->val.type = fb::KernelTypes::NONE;
  }
  for (int type = static_cast<int>(fb::InstructionArguments::MIN) + 1; type <= static_cast<int>(fb::InstructionArguments::MAX); ++type) {
    PteContents contents = Full();
    auto& instruction = contents.program.execution_plan[0]->chains[0]->instructions[0];
    instruction = std::make_unique<fb::InstructionT>();
    instruction->instr_args.type = static_cast<fb::InstructionArguments>(type);
    ExpectRefused(contents, "execution_plan[0].chains[0].instructions[0].instr_args");
    instruction->instr_args.type = fb::InstructionArguments::NONE;
  }
}

TEST(ContentsCheckTest, DelegatesReferToPayloadsThatAreThere) {
  for (const uint32_t index : {1U, 2U, UINT32_MAX}) {
    PteContents contents = Full();
    contents.program.execution_plan[0]->delegates[0]->processed->index = index;
    ExpectRefused(contents, "execution_plan[0].delegates[0].processed");
  }
  PteContents contents = Full();
  contents.program.execution_plan[0]->delegates[0]->processed->location = fb::DataLocation::SEGMENT;
  ExpectRefused(contents, "execution_plan[0].delegates[0].processed");
  contents = Full();
  contents.delegate_payloads.clear();
  ExpectRefused(contents, "execution_plan[0].delegates[0].processed");
}

TEST(ContentsCheckTest, WhatMayBeMissingIsWrittenAsMissing) {
  PteContents contents = Full();
  fb::ExecutionPlanT& plan = *contents.program.execution_plan[0];
  plan.container_meta_type = nullptr;
  plan.values[4]->val.AsTensor()->allocation_info = nullptr;
  plan.values[4]->val.AsTensor()->extra_tensor_info = nullptr;
  plan.values[2] = std::make_unique<fb::EValueT>();
  plan.chains[0]->instructions[0] = std::make_unique<fb::InstructionT>();
  const PteFile file = OpenPte(Written(contents));
  const fb::ExecutionPlan& written = *file.program().execution_plan()->Get(0);
  EXPECT_EQ(written.container_meta_type(), nullptr);
  EXPECT_EQ(written.values()->Get(4)->val_as_Tensor()->allocation_info(), nullptr);
  EXPECT_EQ(written.values()->Get(4)->val_as_Tensor()->extra_tensor_info(), nullptr);
  EXPECT_EQ(written.values()->Get(2)->val_type(), fb::KernelTypes::NONE);
  EXPECT_EQ(written.values()->Get(2)->val(), nullptr);
  EXPECT_EQ(written.chains()->Get(0)->instructions()->Get(0)->instr_args_type(), fb::InstructionArguments::NONE);
}

// The runtime refuses programs that miss other lists, and the exporter leaves out these.
TEST(ContentsCheckTest, OfEmptyListsFiveAreLeftOut) {
  PteContents contents = Full();
  fb::ExecutionPlanT& plan = *contents.program.execution_plan[0];
  plan.non_const_buffer_device.clear();
  plan.chains[0]->stacktrace.clear();
  plan.values[4]->val.AsTensor()->extra_tensor_info->fully_qualified_name.clear();
  plan.values[4]->val.AsTensor()->sizes.clear();
  plan.values[4]->val.AsTensor()->dim_order.clear();
  plan.values[3]->val.AsString()->string_val.clear();
  plan.values[7]->val.AsIntList()->items.clear();
  plan.container_meta_type->encoded_inp_str.clear();
  plan.operators[0]->overload.clear();
  plan.delegates[0]->compile_specs[0]->value.clear();
  plan.chains[0]->instructions[0]->instr_args.AsKernelCall()->args.clear();
  plan.inputs.clear();
  plan.name.clear();
  const PteFile file = OpenPte(Written(contents));
  const fb::Program& program = file.program();
  EXPECT_EQ(program.mutable_data_segments(), nullptr);
  EXPECT_EQ(program.named_data(), nullptr);
  EXPECT_NE(program.constant_buffer(), nullptr);
  EXPECT_NE(program.backend_delegate_data(), nullptr);
  const fb::ExecutionPlan& written = *program.execution_plan()->Get(0);
  EXPECT_EQ(written.non_const_buffer_device(), nullptr);
  EXPECT_EQ(written.chains()->Get(0)->stacktrace(), nullptr);
  EXPECT_NE(written.chains()->Get(0)->inputs(), nullptr);
  EXPECT_NE(written.chains()->Get(0)->outputs(), nullptr);
  const fb::Tensor& tensor = *written.values()->Get(4)->val_as_Tensor();
  EXPECT_EQ(tensor.extra_tensor_info()->fully_qualified_name(), nullptr);
  EXPECT_NE(tensor.sizes(), nullptr);
  EXPECT_NE(tensor.dim_order(), nullptr);
  EXPECT_NE(written.values()->Get(3)->val_as_String()->string_val(), nullptr);
  EXPECT_NE(written.values()->Get(7)->val_as_IntList()->items(), nullptr);
  EXPECT_NE(written.container_meta_type()->encoded_inp_str(), nullptr);
  EXPECT_NE(written.operators()->Get(0)->overload(), nullptr);
  EXPECT_NE(written.delegates()->Get(0)->compile_specs()->Get(0)->value(), nullptr);
  EXPECT_NE(written.chains()->Get(0)->instructions()->Get(0)->instr_args_as_KernelCall()->args(), nullptr);
  EXPECT_NE(written.inputs(), nullptr);
  EXPECT_NE(written.name(), nullptr);
}

TEST(ContentsCheckTest, EntriesOfDataFilesAreNotForTheProgramAlone) {
  PteContents contents;
  contents.program = OneMethod();
  ASSERT_THAT(contents.named_data.Add("inside", Copy("i")), IsOk());
  ASSERT_THAT(contents.named_data.Add("outside", Copy("o"), {.external_tag = "tag"}), IsOk());
  std::string out;
  StringSink sink(out);
  const TempDir folder;
  EXPECT_THAT(WritePte(contents, sink), HasCodeAndMessage(StatusCode::kInvalidArgument, "outside"));
  EXPECT_THAT(SavePte(contents, folder / "a.pte"), HasCodeAndMessage(StatusCode::kInvalidArgument, "outside"));
  EXPECT_TRUE(out.empty() && std::filesystem::is_empty(folder.path()));
  ASSERT_OK_AND_ASSIGN(const LayoutPlan plan, PlanPte(contents));
  ASSERT_EQ(plan.payloads.size(), 2u);
  EXPECT_EQ(plan.payloads[1].key, "inside");
}

}  // namespace
}  // namespace pte::test
