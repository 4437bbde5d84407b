// Runs the real tool and catches what it writes.
#ifndef PTE_TESTS_CLI_TOOL_H_
#define PTE_TESTS_CLI_TOOL_H_

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
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
enum class Stderr { kCaught, kTerminal, kHeldTerminal };  // who writes to a held one waits

struct ToolOptions {
  std::filesystem::path directory = Fixtures();  // where the tool runs, so that file names in its output are short
  Stdout standard_output = Stdout::kCaught;
  Stderr standard_error = Stderr::kCaught;
  uint64_t file_size_limit = UINT64_MAX;  // RLIMIT_FSIZE
  bool as_nobody = false;                 // gives up the rights of root, which may read any file
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

// Never returns. Runs in the child; `err` is its standard error.
[[noreturn]] inline void RunChild(std::vector<std::string> args, const ToolOptions& options, const std::filesystem::path& scratch,
                                  int err) {
  constexpr uid_t kNobody = 65534;
  const int out = OpenStdout(options.standard_output, scratch / "out");
  if (out < 0 || err < 0 || ::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0) ::_exit(kNotRun);
  if (options.standard_output == Stdout::kNone) ::close(STDOUT_FILENO);
  if (::chdir(options.directory.c_str()) != 0) ::_exit(kNotRun);
  const struct rlimit limit = {options.file_size_limit, options.file_size_limit};
  if (options.file_size_limit != UINT64_MAX && ::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(kNotRun);
  if (options.as_nobody && ::setuid(kNobody) != 0) ::_exit(kNotRun);
  args.insert(args.begin(), "pte");
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  ::execv(PTE_TOOL, argv.data());
  ::_exit(kNotRun);
}

// The tool at work: between starting it and waiting for it, a test may send it signals.
class RunningTool {
 public:
  explicit RunningTool(const std::vector<std::string>& args, const ToolOptions& options = {}) : options_(options) {
    if (options.standard_error == Stderr::kCaught) {
      constexpr mode_t kMode = 0600;
      err_ = ::open((scratch_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
    } else {
      OpenTerminal();
    }
    pid_ = ::fork();
    if (pid_ == 0) RunChild(args, options, scratch_.path(), err_);
  }
  ~RunningTool() {
    ::close(err_);
    ::close(terminal_);
  }
  RunningTool(const RunningTool&) = delete;
  RunningTool& operator=(const RunningTool&) = delete;

  pid_t pid() const { return pid_; }

  // Lets whoever waits at a held terminal go on.
  void ReleaseTerminal() const { EXPECT_EQ(::tcflow(err_, TCOON), 0); }

  ToolResult Wait() {
    constexpr int kSignalBase = 128;
    ToolResult result;
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
    if (options_.standard_output == Stdout::kCaught) result.out = ReadFile(scratch_ / "out");
    result.err = options_.standard_error == Stderr::kCaught ? ReadFile(scratch_ / "err") : ReadTerminal();
    return result;
  }

 private:
  void OpenTerminal() {
    terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_EQ(::grantpt(terminal_) + ::unlockpt(terminal_), 0);
    err_ = ::open(::ptsname(terminal_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (options_.standard_error == Stderr::kHeldTerminal) {
      EXPECT_EQ(::tcflow(err_, TCOOFF), 0);
    }
  }

  // All that was written: once the last writer has gone, reading ends.
  std::string ReadTerminal() {
    ::close(std::exchange(err_, -1));
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::read(terminal_, part.data(), part.size())) > 0;) text.append(part.data(), static_cast<size_t>(got));
    return text;
  }

  ToolOptions options_;
  TempDir scratch_;
  int err_ = -1;  // the child's standard error
  int terminal_ = -1;
  pid_t pid_ = -1;
};

inline ToolResult RunTool(const std::vector<std::string>& args, const ToolOptions& options = {}) {
  return RunningTool(args, options).Wait();
}

// What the tool prints as JSON, whatever it answers.
inline Json RunJson(const std::vector<std::string>& args, const ToolOptions& options = {}) {
  const ToolResult result = RunTool(args, options);
  Json json = Json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  EXPECT_FALSE(json.is_discarded()) << result.out << result.err;
  return json;
}

// The entries that `ls` lists for `args`: options and a file.
inline Json Entries(std::vector<std::string> args, const ToolOptions& options = {}) {
  args.insert(args.begin(), {"ls", "--json"});
  return RunJson(args, options)["entries"];
}

// Every .pte, .ptd and .bpte among the fixtures.
inline std::vector<std::string> FixtureNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Fixtures())) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".pte" || extension == ".ptd" || extension == ".bpte") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// `text` must be what tests/data/cli has under this name. After a wanted change: PTE_UPDATE_GOLDEN=1 pte_cli_tests, then read the
// difference.
inline void ExpectGolden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(PTE_TEST_DATA) / "cli" / name;
  if (std::getenv("PTE_UPDATE_GOLDEN") != nullptr) WriteFile(path, text);
  EXPECT_EQ(text, ReadFile(path));
}

// All below a folder by their paths from it; a folder's bytes are "/".
inline std::map<std::string, std::string> FilesBelow(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    files[name] = entry.is_directory() ? "/" : ReadFile(entry.path());
  }
  return files;
}

}  // namespace pte::test

#endif  // PTE_TESTS_CLI_TOOL_H_
