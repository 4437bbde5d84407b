// The payloads that a verb takes in: KEY=FILE, and what the options say about them.
#ifndef PTE_SRC_CLI_INPUTS_H_
#define PTE_SRC_CLI_INPUTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "pte/schema.h"
#include "pte/segment.h"

namespace pte::cli {

struct Input {
  std::string key;
  std::string file;
  std::optional<fb::ScalarType> dtype;
  std::optional<std::vector<int32_t>> sizes;
  std::optional<std::vector<uint8_t>> dim_order;  // the default one where there are sizes only
  std::optional<uint64_t> alignment;

  // Views into the input; nullopt for an opaque blob.
  std::optional<TensorLayout> layout() const;
};

struct InputOptions {
  // The options live as long as the command line.
  const CLI::Option* pairs = nullptr;
  const CLI::Option* entries = nullptr;
  std::vector<std::string> dtypes;
  std::vector<std::string> shapes;
  std::vector<std::string> dim_orders;
  std::vector<std::string> alignments;
};

void AddInputOptions(CLI::App& command, InputOptions& options);

// `known` and behind it what the options name: KEY=FILE first, then --entry, each in their order; then what --dtype and the others say
// about any of them.
//   kInvalidArgument  something cannot be read, a key is there twice, or an option is about a key that is not
absl::StatusOr<std::vector<Input>> ReadInputs(const InputOptions& options, std::vector<Input> known);

// The element type of this name, or nullopt.
std::optional<fb::ScalarType> DtypeByName(std::string_view name);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_INPUTS_H_
