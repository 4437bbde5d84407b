// Payload bytes on standard output.
#include "gmock/gmock.h"
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

using testing::HasSubstr;

// What `ls` says about an entry is where `cat` takes the bytes from.
std::string BytesOf(const Json& entry, const std::string& file) {
  return ReadFile(Fixtures() / file).substr(entry["offset"].get<size_t>(), entry["size"].get<size_t>());
}

TEST(Cat, NamedDataOfEveryKind) {
  for (const char* file : {"named_data_keys.pte", "flat_tensor_keys.ptd", "linear_xnnpack.pte", "bundled_linear_xnnpack.bpte"}) {
    size_t named = 0;
    for (const Json& entry : Entries({file})) {
      if (entry["role"] != "named") continue;
      ++named;
      const ToolResult result = RunTool({"cat", file, "--", entry["key"].get<std::string>()});
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(result.out, BytesOf(entry, file)) << entry;
    }
    EXPECT_GT(named, 0) << file;
  }
}

TEST(Cat, DelegatesSegmentsAndConstants) {
  const char* file = "partially_delegated.pte";
  size_t delegate = 0;
  for (const Json& entry : Entries({file})) {
    const std::string bytes = BytesOf(entry, file);
    EXPECT_EQ(RunTool({"cat", file, "--segment", std::to_string(entry["segment"].get<int>())}).out, bytes);
    if (entry["role"] == "constant") {
      EXPECT_EQ(RunTool({"cat", file, "--constant", "1"}).out, bytes);
    }
    if (entry["role"] == "delegate") {
      EXPECT_EQ(RunTool({"cat", file, "--method", "forward", "--delegate", std::to_string(delegate++)}).out, bytes);
    }
  }
  EXPECT_EQ(delegate, 4);
}

TEST(Cat, InlineDelegate) {
  const Json entry = Entries({"delegate_inline_no_header.pte"})[0];
  const ToolResult result = RunTool({"cat", "delegate_inline_no_header.pte", "--method", "forward", "--delegate", "0"});
  EXPECT_EQ(result.out, BytesOf(entry, "delegate_inline_no_header.pte"));
  EXPECT_EQ(entry["segment"], nullptr);
}

TEST(Cat, WhatIsAbsentIsAnsweredNo) {
  const ToolResult key = RunTool({"cat", "linear_xnnpack.pte", "nonsense"});
  EXPECT_EQ(key.exit_code, 1);
  EXPECT_EQ(key.out, "");
  EXPECT_EQ(key.err, "pte: linear_xnnpack.pte: no named data with key \"nonsense\"\n");
  EXPECT_EQ(RunTool({"cat", "linear_xnnpack.pte", ""}).exit_code, 1);
  EXPECT_EQ(RunTool({"cat", "linear_xnnpack.pte", "--method", "backward", "--delegate", "0"}).exit_code, 1);
  EXPECT_EQ(RunJson({"cat", "--json", "flat_tensor_shared.ptd", "nonsense"})["error"]["code"], "not_found");
}

TEST(Cat, AnIndexIsDigitsAndNothingElse) {
  for (const char* index : {"", "-1", "-18446744073709551615", "+1", " 1", "0x1", "1.0", "010", "08", "00"}) {
    for (const char* selector : {"--segment", "--constant"}) {
      const ToolResult result = RunTool({"cat", "partially_delegated.pte", selector, index});
      EXPECT_EQ(result.exit_code, 2) << selector << " " << index;
      EXPECT_EQ(result.out, "");
    }
  }
}

TEST(Cat, IndicesOutOfRangeAreTrouble) {
  const std::vector<std::vector<std::string>> selectors = {
      {"--segment", "4"},
      {"--segment", "4294967296"},
      {"--segment", "18446744073709551615"},
      {"--constant", "1"},
      {"--method", "forward", "--delegate", "1"},
  };
  for (const std::vector<std::string>& selector : selectors) {
    std::vector<std::string> args = {"cat", "linear_xnnpack.pte"};
    args.insert(args.end(), selector.begin(), selector.end());
    const ToolResult result = RunTool(args);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(selector);
    EXPECT_THAT(result.err, HasSubstr("pte: linear_xnnpack.pte: no ")) << testing::PrintToString(selector);
  }
  EXPECT_EQ(RunTool({"cat", "flat_tensor_shared.ptd", "--constant", "1"}).exit_code, 2);
}

}  // namespace
}  // namespace pte::test
