// Compares two JSON values member by member, so that a failure names the fact and not two whole files.
#ifndef PTE_TESTS_SUPPORT_JSON_DIFF_H_
#define PTE_TESTS_SUPPORT_JSON_DIFF_H_

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace pte::test {

// One line a difference, such as "methods[0].name: wanted \"forward\", found \"encode\"". Members that only one side has are differences;
// so are 2 and 2.0. Empty where the values are equal.
std::vector<std::string> JsonDifferences(const nlohmann::json& wanted, const nlohmann::json& found);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_JSON_DIFF_H_
