// What the verbs that write a container have in common: where to, the plan, the progress, the report.
#ifndef PTE_SRC_CLI_WRITING_H_
#define PTE_SRC_CLI_WRITING_H_

#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "pte/save.h"
#include "src/cli/container.h"
#include "src/cli/target.h"
#include "src/cli/verb.h"

namespace pte::cli {

struct WriteOptions {
  std::string out;
  bool in_place = false;
  bool force = false;
  bool move = false;
  bool dry_run = false;
  bool verbose = false;
  bool json = false;
  bool exact = false;
  bool reference_layout = false;

  LayoutOptions layout() const { return reference_layout ? ReferenceLayout() : LayoutOptions{}; }
};

void AddWriteOptions(CLI::App& command, WriteOptions& options);
// For verbs that change a file.
void AddChangedFile(CLI::App& command, std::string& file);
void AddInPlace(CLI::App& command, WriteOptions& options);
void AddDropUnknownFields(CLI::App& command, bool& drop);
// For verbs that take files in.
void AddMove(CLI::App& command, WriteOptions& options);

// What can be refused before anything is read; then where to write. `input` is the file that is changed, "" where there is none.
absl::StatusOr<Target> PrepareWrite(const WriteOptions& options, const std::string& input);

using Contents = std::variant<PteContents, PtdContents>;

// A container as contents that can be changed.
//   kInvalidArgument  a .bpte
//   others            from ToContents
absl::StatusOr<Contents> ContentsOf(const Container& container, const ToContentsOptions& options);

NamedDataStore& NamedDataOf(Contents& contents);

// Plans where options.dry_run, else writes; then says so as the options want.
absl::StatusOr<ExitCode> Write(const Contents& contents, const Target& target, const WriteOptions& options, Output& out);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_WRITING_H_
