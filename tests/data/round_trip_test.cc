// Read, save, read again: nothing is lost and nothing moves, for every fixture.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "pte/verify.h"
#include "tests/support/facts.h"
#include "tests/support/files.h"
#include "tests/support/json_diff.h"
#include "tests/support/rewrite.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using nlohmann::json;

const std::filesystem::path kFixtures = std::filesystem::path(PTE_TEST_DATA) / "fixtures";

std::vector<std::string> FixtureNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFixtures)) {
    if (entry.path().extension() == ".pte" || entry.path().extension() == ".ptd") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

json FactsOf(const std::filesystem::path& path, const std::string& name) {
  const auto source = OpenFileSource(path);
  if (!source.ok()) return json(std::string(source.status().message()));
  json facts = ReadFacts(*source, name);
  // How large the flatbuffer is and what follows from it are the packer's; every other fact is the file's.
  for (const char* member : {"header", "bytes", "sha256"}) facts.erase(member);
  return facts;
}

// The runtime refuses programs without the placeholder, so writing adds it.
void ExpectPlaceholder(json& facts, const json& saved) {
  const bool has_offsets = facts.contains("constant_segment") && !facts["constant_segment"].is_null() &&
                           !facts["constant_segment"].value("offsets", json::array()).empty();
  if (has_offsets) return;
  for (const char* member : {"constant_segment", "constants"}) facts[member] = saved.value(member, json());
  if (facts["segments"].empty()) facts["segments"] = saved["segments"];
  EXPECT_EQ(saved["constant_segment"]["offsets"], json::array({0}));
}

// What verifying says: the same as before.
std::vector<std::string> RulesOf(const std::filesystem::path& path) {
  std::vector<std::string> rules;
  const auto report = VerifyFile(path.string());
  if (!report.ok()) return {std::string(report.status().message())};
  for (const Finding& finding : report->findings) {
    // An unaligned segment base is a matter of its place, which the writer chooses.
    if (finding.rule != "H22" && finding.rule != "D25") rules.push_back(finding.rule + " " + finding.message);
  }
  return rules;
}

class RoundTripTest : public testing::TestWithParam<std::string> {
 protected:
  void ExpectKept(const LayoutOptions& layout) {
    const std::filesystem::path original = kFixtures / GetParam();
    const std::filesystem::path once = folder_ / ("once_" + GetParam());
    const std::filesystem::path twice = folder_ / ("twice_" + GetParam());
    const std::filesystem::path again = folder_ / ("again_" + GetParam());
    ASSERT_OK_AND_ASSIGN(const SaveReport report, Rewrite(original, once, layout));
    EXPECT_EQ(report.file_size, std::filesystem::file_size(once));
    json wanted = FactsOf(original, GetParam());
    const json saved = FactsOf(once, GetParam());
    if (original.extension() == ".pte") ExpectPlaceholder(wanted, saved);
    const std::vector<std::string> differences = JsonDifferences(wanted, saved);
    EXPECT_TRUE(differences.empty()) << absl::StrJoin(differences, "\n");
    EXPECT_EQ(RulesOf(once), RulesOf(original));
    ASSERT_THAT(Rewrite(original, twice, layout), IsOk());
    EXPECT_TRUE(ReadFile(once) == ReadFile(twice)) << "the same save gave other bytes";
    ASSERT_THAT(Rewrite(once, again, layout), IsOk());
    EXPECT_TRUE(ReadFile(once) == ReadFile(again)) << "a rewritten file changed when it was rewritten";
  }

  const TempDir folder_;
};

TEST_P(RoundTripTest, KeepsEveryFactInTheReferenceLayout) { ExpectKept(ReferenceLayout()); }
TEST_P(RoundTripTest, KeepsEveryFactInTheDefaultLayout) { ExpectKept(LayoutOptions()); }

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !absl::ascii_isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Fixtures, RoundTripTest, testing::ValuesIn(FixtureNames()), TestName);

}  // namespace
}  // namespace pte::test
