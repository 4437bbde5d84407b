// Files that no exporter writes: unknown numbers, missing fields, indices that lead nowhere, names that attack a terminal, and tables that
// are referred to over and over.
#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "pte/schema.h"
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

template <class Table>
using Rows = Offset<flatbuffers::Vector<Offset<Table>>>;

std::string Finish(FlatBufferBuilder& builder, Offset<fb::Program> program) {
  builder.Finish(program, fb::ProgramIdentifier());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

// Runs a verb on these bytes.
ToolResult RunOn(std::string_view bytes, std::vector<std::string> args) {
  const TempDir dir;
  WriteFile(dir / "x.pte", bytes);
  args.emplace_back("x.pte");
  return RunTool(args, {dir.path()});
}
Json JsonOf(std::string_view bytes, std::vector<std::string> args) {
  const ToolResult result = RunOn(bytes, std::move(args));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return Json::parse(result.out, nullptr, false);
}

// One method "m" over these values, which are its inputs too; `more_inputs` follow.
std::string ProgramOf(FlatBufferBuilder& builder, const std::vector<Offset<fb::EValue>>& values, std::vector<int32_t> more_inputs = {},
                      Rows<fb::Operator> operators = 0, Rows<fb::Chain> chains = 0) {
  std::vector<int32_t> inputs;
  for (size_t i = 0; i < values.size(); ++i) inputs.push_back(static_cast<int32_t>(i));
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  const auto name = builder.CreateString("m");
  const auto value_rows = builder.CreateVector(values);
  const auto input_rows = builder.CreateVector(inputs);
  const auto plan = fb::CreateExecutionPlan(builder, name, 0, value_rows, input_rows, 0, chains, operators);
  return Finish(builder, fb::CreateProgram(builder, 0, builder.CreateVector(&plan, 1)));
}

TEST(Hostile, UnknownNumbersAreShownAsSuch) {
  FlatBufferBuilder builder;
  const std::vector<int32_t> sizes = {2, -3};
  const auto tensor = fb::CreateTensorDirect(builder, static_cast<fb::ScalarType>(99), 0, &sizes, nullptr, false, 0, 0, 0,
                                             static_cast<fb::TensorShapeDynamism>(7));
  const std::vector<Offset<fb::EValue>> values = {
      fb::CreateEValue(builder, fb::KernelTypes::Tensor, tensor.Union()),
      fb::CreateEValue(builder, static_cast<fb::KernelTypes>(200), tensor.Union()),
      fb::CreateEValue(builder),
      fb::CreateEValue(builder, fb::KernelTypes::Tensor, 0),
  };
  const std::string bytes = ProgramOf(builder, values, {-1, 1000});
  EXPECT_THAT(RunOn(bytes, {"info"}).out,
              AllOf(HasSubstr("input 0         dtype 99 [2, -3] dynamism 7 order []\n"), HasSubstr("input 1         type 200\n"),
                    HasSubstr("input 2         no type\n"), HasSubstr("input 3         Tensor\n"),
                    HasSubstr("input 4         value -1, which the method does not have\n"),
                    HasSubstr("input 5         value 1000, which the method does not have\n")));
  const Json inputs = JsonOf(bytes, {"info", "--json"})["methods"][0]["inputs"];
  EXPECT_EQ(inputs[0], Json::parse(R"({"type": "Tensor", "dtype": 99, "sizes": [2, -3], "dim_order": [], "dynamism": 7})"));
  EXPECT_EQ(inputs[1]["type"], 200);
  EXPECT_EQ(inputs[4]["type"], nullptr);
  EXPECT_EQ(JsonOf(bytes, {"ls", "--json"})["entries"].size(), 0);
}

TEST(Hostile, UnknownOperatorsAndInstructions) {
  FlatBufferBuilder builder;
  const std::vector<Offset<fb::Operator>> operators = {fb::CreateOperatorDirect(builder, "foo::bar", "out"), fb::CreateOperator(builder)};
  const auto call = [&](int32_t op) {
    return fb::CreateInstruction(builder, fb::InstructionArguments::KernelCall, fb::CreateKernelCall(builder, op).Union());
  };
  const std::vector<Offset<fb::Instruction>> instructions = {call(0),
                                                             call(0),
                                                             call(1),
                                                             call(-1),
                                                             call(2),
                                                             fb::CreateInstruction(builder, fb::InstructionArguments::KernelCall, 0),
                                                             fb::CreateInstruction(builder, static_cast<fb::InstructionArguments>(77), 0)};
  const std::vector<Offset<fb::Chain>> chains = {fb::CreateChainDirect(builder, nullptr, nullptr, &instructions)};
  const auto operator_rows = builder.CreateVector(operators);
  const auto chain_rows = builder.CreateVector(chains);
  const std::string bytes = ProgramOf(builder, {}, {}, operator_rows, chain_rows);
  const std::string text = RunOn(bytes, {"info"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("7: 6 kernel calls, 1 unknown\n"), HasSubstr("foo::bar.out                            2 calls\n"),
                          HasSubstr("(no name)                               1 call\n"),
                          HasSubstr("calls to operators that the method does not have 3 calls\n")));
  const Json operators_json = JsonOf(bytes, {"info", "--json"})["methods"][0]["operators"];
  EXPECT_EQ(operators_json[1], Json::parse(R"({"name": null, "overload": null, "calls": 1})"));
  EXPECT_EQ(operators_json[2]["calls"], 3);
}

TEST(Hostile, EverythingMissing) {
  FlatBufferBuilder builder;
  const auto plan = fb::CreateExecutionPlan(builder);
  const std::string bytes = Finish(builder, fb::CreateProgram(builder, 0, builder.CreateVector(&plan, 1)));
  EXPECT_THAT(RunOn(bytes, {"info"}).out, HasSubstr("\nmethod \"\"\n  inputs          none\n"));
  const Json method = JsonOf(bytes, {"info", "--json"})["methods"][0];
  EXPECT_EQ(method, Json::parse(R"({"name": null, "inputs": [], "outputs": [], "operators": [], "delegates": [], "instructions": 0,
                                    "planned_memory": []})"));
  EXPECT_EQ(RunOn(bytes, {"ls"}).exit_code, 0);
  EXPECT_EQ(RunOn(bytes, {"dump"}).exit_code, 0);
}

TEST(Hostile, NewerVersionsOpenWhenAllowed) {
  FlatBufferBuilder builder;
  const std::string bytes = Finish(builder, fb::CreateProgram(builder, 1));
  for (const char* verb : {"info", "ls", "dump"}) {
    const ToolResult refused = RunOn(bytes, {verb});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("S2: version: "));
    EXPECT_EQ(RunOn(bytes, {verb, "--allow-newer"}).exit_code, 0);
  }
  EXPECT_THAT(RunOn(bytes, {"info", "--allow-newer"}).out, HasSubstr("schema version 1\n"));
}

bool IsTerminalSafe(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) return false;
  }
  return text.find("\xc2\x9b") == std::string::npos && text.find("\xe2\x80\xae") == std::string::npos &&
         text.find("\xff") == std::string::npos;
}

TEST(Hostile, NamesNeverReachATerminalRaw) {
  const std::string name = "a\x1b[31m\x07\x7f\xc2\x9b\xe2\x80\xae\xff\n\\ \xc3\xa9\xe4\xb8\x96";
  FlatBufferBuilder builder;
  const std::vector<Offset<fb::Operator>> operators = {fb::CreateOperatorDirect(builder, name.c_str(), name.c_str())};
  const auto bytes_row = builder.CreateVector(std::vector<uint8_t>{1, 2, 3});
  const std::vector<Offset<fb::BackendDelegateInlineData>> data = {fb::CreateBackendDelegateInlineData(builder, bytes_row)};
  const auto reference = fb::CreateBackendDelegateDataReference(builder, fb::DataLocation::INLINE, 0);
  const std::vector<Offset<fb::BackendDelegate>> delegates = {fb::CreateBackendDelegateDirect(builder, name.c_str(), reference)};
  const std::vector<Offset<fb::ExecutionPlan>> plans = {
      fb::CreateExecutionPlanDirect(builder, name.c_str(), 0, nullptr, nullptr, nullptr, nullptr, &operators, &delegates)};
  const std::string bytes = Finish(builder, fb::CreateProgramDirect(builder, 0, &plans, nullptr, &data));
  const std::string shown = "\"a\\x1b[31m\\x07\\x7f\\u009b\\u202e\\xff\\x0a\\\\ \xc3\xa9\xe4\xb8\x96\"";
  for (const std::vector<std::string>& args : {std::vector<std::string>{"info"}, {"ls"}}) {
    const ToolResult result = RunOn(bytes, args);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_TRUE(IsTerminalSafe(result.out)) << result.out;
    EXPECT_THAT(result.out, HasSubstr(shown));
  }
  const Json method = JsonOf(bytes, {"info", "--json"})["methods"][0];
  EXPECT_EQ(method["name"], Json::parse(R"({"base64": "YRtbMzFtB3/Cm+KArv8KXCDDqeS4lg=="})"));
  EXPECT_EQ(method["delegates"][0]["id"], method["name"]);
  EXPECT_EQ(JsonOf(bytes, {"ls", "--json"})["entries"][0]["method"], method["name"]);
  EXPECT_TRUE(IsTerminalSafe(RunTool({"info", "\x1b[31m\xff.pte"}).err));
  EXPECT_TRUE(IsTerminalSafe(RunTool({"\x1b[31m"}).err));
  EXPECT_TRUE(IsTerminalSafe(RunTool({"cat", "add.pte", "\x1b[31m\xe2\x80\xae"}).err));
}

// 40,000 methods that share one list of 40,000 inputs would be 1.6 thousand million rows.
TEST(Hostile, AliasedTablesHaveALimit) {
  FlatBufferBuilder builder;
  constexpr size_t kMany = 40'000;
  const auto inputs = builder.CreateVector(std::vector<int32_t>(kMany, 0));
  const auto plan = fb::CreateExecutionPlan(builder, 0, 0, 0, inputs);
  const std::string bytes = Finish(builder, fb::CreateProgram(builder, 0, builder.CreateVector(std::vector(kMany, plan))));
  for (const std::vector<std::string>& args : {std::vector<std::string>{"info"}, {"info", "--json"}}) {
    const ToolResult result = RunOn(bytes, args);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("far larger than the file"));
  }
}

}  // namespace
}  // namespace pte::test
