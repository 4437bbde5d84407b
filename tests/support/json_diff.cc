#include "tests/support/json_diff.h"

#include "absl/strings/str_cat.h"

namespace pte::test {
namespace {

using nlohmann::json;

// Text rather than value: it tells 2 from 2.0 and compares integers of either sign exactly.
std::string Show(const json& value) { return value.dump(-1, ' ', true, json::error_handler_t::replace); }

class Comparison {
 public:
  void Compare(const std::string& path, const json& wanted, const json& found) {
    if (wanted.is_object() && found.is_object()) return CompareObjects(path, wanted, found);
    if (wanted.is_array() && found.is_array()) return CompareArrays(path, wanted, found);
    if (Show(wanted) != Show(found)) Report(path, Show(wanted), Show(found));
  }

  std::vector<std::string> Take() { return std::move(differences_); }

 private:
  void CompareObjects(const std::string& path, const json& wanted, const json& found) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const auto& [name, value] : wanted.items()) {
      const auto other = found.find(name);
      if (other == found.end())
        Report(prefix + name, Show(value), "nothing");
      else
        Compare(prefix + name, value, *other);
    }
    for (const auto& [name, value] : found.items()) {
      if (!wanted.contains(name)) Report(prefix + name, "nothing", Show(value));
    }
  }

  void CompareArrays(const std::string& path, const json& wanted, const json& found) {
    if (wanted.size() != found.size()) return Report(path, Show(wanted), Show(found));
    for (size_t i = 0; i < wanted.size(); ++i) Compare(absl::StrCat(path, "[", i, "]"), wanted[i], found[i]);
  }

  void Report(const std::string& path, const std::string& wanted, const std::string& found) {
    differences_.push_back(absl::StrCat(path, ": wanted ", wanted, ", found ", found));
  }

  std::vector<std::string> differences_;
};

}  // namespace

std::vector<std::string> JsonDifferences(const json& wanted, const json& found) {
  Comparison comparison;
  comparison.Compare("", wanted, found);
  return comparison.Take();
}

}  // namespace pte::test
