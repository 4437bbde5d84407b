// Asks ExecuTorch's runtime about a container. It runs in a process of its own: where it crashes, a test fails and says so.
#ifndef PTE_TESTS_INTEROP_ORACLE_H_
#define PTE_TESTS_INTEROP_ORACLE_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace pte::test {

struct ChildResult {
  std::string ending;  // "exit code 0" or "signal 11 (Segmentation fault)"
  std::string out;
  std::string err;
};

// Runs `program` to its end, or for so long.
ChildResult RunChild(const std::filesystem::path& program, std::vector<std::string> args, unsigned seconds = 60);

// False where this build has no runtime; kNoRuntime says how to get it.
bool HasRuntime();
inline constexpr char kNoRuntime[] =
    "no ExecuTorch runtime in this build: fill a folder with cmake/install_runtime.sh DIR, then configure with -DPTE_EXECUTORCH_ROOT=DIR";

// The answers that runner/main.cc describes. null where there was none; the test has failed then.
nlohmann::json AskToRun(const std::filesystem::path& program, const std::vector<std::filesystem::path>& data_files);
nlohmann::json AskForKeys(const std::filesystem::path& data_file, const std::vector<std::string>& keys_with_layout);

// What became of the runtime with one damaged file; a line of runner/sweep.h.
struct SweepAnswer {
  std::optional<size_t> mutation;  // nullopt: the file itself
  std::string outcome;             // "accepts", "refuses", "crashes" or "hangs"
  std::string detail;              // at which stage, and the error's code or the signal's number
};

// Asks about a file and every `step`th of its mutations.
std::vector<SweepAnswer> AskAboutDamage(const std::string& mode, size_t step, const std::filesystem::path& file,
                                        const std::vector<std::string>& keys_with_layout = {});

}  // namespace pte::test

#endif  // PTE_TESTS_INTEROP_ORACLE_H_
