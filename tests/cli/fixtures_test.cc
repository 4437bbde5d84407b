// What holds for the answer about any file: parts add up, offsets lie inside the file, text and JSON agree.
#include <cstdint>
#include <sstream>

#include "gmock/gmock.h"
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

// The sizes in the rows below "where the bytes are"; the last one is the total.
std::vector<uint64_t> PartSizes(const std::string& text) {
  constexpr std::string_view kTitle = "where the bytes are\n";
  std::istringstream rows(text.substr(text.find(kTitle) + kTitle.size()));
  std::vector<uint64_t> sizes;
  for (std::string row; std::getline(rows, row);) {
    constexpr size_t kLabel = 2 + 40;
    sizes.push_back(std::stoull(row.substr(kLabel)));
  }
  return sizes;
}

TEST(Fixtures, PartsAddUpToTheFile) {
  for (const std::string& name : FixtureNames()) {
    const ToolResult result = RunTool({"info", "--bytes", name});
    ASSERT_EQ(result.exit_code, 0) << name << ": " << result.err;
    std::vector<uint64_t> sizes = PartSizes(result.out);
    ASSERT_GE(sizes.size(), 2) << name;
    const uint64_t total = sizes.back();
    sizes.pop_back();
    uint64_t sum = 0;
    for (const uint64_t size : sizes) sum += size;
    EXPECT_EQ(sum, total) << name;
    EXPECT_EQ(total, std::filesystem::file_size(Fixtures() / name)) << name;
  }
}

TEST(Fixtures, TrailingBytesAreAPart) {
  const TempDir dir;
  WriteFile(dir / "x.pte", ReadFile(Fixtures() / "linear_xnnpack.pte") + std::string(100, 'x'));
  const ToolResult result = RunTool({"info", "--bytes", "x.pte"}, {dir.path()});
  EXPECT_THAT(result.out, testing::HasSubstr("trailing bytes                                   100    4.1%\n"));
  EXPECT_EQ(PartSizes(result.out).back(), std::filesystem::file_size(dir / "x.pte"));
}

TEST(Fixtures, ListedPayloadsLieInTheFile) {
  constexpr uint64_t kMostAlignment = 65536;
  for (const std::string& name : FixtureNames()) {
    const Json answer = RunJson({"ls", "--json", name});
    const uint64_t size = std::filesystem::file_size(Fixtures() / name);
    EXPECT_EQ(answer.begin().key(), "pte_json");
    for (const Json& entry : answer["entries"]) {
      const auto offset = entry["offset"].get<uint64_t>();
      const auto alignment = entry["alignment"].get<uint64_t>();
      EXPECT_LE(offset + entry["size"].get<uint64_t>(), size) << name << entry;
      EXPECT_EQ(offset % alignment, 0) << name << entry;
      EXPECT_TRUE(alignment == kMostAlignment || offset % (2 * alignment) != 0) << name << entry;
    }
    const std::string text = RunTool({"ls", name}).out;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<int64_t>(answer["entries"].size()) + 1) << name;
  }
}

TEST(Fixtures, InfoCountsWhatLsLists) {
  for (const std::string& name : FixtureNames()) {
    const Json info = RunJson({"info", "--json", name});
    const Json& counts = info["kind"] == "bpte" ? info["program"]["counts"] : info["counts"];
    uint64_t named = 0;
    uint64_t constants = 0;
    uint64_t mutables = 0;
    for (const Json& entry : Entries({name})) {
      named += entry["role"] == "named" ? 1 : 0;
      constants += entry["role"] == "constant" ? 1 : 0;
      mutables += entry["role"] == "mutable" ? 1 : 0;
    }
    EXPECT_EQ(counts["named_data"], named) << name;
    EXPECT_EQ(counts["constants"], constants) << name;
    EXPECT_EQ(counts["mutable"], mutables) << name;
  }
}

TEST(Fixtures, LsSortsAndSelects) {
  uint64_t previous = UINT64_MAX;
  for (const Json& entry : Entries({"--sort", "size", "flat_tensor_dtypes.ptd"})) {
    EXPECT_LE(entry["size"].get<uint64_t>(), previous);
    previous = entry["size"].get<uint64_t>();
  }
  const auto keys = [](const char* pattern) {
    std::vector<std::string> found;
    for (const Json& entry : Entries({"--match", pattern, "flat_tensor_shared.ptd"})) found.push_back(entry["key"]);
    return found;
  };
  EXPECT_THAT(keys("*t*"), testing::ElementsAre("weight", "tied", "bytes", "other"));
  EXPECT_THAT(keys("?ied"), testing::ElementsAre("tied"));
  EXPECT_THAT(keys("[a-m]*"), testing::ElementsAre("bytes"));
  EXPECT_THAT(keys("nothing"), testing::IsEmpty());
  EXPECT_EQ(Entries({"--match", "a", "named_data_key_nul.pte"}).size(), 1);
  EXPECT_EQ(Entries({"--match", "a?b", "named_data_key_nul.pte"}).size(), 1);
}

TEST(Fixtures, DumpIsTheFlatbuffer) {
  const Json plain = RunJson({"dump", "linear_xnnpack.pte"});
  EXPECT_EQ(plain.begin().key(), "pte_json");
  EXPECT_EQ(plain["file"], "linear_xnnpack.pte");
  EXPECT_EQ(plain["program"]["execution_plan"][0]["name"], "forward");
  EXPECT_FALSE(plain["program"]["segments"][1].contains("sha256"));
  const Json hashed = RunJson({"dump", "--json", "--payload-hash", "linear_xnnpack.pte"});
  EXPECT_EQ(hashed["program"]["segments"][1]["sha256"], "e8259c658219d0adc0c6d30177ac26590d5059ca77ff09c8a97dd901a503e3e3");
  EXPECT_TRUE(RunJson({"dump", "bundled_inf.bpte"}).contains("bundled_program"));
  EXPECT_TRUE(RunJson({"dump", "flat_tensor_empty.ptd"}).contains("flat_tensor"));
}

}  // namespace
}  // namespace pte::test
