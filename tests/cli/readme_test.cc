// What README.md shows is what the tool prints.
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

const std::filesystem::path kRoot = PTE_SOURCE_DIR;

void ExpectShown(const std::string& command) {
  const std::vector<std::string> args = absl::StrSplit(command, ' ');
  const ToolResult shown = RunTool(args, {.directory = kRoot});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(ReadFile(kRoot / "README.md"), testing::HasSubstr("$ pte " + command + "\n" + shown.out + "```"));
}

TEST(ReadmeTest, ShowsWhatInfoPrints) { ExpectShown("info tests/data/fixtures/partially_delegated.pte"); }

TEST(ReadmeTest, ShowsAPlan) {
  ExpectShown(
      "add tests/data/fixtures/flat_tensor_shared.ptd -o new.ptd program=tests/data/fixtures/add.pte --align program=4096 --dry-run");
}

// The four lines below "Change a file", run one after the other.
TEST(ReadmeTest, ChangesAFileAsShown) {
  const TempDir dir;
  std::filesystem::copy_file(Fixtures() / "named_data_keys.pte", dir / "model.pte");
  WriteFile(dir / "w.bin", "weights");
  WriteFile(dir / "engine.plan", "engine");
  const std::vector<std::string> lines = {"extract model.pte -o parts", "pack --from parts -o weights.ptd more=w.bin",
                                          "add model.pte -o new.pte engine=engine.plan --align engine=4096",
                                          "rm model.pte --in-place tokenizer"};
  const std::string readme = ReadFile(kRoot / "README.md");
  ASSERT_EQ(RunTool({"add", "model.pte", "--in-place", "tokenizer=w.bin"}, {.directory = dir.path()}).exit_code, 0);
  for (const std::string& line : lines) {
    EXPECT_THAT(readme, testing::HasSubstr("\npte " + line));
    const std::vector<std::string> args = absl::StrSplit(line, ' ');
    EXPECT_EQ(RunTool(args, {.directory = dir.path()}).exit_code, 0) << line;
  }
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
