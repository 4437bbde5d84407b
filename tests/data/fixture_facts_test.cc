// Every fixture, read through the public API, tells what the reference told about it: no fact is left out on either side.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "pte/byte_source.h"
#include "tests/support/facts.h"
#include "tests/support/files.h"
#include "tests/support/fixtures.h"
#include "tests/support/json_diff.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using nlohmann::json;

const std::filesystem::path kFixtures = std::filesystem::path(PTE_TEST_DATA) / "fixtures";

// Members of the fact files that say how a file was made or what running it gives. Every other member is a fact to be read.
const std::set<std::string> kNotAboutReading = {"asked",      "data_files", "note",  "reference_error",     "run",
                                                "run_reason", "run_with",   "shows", "runtime_load_reason", "runtime_loads"};

std::vector<std::string> FixtureNames() { return NamesOfKinds(kFixtures, {".pte", ".ptd", ".bpte"}); }

json WantedFacts(const std::string& name) {
  json facts = json::parse(ReadFile(kFixtures / (name + ".json")));
  for (const std::string& member : kNotAboutReading) facts.erase(member);
  return facts;
}

class FixtureFactsTest : public testing::TestWithParam<std::string> {
 protected:
  void ExpectFacts(const std::shared_ptr<const ByteSource>& source) {
    const std::vector<std::string> differences = JsonDifferences(WantedFacts(GetParam()), ReadFacts(source, GetParam()));
    EXPECT_TRUE(differences.empty()) << absl::StrJoin(differences, "\n");
  }
};

TEST_P(FixtureFactsTest, HoldFromMemory) { ExpectFacts(MemorySource(Bytes::FromString(ReadFile(kFixtures / GetParam())))); }

TEST_P(FixtureFactsTest, HoldFromFile) {
  ASSERT_OK_AND_ASSIGN(const auto source, OpenFileSource(kFixtures / GetParam()));
  ExpectFacts(source);
}

// As a member of an archive: what stands around the container must not matter, and 7 undoes every alignment.
TEST_P(FixtureFactsTest, HoldFromDescriptorInsideLargerFile) {
  const TempDir folder;
  const std::string bytes = ReadFile(kFixtures / GetParam());
  WriteFile(folder / "archive", "\xff\xfe\xfd\xfc\xfb\xfa\xf9" + bytes + "\xff\xfe\xfd");
  const int fd = ::open((folder / "archive").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  const auto source = OpenFileSource(fd, 7, bytes.size());
  ::close(fd);
  ASSERT_THAT(source, IsOk());
  ExpectFacts(*source);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, FixtureFactsTest, testing::ValuesIn(FixtureNames()), TestNameOf);

// A fixture that got lost would otherwise be a test that silently no longer runs.
TEST(FixturesTest, AreTheFilesOfTheManifest) {
  std::vector<std::string> listed;
  const std::vector<std::string> lines = absl::StrSplit(ReadFile(kFixtures / "MANIFEST.tsv"), '\n', absl::SkipEmpty());
  for (size_t i = 1; i < lines.size(); ++i) listed.push_back(std::vector<std::string>(absl::StrSplit(lines[i], '\t'))[0]);
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(listed, FixtureNames());
  for (const std::string& name : listed) EXPECT_TRUE(std::filesystem::exists(kFixtures / (name + ".json"))) << name;
}

// The comparison itself: a fact that the library does not tell, one that only the library tells, and a changed one are three failures.
TEST(FactsComparisonTest, IgnoresNoMember) {
  const json wanted = {{"known", 1}, {"unknown", {{"x", 1}}}, {"list", {1, 2}}, {"number", 2}};
  const json found = {{"known", 1}, {"list", {1, 3}}, {"number", 2.0}, {"extra", nullptr}};
  const std::vector<std::string> differences = {"list[1]: wanted 2, found 3", "number: wanted 2, found 2.0",
                                                "unknown: wanted {\"x\":1}, found nothing", "extra: wanted nothing, found null"};
  EXPECT_EQ(JsonDifferences(wanted, found), differences);
  EXPECT_TRUE(JsonDifferences(wanted, wanted).empty());
}

}  // namespace
}  // namespace pte::test
