// Exit codes, errors on both streams, and what happens when nobody can or wants to read the answer.
#include <unistd.h>

#include <initializer_list>

#include "gmock/gmock.h"
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string CodeOf(const Json& answer) {
  return answer.contains("error") && answer["error"].contains("code") ? answer["error"]["code"].get<std::string>() : "";
}

TEST(Exit, UsageErrorsAreTrouble) {
  const std::vector<std::vector<std::string>> lines = {{},
                                                       {"nonsense"},
                                                       {"info"},
                                                       {"info", "--nonsense", "add.pte"},
                                                       {"ls", "--sort", "colour", "add.pte"},
                                                       {"cat", "add.pte"},
                                                       {"cat", "add.pte", "key", "--segment", "0"},
                                                       {"cat", "add.pte", "--delegate", "0"},
                                                       {"cat", "add.pte", "--method", "forward"},
                                                       {"cat", "add.pte", "--segment", "-1"},
                                                       {"help", "nonsense"},
                                                       {"verify"}};
  for (const std::vector<std::string>& line : lines) {
    const ToolResult result = RunTool(line);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(line);
    EXPECT_THAT(result.err, StartsWith("pte: ")) << testing::PrintToString(line);
    EXPECT_EQ(result.out, "") << testing::PrintToString(line);
  }
}

TEST(Exit, UsageErrorsAreJsonToo) {
  const Json answer = RunJson({"info", "--json"});
  EXPECT_EQ(answer.begin().key(), "pte_json");
  EXPECT_EQ(CodeOf(answer), "invalid_argument");
}

TEST(Exit, MissingDirectoryAndTruncatedHaveCodesOfTheirOwn) {
  const TempDir dir;
  const std::string whole = ReadFile(Fixtures() / "linear_xnnpack.pte");
  WriteFile(dir / "cut.pte", std::string_view(whole).substr(0, whole.size() - 1));
  for (const char* verb : {"info", "ls", "dump"}) {
    const auto code = [&](const char* file) {
      const ToolResult result = RunTool({verb, "--json", file}, {dir.path()});
      EXPECT_EQ(result.exit_code, 2);
      return CodeOf(Json::parse(result.out, nullptr, false));
    };
    EXPECT_EQ(code("missing.pte"), "not_found");
    EXPECT_EQ(code("."), "failed_precondition");
    EXPECT_EQ(code("cut.pte"), "out_of_range");
  }
}

TEST(Exit, UnreadableHasACodeOfItsOwn) {
  const TempDir dir;
  WriteFile(dir / "locked.pte", ReadFile(Fixtures() / "linear_xnnpack.pte"));
  std::filesystem::permissions(dir / "locked.pte", std::filesystem::perms::none);
  ToolOptions options{dir.path()};
  options.as_nobody = ::geteuid() == 0;
  for (const char* verb : {"info", "ls", "dump"}) {
    const ToolResult result = RunTool({verb, "--json", "locked.pte"}, options);
    if (result.exit_code == kNotRun) GTEST_SKIP() << "root may read any file, and nobody may not run " << PTE_TOOL;
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(CodeOf(Json::parse(result.out, nullptr, false)), "permission_denied");
  }
}

TEST(Exit, AnErrorSaysWhereAndWhat) {
  const TempDir dir;
  const std::string whole = ReadFile(Fixtures() / "linear_xnnpack.pte");
  WriteFile(dir / "cut.pte", std::string_view(whole).substr(0, whole.size() - 1));
  const ToolResult result = RunTool({"info", "--json", "cut.pte"}, {dir.path()});
  EXPECT_THAT(result.err, AllOf(StartsWith("pte: cut.pte: offset 0x20: H15: header.segment_data_size: "), HasSubstr("; wanted "),
                                HasSubstr(", found "), EndsWith("\n")));
  const Json error = Json::parse(result.out)["error"];
  EXPECT_EQ(error["rule"], "H15");
  EXPECT_EQ(error["offset"], 32);
  EXPECT_EQ(error["path"], "header.segment_data_size");
  EXPECT_EQ("pte: " + error["message"].get<std::string>() + "\n", result.err);
}

TEST(Exit, EveryTruncationIsRefused) {
  const TempDir dir;
  const std::string whole = ReadFile(Fixtures() / "linear_xnnpack.pte");
  for (const size_t size : std::initializer_list<size_t>{0, 1, 7, 8, 12, 16, 39, 47, 48, 64, 500, 1215, 1216, 1280, 2000, 2323}) {
    WriteFile(dir / "cut.pte", std::string_view(whole).substr(0, size));
    for (const char* verb : {"info", "ls"}) {
      const ToolResult result = RunTool({verb, "cut.pte"}, {dir.path()});
      EXPECT_EQ(result.exit_code, 2) << verb << " of " << size << " bytes: " << result.err;
      EXPECT_EQ(result.out, "");
    }
    EXPECT_EQ(RunTool({"verify", "-q", "cut.pte"}, {dir.path()}).exit_code, 1) << size;
  }
}

TEST(Exit, VerifyAnswersNo) {
  const TempDir dir;
  WriteFile(dir / "page.pte", "<!DOCTYPE html><html></html>");
  const ToolResult result = RunTool({"verify", "page.pte"}, {dir.path()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("page.pte: error\n  error   offset 0x4: H2: identifier: "));
}

TEST(Exit, StrictCountsWarnings) {
  const ToolResult lenient = RunTool({"verify", "named_data_keys.pte"});
  EXPECT_EQ(lenient.exit_code, 0);
  EXPECT_THAT(lenient.out,
              AllOf(StartsWith("named_data_keys.pte: warning\n"),
                    HasSubstr("S27: named_data[9].key: the key is empty; wanted a key of at least one byte, found 0 bytes\n")));
  EXPECT_EQ(RunTool({"verify", "--strict", "named_data_keys.pte"}).exit_code, 1);
  EXPECT_EQ(RunTool({"verify", "--strict", "add.pte"}).exit_code, 0);
}

TEST(Exit, AFindingSaysWhatTheRuntimeDoes) {
  const TempDir dir;
  std::string bytes = ReadFile(Fixtures() / "linear_xnnpack.pte");
  bytes[11] = '1';
  WriteFile(dir / "m.pte", bytes);
  EXPECT_THAT(RunTool({"verify", "m.pte"}, {dir.path()}).out, HasSubstr("H3: segments[1].size: "));
  EXPECT_THAT(RunTool({"verify", "m.pte"}, {dir.path()}).out, HasSubstr("(accepted and misread)\n"));
  const Json answer = RunJson({"verify", "--json", "m.pte"}, {dir.path()});
  const auto& findings = answer["findings"];
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const Json& f) { return f["runtime"] == "accepted and misread"; }));
}

TEST(Exit, DataIsJudgedWithTheProgram) {
  EXPECT_EQ(RunTool({"verify", "external_constants.pte", "--data", "external_constants.default_external_constant.ptd"}).exit_code, 0);
  const ToolResult wrong = RunTool({"verify", "external_constants.pte", "--data", "flat_tensor_shared.ptd"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("T14: "), HasSubstr("flat_tensor_shared.ptd: ok\n")));
  EXPECT_EQ(RunTool({"verify", "add.pte", "--data", "add.pte"}).exit_code, 2);
  EXPECT_EQ(RunTool({"verify", "add.pte", "sub.pte", "--data", "flat_tensor_shared.ptd"}).exit_code, 2);
}

// "--data *.ptd" gives the option one and leaves the others beside the program.
TEST(Exit, FilesBehindTheProgramAreData) {
  const std::vector<std::string> data = {"--data", "external_constants_tags.second_layer.ptd", "flat_tensor_shared.ptd"};
  const ToolResult result = RunTool({"verify", "add.pte", data[0], data[1], data[2]});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "add.pte: ok\n" + data[1] + ": ok\n" + data[2] + ": ok\n");
}

TEST(Exit, ASoundProgramIsNotCalledByItsDatasFault) {
  const TempDir dir;
  WriteFile(dir / "m.pte", ReadFile(Fixtures() / "add.pte"));
  const std::string data = ReadFile(Fixtures() / "flat_tensor_shared.ptd");
  WriteFile(dir / "cut.ptd", data.substr(0, data.size() - 1));
  const ToolResult result = RunTool({"verify", "m.pte", "--data", "cut.ptd"}, {dir.path()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("m.pte: ok\n"), HasSubstr("cut.ptd: error\n")));
  const Json both = RunJson({"verify", "--json", "m.pte", "--data", "cut.ptd"}, {dir.path()});
  EXPECT_EQ(both[0]["verdict"], "ok");
  EXPECT_EQ(both[1]["verdict"], "error");
}

// Its name is an error of its own (F8), but it opens.
TEST(Exit, PayloadsOfAFileWithErrorsAreComparedToo) {
  const TempDir dir;
  WriteFile(dir / "m.pte", ReadFile(Fixtures() / "named_data_key_nul.pte"));
  ASSERT_EQ(RunTool({"extract", "m.pte", "-o", "parts"}, {dir.path()}).exit_code, 0);
  const auto count = [&](const std::string& manifest) {
    const Json report = RunJson({"verify", "--json", "m.pte", "--payloads", manifest}, {dir.path()});
    return report["findings"].size();
  };
  EXPECT_EQ(count("parts"), 1U);
  EXPECT_EQ(RunTool({"verify", "m.pte", "--payloads", "nowhere"}, {dir.path()}).exit_code, 2);
  Json manifest = Json::parse(ReadFile(dir / "parts/manifest.json"));
  manifest["entries"].erase(manifest["entries"].begin());
  WriteFile(dir / "other.json", manifest.dump());
  EXPECT_EQ(count("other.json"), 2U);
  // What does not open is not compared.
  WriteFile(dir / "m.pte", ReadFile(Fixtures() / "add.pte").substr(0, 100));
  EXPECT_EQ(RunTool({"verify", "m.pte", "--payloads", "parts"}, {dir.path()}).exit_code, 1);
}

TEST(Exit, AWordThatIsNoVerbIsNamed) {
  const ToolResult result = RunTool({"infoo", "add.pte"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "pte: no such verb: infoo; see \"pte help\"\n");
}

TEST(Exit, PayloadsAreComparedWithTheManifest) {
  const TempDir dir;
  std::string bytes = ReadFile(Fixtures() / "named_data_keys.pte");
  WriteFile(dir / "m.pte", bytes);
  ASSERT_EQ(RunTool({"extract", "m.pte", "-o", "parts"}, {dir.path()}).exit_code, 0);
  EXPECT_EQ(RunTool({"verify", "m.pte", "--payloads", "parts"}, {dir.path()}).exit_code, 0);
  const Json entries = RunJson({"ls", "--json", "m.pte"}, {dir.path()})["entries"];
  const auto last = std::find_if(entries.begin(), entries.end(), [](const Json& e) { return e["role"] == "named" && e["size"] > 0; });
  const auto at = (*last)["offset"].get<size_t>();
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  WriteFile(dir / "m.pte", bytes);
  EXPECT_EQ(RunTool({"verify", "-q", "m.pte"}, {dir.path()}).exit_code, 0);  // no rule asks what a payload says
  const Json report = RunJson({"verify", "--json", "m.pte", "--payloads", "parts/manifest.json"}, {dir.path()});
  EXPECT_EQ(report["verdict"], "error");
  const auto& findings = report["findings"];
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const Json& f) { return f["severity"] == "error" && f["offset"] == at; }));
  const ToolResult other = RunTool({"verify", "add.pte", "--payloads", (dir / "parts").string()});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.out, HasSubstr("the manifest's payload is not in the file"));
}

TEST(Exit, TroubleWinsAndTheOthersAreJudged) {
  const ToolResult result = RunTool({"verify", "missing.pte", "golden.txt", "add.pte"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "add.pte: ok\n");
  EXPECT_THAT(result.err, AllOf(HasSubstr("pte: missing.pte: "), HasSubstr("pte: golden.txt: ")));

  const TempDir dir;
  WriteFile(dir / "bad.pte", "not a container");
  WriteFile(dir / "good.pte", ReadFile(Fixtures() / "add.pte"));
  const Json answers = RunJson({"verify", "--json", "bad.pte", "missing.pte", "good.pte"}, {dir.path()});
  ASSERT_EQ(answers.size(), 3);
  EXPECT_EQ(answers[0]["verdict"], "error");
  EXPECT_EQ(answers[0]["kind"], nullptr);
  EXPECT_EQ(CodeOf(answers[1]), "not_found");
  EXPECT_EQ(answers[2]["verdict"], "ok");
}

TEST(Exit, QuietPrintsNothing) {
  for (const char* file : {"add.pte", "named_data_keys.pte", "missing.pte"}) {
    for (const std::vector<std::string>& args : {std::vector<std::string>{"verify", "-q", file}, {"verify", "--quiet", "--json", file}}) {
      const ToolResult result = RunTool(args);
      EXPECT_EQ(result.out + result.err, "");
    }
  }
}

TEST(Exit, AClosedPipeIsNoError) {
  const std::vector<std::vector<std::string>> lines = {{"info", "decoder_kv_cache.pte"},
                                                       {"ls", "flat_tensor_many.ptd"},
                                                       {"ls", "--json", "flat_tensor_many.ptd"},
                                                       {"dump", "decoder_kv_cache.pte"},
                                                       {"cat", "decoder_kv_cache.pte", "--segment", "1"},
                                                       {"verify", "add.pte"},
                                                       {"help"},
                                                       {"--version"}};
  for (const std::vector<std::string>& line : lines) {
    const ToolResult result = RunTool(line, {Fixtures(), Stdout::kClosedPipe});
    EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(line);
    EXPECT_EQ(result.err, "") << testing::PrintToString(line);
  }
}

TEST(Exit, AClosedPipeDoesNotTurnNoIntoYes) {
  const ToolResult result = RunTool({"verify", "--strict", "named_data_keys.pte"}, {Fixtures(), Stdout::kClosedPipe});
  EXPECT_EQ(result.exit_code, 1);
}

TEST(Exit, AFullDiskIsTrouble) {
  const std::vector<std::vector<std::string>> lines = {{"info", "add.pte"},
                                                       {"info", "--json", "add.pte"},
                                                       {"ls", "flat_tensor_many.ptd"},
                                                       {"dump", "decoder_kv_cache.pte"},
                                                       {"cat", "decoder_kv_cache.pte", "--segment", "1"},
                                                       {"verify", "add.pte"},
                                                       {"--version"}};
  for (const std::vector<std::string>& line : lines) {
    const ToolResult result = RunTool(line, {Fixtures(), Stdout::kFullDisk});
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(line);
    EXPECT_EQ(result.err, "pte: standard output: writing: No space left on device\n") << testing::PrintToString(line);
  }
}

TEST(Exit, NoStandardOutputIsTrouble) { EXPECT_EQ(RunTool({"info", "add.pte"}, {Fixtures(), Stdout::kNone}).exit_code, 2); }

TEST(Exit, VersionNamesTheSchemas) {
  const ToolResult result = RunTool({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "pte " PTE_VERSION " (program schema 0, flat tensor schema 0, bundled program schema 2)\n");
}

}  // namespace
}  // namespace pte::test
