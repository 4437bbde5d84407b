#include "src/cli/arguments.h"

#include <algorithm>

namespace pte::cli {
namespace {

// No argument of a process can hold it.
constexpr char kMark = '\0';

}  // namespace

std::vector<std::string> MarkedArguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  bool only_values = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--" && !only_values) {
      only_values = true;
    } else {
      const bool in_brackets = argument.starts_with('[') && argument.ends_with(']');
      arguments.push_back(only_values || in_brackets ? kMark + argument : argument);
    }
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

void TakeMarksOff(CLI::App& app) {
  const auto take_off = [](std::string& value) {
    if (value.starts_with(kMark)) value.erase(0, 1);
    return std::string();
  };
  for (CLI::App* verb : app.get_subcommands({})) {
    for (CLI::Option* option : verb->get_options()) option->transform(CLI::Validator(take_off, ""));
  }
}

CLI::Option* Repeatable(CLI::Option* option) { return option->expected(CLI::detail::expected_max_vector_size)->allow_extra_args(false); }

CLI::Option* TakesTheRest(CLI::Option* option) { return option->expected(CLI::detail::expected_max_vector_size); }

}  // namespace pte::cli
