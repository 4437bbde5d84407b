#include "tests/support/pattern.h"

// With a sanitizer, g++ 12 takes a member of libstdc++'s automaton for uninitialised and warns wherever a std::regex is made.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <regex>

namespace pte::test {

struct Pattern::State {
  std::regex regex;
};

Pattern::Pattern(const std::string& pattern) : state_(std::make_shared<State>(State{std::regex(pattern)})) {}

bool Pattern::MatchesAll(const std::string& text) const { return std::regex_match(text, state_->regex); }

bool Pattern::IsIn(const std::string& text) const { return std::regex_search(text, state_->regex); }

std::vector<std::string> Pattern::FirstGroups(const std::string& text) const {
  std::vector<std::string> groups;
  for (auto i = std::sregex_iterator(text.begin(), text.end(), state_->regex); i != std::sregex_iterator(); ++i) groups.push_back((*i)[1]);
  return groups;
}

}  // namespace pte::test
