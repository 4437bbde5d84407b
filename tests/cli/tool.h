// Runs the real tool and catches what it writes.
#ifndef PTE_TESTS_CLI_TOOL_H_
#define PTE_TESTS_CLI_TOOL_H_

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/files.h"

namespace pte::test {

using Json = nlohmann::ordered_json;

inline std::filesystem::path Fixtures() { return std::filesystem::path(PTE_TEST_DATA) / "fixtures"; }

struct ToolResult {
  int exit_code = -1;  // 128 + N where signal N ended it
  std::string out;
  std::string err;
};

enum class Stdout { kCaught, kClosedPipe, kFullDisk, kNone };

struct ToolOptions {
  std::filesystem::path directory = Fixtures();  // where the tool runs, so that file names in its output are short
  Stdout standard_output = Stdout::kCaught;
  bool as_nobody = false;  // gives up the rights of root, which may read any file
};

// The child's exit code where it could not run the tool.
inline constexpr int kNotRun = 126;

inline int OpenStdout(Stdout kind, const std::filesystem::path& caught) {
  constexpr mode_t kMode = 0600;
  if (kind == Stdout::kCaught) return ::open(caught.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
  if (kind == Stdout::kFullDisk) return ::open("/dev/full", O_WRONLY);
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return -1;
  ::close(ends[0]);
  return ends[1];
}

// Never returns. Runs in the child.
[[noreturn]] inline void RunChild(std::vector<std::string> args, const ToolOptions& options, const std::filesystem::path& scratch) {
  constexpr mode_t kMode = 0600;
  constexpr uid_t kNobody = 65534;
  const int out = OpenStdout(options.standard_output, scratch / "out");
  const int err = ::open((scratch / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
  if (out < 0 || err < 0 || ::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0) ::_exit(kNotRun);
  if (options.standard_output == Stdout::kNone) ::close(STDOUT_FILENO);
  if (::chdir(options.directory.c_str()) != 0) ::_exit(kNotRun);
  if (options.as_nobody && ::setuid(kNobody) != 0) ::_exit(kNotRun);
  args.insert(args.begin(), "pte");
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  ::execv(PTE_TOOL, argv.data());
  ::_exit(kNotRun);
}

inline ToolResult RunTool(const std::vector<std::string>& args, const ToolOptions& options = {}) {
  constexpr int kSignalBase = 128;
  const TempDir scratch;
  const pid_t child = ::fork();
  if (child == 0) RunChild(args, options, scratch.path());
  ToolResult result;
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  if (options.standard_output == Stdout::kCaught) result.out = ReadFile(scratch / "out");
  result.err = ReadFile(scratch / "err");
  return result;
}

// What the tool prints as JSON, whatever it answers.
inline Json RunJson(const std::vector<std::string>& args, const ToolOptions& options = {}) {
  const ToolResult result = RunTool(args, options);
  Json json = Json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  EXPECT_FALSE(json.is_discarded()) << result.out << result.err;
  return json;
}

// The entries that `ls` lists for `args`: options and a file.
inline Json Entries(std::vector<std::string> args) {
  args.insert(args.begin(), {"ls", "--json"});
  return RunJson(args)["entries"];
}

}  // namespace pte::test

#endif  // PTE_TESTS_CLI_TOOL_H_
