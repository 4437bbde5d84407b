// One line of the tables that hold the validator to the rules: a file and what must be found in it.
//
//   Breaks("H4", "LengthOf23", kError, A().Poke32(12, 23), 12)   // H4 is found, at byte 12, and nothing else
//   Keeps("H4", "LengthOf24", E())                               // H4 is not found, nor anything else above information
//   Lacks("H9", "SizeOfTheHeader", A().Poke64(16, 40))           // H9 is not found, although another rule is
#ifndef PTE_TESTS_SUPPORT_RULE_ROW_H_
#define PTE_TESTS_SUPPORT_RULE_ROW_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "pte/verify.h"
#include "tests/support/recipe.h"

namespace pte::test {

inline constexpr Severity kInfo = Severity::kInfo;
inline constexpr Severity kWarning = Severity::kWarning;
inline constexpr Severity kError = Severity::kError;

// Where a finding must point: a byte of the file; the beginning of what a path names, or with "&" in front of where its offset stands,
// after the recipe's edits; or nowhere.
class Place {
 public:
  Place(std::nullopt_t) {}                                                      // NOLINT(google-explicit-constructor)
  Place(const char* path) : path_(path) {}                                      // NOLINT(google-explicit-constructor)
  Place(std::integral auto offset) : offset_(static_cast<uint64_t>(offset)) {}  // NOLINT(google-explicit-constructor)

  std::optional<uint64_t> In(const FlatImage& image) const;

 private:
  std::string path_;
  std::optional<uint64_t> offset_;
  bool has_path() const { return !path_.empty(); }
};

struct Row {
  enum class Kind { kBreaks, kKeeps, kLacks };

  Kind kind;
  std::string id;  // the rule that this row is about
  std::string name;
  Recipe recipe;
  Severity severity = kInfo;
  Place place = std::nullopt;
  std::string rule;                  // what the finding names: another than `id` where rules.md says that the one is the other
  std::vector<std::string> allowed;  // rules that the same damage may break besides
  std::optional<RuntimeReaction> runtime;
  Limits limits = {};
  std::vector<Recipe> data;  // VerifyOptions::data

  Row& As(std::string other_rule);
  Row& Allow(std::vector<std::string> rules);
  Row& Reference(RuntimeReaction reaction);
  Row& Under(const Limits& some_limits);
  Row& With(std::vector<Recipe> files);
};

Row Breaks(std::string id, std::string name, Severity severity, Recipe recipe, Place place);
Row Keeps(std::string id, std::string name, Recipe recipe);
Row Lacks(std::string id, std::string name, Recipe recipe);

void PrintTo(const Row& row, std::ostream* out);
std::string NameOf(const Row& row);  // of its test

// Runs the validator over the row's file and compares what it finds.
void Judge(const Row& row);

// What the validator says about a recipe's file; a failed test and an empty report where it cannot judge.
VerifyReport ReportOf(const std::string& file, const VerifyOptions& options = {});
// Every finding, a line each, for messages.
std::string Describe(const VerifyReport& report);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_RULE_ROW_H_
