// What README.md shows is what the tool prints.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

const std::filesystem::path kRoot = PTE_SOURCE_DIR;

TEST(ReadmeTest, ShowsWhatInfoPrints) {
  const std::string command = "info tests/data/fixtures/partially_delegated.pte";
  const ToolResult shown = RunTool({"info", "tests/data/fixtures/partially_delegated.pte"}, {.directory = kRoot});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(ReadFile(kRoot / "README.md"), testing::HasSubstr("$ pte " + command + "\n" + shown.out + "```"));
}

TEST(ReadmeTest, ShowsWhatVerifySaysOfACutFile) {
  constexpr size_t kCut = 7000;
  const TempDir dir;
  WriteFile(dir / "cut.pte", ReadFile(Fixtures() / "partially_delegated.pte").substr(0, kCut));
  const ToolResult shown = RunTool({"verify", "cut.pte"}, {.directory = dir.path()});
  EXPECT_EQ(shown.exit_code, 1) << shown.err;
  EXPECT_THAT(ReadFile(kRoot / "README.md"), testing::HasSubstr("```\n" + shown.out + "```"));
}

}  // namespace
}  // namespace pte::test
