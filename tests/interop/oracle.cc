#include "tests/interop/oracle.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"

namespace pte::test {
namespace {

using nlohmann::json;

#ifdef PTE_INTEROP_RUNNER
constexpr char kRunner[] = PTE_INTEROP_RUNNER;
#else
constexpr char kRunner[] = "";
#endif

// Never returns. Runs in the child.
[[noreturn]] void Become(const std::filesystem::path& program, std::vector<std::string>& args, const TempDir& scratch, unsigned seconds) {
  constexpr int kNotRun = 126;
  constexpr mode_t kMode = 0600;
  const int out = ::open((scratch / "out").c_str(), O_WRONLY | O_CREAT, kMode);
  const int err = ::open((scratch / "err").c_str(), O_WRONLY | O_CREAT, kMode);
  if (::dup2(out, STDOUT_FILENO) < 0 || ::dup2(err, STDERR_FILENO) < 0) ::_exit(kNotRun);
  std::string name = program;
  std::vector<char*> argv = {name.data()};
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  ::alarm(seconds);
  ::execv(program.c_str(), argv.data());
  ::_exit(kNotRun);
}

std::string Ending(int status) {
  if (WIFEXITED(status)) return absl::StrCat("exit code ", WEXITSTATUS(status));
  return absl::StrCat("signal ", WTERMSIG(status), " (", ::strsignal(WTERMSIG(status)), ")");
}

json Ask(const std::vector<std::string>& args) {
  const ChildResult result = RunChild(kRunner, args);
  json answer = json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  if (result.ending == "exit code 0" && answer.is_object()) return answer;
  ADD_FAILURE() << "the runtime did not answer about " << args[1] << ": " << result.ending << "\n" << result.err << result.out;
  return nullptr;
}

}  // namespace

ChildResult RunChild(const std::filesystem::path& program, std::vector<std::string> args, unsigned seconds) {
  const TempDir scratch;
  const pid_t child = ::fork();
  if (child == 0) Become(program, args, scratch, seconds);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return {Ending(status), ReadFile(scratch / "out"), ReadFile(scratch / "err")};
}

bool HasRuntime() { return *kRunner != '\0'; }

json AskToRun(const std::filesystem::path& program, const std::vector<std::filesystem::path>& data_files) {
  std::vector<std::string> args = {"run", program};
  args.insert(args.end(), data_files.begin(), data_files.end());
  return Ask(args);
}

json AskForKeys(const std::filesystem::path& data_file, const std::vector<std::string>& keys_with_layout) {
  std::vector<std::string> args = {"ptd", data_file};
  args.insert(args.end(), keys_with_layout.begin(), keys_with_layout.end());
  return Ask(args);
}

std::vector<SweepAnswer> AskAboutDamage(const std::string& mode, size_t step, const std::filesystem::path& file,
                                        const std::vector<std::string>& keys_with_layout) {
  constexpr unsigned kMostSeconds = 1800;
  std::vector<std::string> args = {"sweep", mode, absl::StrCat(step), file};
  args.insert(args.end(), keys_with_layout.begin(), keys_with_layout.end());
  const ChildResult result = RunChild(kRunner, args, kMostSeconds);
  EXPECT_EQ(result.ending, "exit code 0") << result.err;
  std::vector<SweepAnswer> answers;
  std::istringstream lines(result.out);
  SweepAnswer answer;
  for (std::string number; lines >> number >> answer.outcome && std::getline(lines, answer.detail);) {
    answer.mutation = number == "-" ? std::nullopt : std::optional<size_t>(std::stoul(number));
    answer.detail.erase(0, 1);
    answers.push_back(answer);
  }
  return answers;
}

}  // namespace pte::test
