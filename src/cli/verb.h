// The verbs of the tool. Each Add... declares one with its options and returns how to run it once the command line has been read.
#ifndef PTE_SRC_CLI_VERB_H_
#define PTE_SRC_CLI_VERB_H_

#include <functional>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "pte/options.h"
#include "src/cli/errors.h"
#include "src/cli/output.h"

namespace pte::cli {

// What the verbs that read one container have in common.
struct ReadOptions {
  std::string file;
  bool json = false;
  bool exact = false;  // sizes in bytes
  bool allow_newer = false;

  OpenOptions open() const {
    OpenOptions options;
    options.allow_newer = allow_newer;
    return options;
  }
};

struct Verb {
  CLI::App* command = nullptr;
  // Answers, or says what went wrong; then the exit code is kTrouble.
  std::function<absl::StatusOr<ExitCode>(Output&)> run;
  // Whether errors are wanted as JSON too.
  std::function<bool()> wants_json;
};

inline void AddFile(CLI::App& command, std::string& file) {
  command.add_option("FILE", file, "A .pte, .ptd or .bpte; recognised by its content")->required();
}
inline void AddAllowNewer(CLI::App& command, bool& allow_newer) {
  command.add_flag("--allow-newer", allow_newer, "Also open files of a newer schema version; what it added is not shown");
}

Verb AddInfo(CLI::App& app);
Verb AddLs(CLI::App& app);
Verb AddDump(CLI::App& app);
Verb AddCat(CLI::App& app);
Verb AddVerify(CLI::App& app);
Verb AddExtract(CLI::App& app);
Verb AddPack(CLI::App& app);
Verb AddAdd(CLI::App& app);
Verb AddRm(CLI::App& app);
Verb AddRecover(CLI::App& app);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_VERB_H_
