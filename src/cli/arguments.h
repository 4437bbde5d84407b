// What CLI11 would read into arguments and nobody meant: it takes "[a,b]" for a list of two, and ends a verb at "--" where one name was
// given already.
#ifndef PTE_SRC_CLI_ARGUMENTS_H_
#define PTE_SRC_CLI_ARGUMENTS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace pte::cli {

// The arguments, last first, as CLI::App::parse wants them. Those in brackets, and those behind "--", carry a mark that makes them plain
// values.
std::vector<std::string> MarkedArguments(int argc, const char* const* argv);

// Takes the mark off all values of all options of all verbs, before anyone sees them. To be called once all are declared.
void TakeMarksOff(CLI::App& app);

// For options that may be given any number of times, one value (or one pair) each time.
CLI::Option* Repeatable(CLI::Option* option);

// For a positional that takes all the rest; its values are option->results().
CLI::Option* TakesTheRest(CLI::Option* option);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_ARGUMENTS_H_
