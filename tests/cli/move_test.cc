// Files that become part of a container: --move, and recover.
#include "gmock/gmock.h"
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class MoveTest : public testing::Test {
 protected:
  MoveTest() {
    std::filesystem::copy_file(Fixtures() / "linear_xnnpack.pte", dir_ / "model.pte");
    WriteFile(dir_ / "engine.plan", engine_);
    WriteFile(dir_ / "other.plan", other_);
  }

  ToolResult Run(const std::vector<std::string>& args) const { return RunTool(args, {.directory = dir_.path()}); }

  const std::string engine_ = std::string(3 << 20, 'e');
  const std::string other_ = std::string(2 << 20, 'o');
  TempDir dir_;
};

TEST_F(MoveTest, AMovedFileIsInTheContainerAndNowhereElse) {
  const ToolResult added =
      Run({"add", "model.pte", "--in-place", "--move", "engine=engine.plan", "other=other.plan", "--align", "engine=4096"});
  ASSERT_EQ(added.exit_code, 0) << added.err;
  EXPECT_EQ(added.out + added.err, "");
  EXPECT_EQ(Run({"cat", "model.pte", "engine"}).out, engine_);
  EXPECT_EQ(Run({"cat", "model.pte", "other"}).out, other_);
  EXPECT_EQ(Run({"verify", "-q", "model.pte"}).exit_code, 0);
  EXPECT_EQ(FilesBelow(dir_.path()).size(), 1u);
}

TEST_F(MoveTest, TheReportSaysWhatBecameOfEachFile) {
  const Json report = RunJson({"pack", "-o", "w.ptd", "--move", "--json", "engine=engine.plan"}, {.directory = dir_.path()});
  ASSERT_EQ(report["sources"].size(), 1u) << report;
  const Json& source = report["sources"][0];
  EXPECT_THAT(source["path"].get<std::string>(), testing::EndsWith("engine.plan"));
  EXPECT_EQ(source["size"], engine_.size());
  EXPECT_EQ(source["removed"], true);
  EXPECT_EQ(source["offset"], report["payloads"][0]["offset"]);
  EXPECT_EQ(source["strategy"], report["payloads"][0]["strategy"]);
  uint64_t sum = 0;
  for (const char* part : {"bytes_written", "bytes_copied", "bytes_cloned", "bytes_moved"}) sum += report[part].get<uint64_t>();
  EXPECT_EQ(sum, report["size"]);
}

TEST_F(MoveTest, ADryRunNamesStrategyAndDiskAndTouchesNothing) {
  const std::map<std::string, std::string> before = FilesBelow(dir_.path());
  const ToolResult plan = Run({"pack", "-o", "w.ptd", "--move", "--dry-run", "engine=engine.plan", "other=other.plan"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("engine.plan: "));
  EXPECT_THAT(plan.out, HasSubstr("other.plan: "));
  EXPECT_THAT(plan.out, HasSubstr("extra disk needed: "));
  EXPECT_EQ(FilesBelow(dir_.path()), before);
  const Json json = RunJson({"pack", "-o", "w.ptd", "--move", "--dry-run", "--json", "engine=engine.plan"}, {.directory = dir_.path()});
  EXPECT_EQ(json["sources"].size(), 1u);
  EXPECT_EQ(json["payloads"][0]["strategy"], json["sources"][0]["strategy"]);
  EXPECT_EQ(FilesBelow(dir_.path()), before);
}

TEST_F(MoveTest, AFileWithASecondNameIsCopiedAndItsGivenNameGoes) {
  std::filesystem::create_hard_link(dir_ / "engine.plan", dir_ / "second.plan");
  const Json report = RunJson({"pack", "-o", "w.ptd", "--move", "--json", "engine=engine.plan"}, {.directory = dir_.path()});
  ASSERT_EQ(report["sources"].size(), 1u) << report;
  if (report["sources"][0]["strategy"] != "clone") {
    EXPECT_EQ(report["sources"][0]["reason"], "it has other names");
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "engine.plan"));
  EXPECT_EQ(ReadFile(dir_ / "second.plan"), engine_);
}

TEST_F(MoveTest, RecoverHasNothingToDoWhereNothingWasInterrupted) {
  const ToolResult one = Run({"recover", "model.pte"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, "model.pte: nothing to do\n");
  EXPECT_EQ(Run({"recover", "."}).out, "");
  EXPECT_EQ(Run({"recover", ".", "--list"}).out, "");
  EXPECT_EQ(RunJson({"recover", "--json", "model.pte"}, {.directory = dir_.path()})["files"][0]["recovery"], "nothing to do");
}

TEST_F(MoveTest, AJournalThatCannotBeReadIsListedByItsNameAndNotTouched) {
  WriteFile(dir_ / ".model.pte.00000000.pte-move", "pte-move, but not one of ours");
  const std::map<std::string, std::string> before = FilesBelow(dir_.path());
  EXPECT_EQ(Run({"recover", ".", "--list"}).out, "./model.pte: unfinished\n");
  EXPECT_EQ(FilesBelow(dir_.path()), before);
}

TEST_F(MoveTest, RecoverWantsAFolderThatIsThere) {
  const ToolResult result = Run({"recover", "missing/model.pte"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("pte: missing/model.pte: "));
}

}  // namespace
}  // namespace pte::test
