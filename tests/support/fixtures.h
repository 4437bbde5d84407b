// The fixtures as parameters of tests.
#ifndef PTE_TESTS_SUPPORT_FIXTURES_H_
#define PTE_TESTS_SUPPORT_FIXTURES_H_

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "gtest/gtest.h"

namespace pte::test {

// The names of the files in `folder` with one of these endings, sorted.
inline std::vector<std::string> NamesOfKinds(const std::filesystem::path& folder, const std::set<std::string>& endings) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (endings.contains(entry.path().extension())) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A file's name as part of a test's.
inline std::string TestNameOf(const testing::TestParamInfo<std::string>& file) {
  std::string name = file.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !absl::ascii_isalnum(c); }, '_');
  return name;
}

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_FIXTURES_H_
