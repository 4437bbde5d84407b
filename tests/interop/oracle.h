// Asks ExecuTorch's runtime about a container. It runs in a process of its own: where it crashes, a test fails and says so.
#ifndef PTE_TESTS_INTEROP_ORACLE_H_
#define PTE_TESTS_INTEROP_ORACLE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace pte::test {

struct ChildResult {
  std::string ending;  // "exit code 0" or "signal 11 (Segmentation fault)"
  std::string out;
  std::string err;
};

// Runs `program` to its end, or for a minute.
ChildResult RunChild(const std::filesystem::path& program, std::vector<std::string> args);

// False where this build has no runtime; kNoRuntime says how to get it.
bool HasRuntime();
inline constexpr char kNoRuntime[] =
    "no ExecuTorch runtime in this build: fill a folder with cmake/install_runtime.sh DIR, then configure with -DPTE_EXECUTORCH_ROOT=DIR";

// The answers that runner/main.cc describes. null where there was none; the test has failed then.
nlohmann::json AskToRun(const std::filesystem::path& program, const std::vector<std::filesystem::path>& data_files);
nlohmann::json AskForKeys(const std::filesystem::path& data_file, const std::vector<std::string>& keys_with_layout);

}  // namespace pte::test

#endif  // PTE_TESTS_INTEROP_ORACLE_H_
