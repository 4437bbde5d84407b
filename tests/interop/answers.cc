#include "tests/interop/answers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/support/json_diff.h"

namespace pte::test {
namespace {

using nlohmann::json;

// How far apart values of a dtype may be, relative to 1 and to themselves. Dtypes that are not listed are exact.
const std::map<std::string, double> kTolerances = {
    {"FLOAT", 1e-4}, {"DOUBLE", 1e-4}, {"COMPLEX64", 1e-4}, {"HALF", 1e-2}, {"BFLOAT16", 1e-2}};

bool IsNear(const json& a, const json& b, double tolerance) {
  if (!a.is_number() || !b.is_number()) return a == b;
  const double wanted = a.get<double>();
  return std::abs(wanted - b.get<double>()) <= tolerance * std::max(1.0, std::abs(wanted));
}

// Gives `found` the floats of `recorded` where they are near, and the digest that goes with them.
void ForgiveTensor(const json& recorded, json& found) {
  const auto tolerance = kTolerances.find(recorded.value("dtype", ""));
  if (tolerance == kTolerances.end() || recorded["dtype"] != found.value("dtype", "")) return;
  const json& wanted = recorded["first"];
  json& first = found["first"];
  if (first.size() != wanted.size()) return;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (IsNear(wanted[i], first[i], tolerance->second)) first[i] = wanted[i];
  }
  found["sha256"] = recorded["sha256"];
}

void ForgiveOutputs(const json& recorded, json& found) {
  if (!recorded.is_array() || !found.is_array() || recorded.size() != found.size()) return;
  for (size_t i = 0; i < found.size(); ++i) ForgiveTensor(recorded[i], found[i]);
}

void ForgiveMethod(const json& recorded, json& found) {
  for (const char* member : {"outputs", "second_call"}) {
    if (recorded.contains(member) && found.contains(member)) ForgiveOutputs(recorded[member], found[member]);
  }
  if (recorded.contains("reason") && ErrorCode(recorded["reason"]) == ErrorCode(found.value("reason", json())))
    found["reason"] = recorded["reason"];
}

}  // namespace

std::string ErrorCode(const json& reason) {
  constexpr char kHex[] = "0123456789abcdef";
  const std::string text = reason.is_string() ? reason.get<std::string>() : "";
  const size_t mark = text.rfind("0x");
  const size_t begin = mark == std::string::npos ? mark : text.find_first_of(kHex, mark + 2);
  if (begin == std::string::npos) return "none";
  return absl::StrCat("0x", text.substr(begin, text.find_first_not_of(kHex, begin) - begin));
}

std::vector<std::string> DifferencesFromRecord(const json& recorded, const json& found) {
  json forgiven = found;
  for (auto& [name, method] : forgiven.items()) {
    if (recorded.contains(name)) ForgiveMethod(recorded[name], method);
  }
  return JsonDifferences(recorded, forgiven);
}

testing::AssertionResult SameOutputs(const json& a, const json& b) {
  const std::vector<std::string> differences = JsonDifferences(a, b);
  if (differences.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << absl::StrJoin(differences, "\n");
}

}  // namespace pte::test
