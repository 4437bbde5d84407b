// Regular expressions for tests, in ECMAScript's grammar. std::regex behind a face of its own: see pattern.cc.
#ifndef PTE_TESTS_SUPPORT_PATTERN_H_
#define PTE_TESTS_SUPPORT_PATTERN_H_

#include <memory>
#include <string>
#include <vector>

namespace pte::test {

class Pattern {
 public:
  explicit Pattern(const std::string& pattern);

  bool MatchesAll(const std::string& text) const;
  bool IsIn(const std::string& text) const;

  // What the first group matched, for each match in `text`.
  std::vector<std::string> FirstGroups(const std::string& text) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_PATTERN_H_
