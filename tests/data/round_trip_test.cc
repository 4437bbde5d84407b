// Read, save, read again: nothing is lost and nothing moves, for every fixture and every readable file of the corpus.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "pte/verify.h"
#include "tests/support/corpus.h"
#include "tests/support/facts.h"
#include "tests/support/files.h"
#include "tests/support/fixtures.h"
#include "tests/support/json_diff.h"
#include "tests/support/rewrite.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using nlohmann::json;

const std::filesystem::path kFixtures = std::filesystem::path(PTE_TEST_DATA) / "fixtures";

std::vector<std::string> FixtureNames() { return NamesOfKinds(kFixtures, {".pte", ".ptd"}); }

json FactsOf(const std::filesystem::path& path, const std::string& name) {
  const auto source = OpenFileSource(path);
  if (!source.ok()) return json(std::string(source.status().message()));
  json facts = ReadFacts(*source, name);
  // How large the flatbuffer is and what follows from it are the packer's; every other fact is the file's.
  for (const char* member : {"header", "bytes", "sha256"}) facts.erase(member);
  return facts;
}

bool HasOffsets(const json& facts) {
  return facts.contains("constant_segment") && !facts["constant_segment"].is_null() &&
         !facts["constant_segment"].value("offsets", json::array()).empty();
}

// The runtime refuses programs without the placeholder, so writing adds it, with a segment behind those that were there. Constants inside
// the flatbuffer are in that segment; ExpectSameConstants compares them.
void ExpectConstantSegment(json& facts, json& saved) {
  if (HasOffsets(facts)) return;
  const bool had_inline = facts.contains("constants") && facts["constants"].size() > 1;
  ASSERT_TRUE(HasOffsets(saved));
  EXPECT_EQ(saved["constant_segment"]["offsets"].size(), had_inline ? facts["constants"].size() : 1);
  const size_t segments = facts["segments"].size();
  EXPECT_EQ(saved["segments"].size(), segments + 1);
  EXPECT_EQ(saved["constant_segment"]["segment_index"], segments);
  saved["segments"].erase(segments);
  for (json* side : {&facts, &saved}) {
    for (const char* member : {"constant_segment", "constants", "inline_constants"}) side->erase(member);
  }
}

// Bytes and indices; one in a segment reaches up to where the next begins.
void ExpectSameConstants(const std::filesystem::path& original, const std::filesystem::path& saved) {
  ASSERT_OK_AND_ASSIGN(const PteFile before, PteFile::Open(original));
  ASSERT_OK_AND_ASSIGN(const PteFile after, PteFile::Open(saved));
  ASSERT_EQ(std::max<size_t>(before.constant_count(), 1), after.constant_count());
  for (size_t i = 0; i < before.constant_count(); ++i) {
    ASSERT_OK_AND_ASSIGN(const Bytes wanted, before.Constant(i)->Load());
    ASSERT_OK_AND_ASSIGN(const Bytes found, after.Constant(i)->Load());
    ASSERT_GE(found.size(), wanted.size()) << i;
    EXPECT_TRUE(found.string_view().starts_with(wanted.string_view())) << i;
    EXPECT_EQ(found.string_view().find_first_not_of('\0', wanted.size()), std::string_view::npos) << i;
  }
}

// What verifying says: the same as before.
std::vector<std::string> RulesOf(const std::filesystem::path& path) {
  std::vector<std::string> rules;
  const auto report = VerifyFile(path.string());
  if (!report.ok()) return {std::string(report.status().message())};
  for (const Finding& finding : report->findings) {
    // An unaligned segment base is a matter of its place, which the writer chooses, as it does what equal payloads share.
    if (finding.rule != "H22" && finding.rule != "D25" && finding.rule != "F9") rules.push_back(finding.rule + " " + finding.message);
  }
  return rules;
}

void ExpectKept(const std::filesystem::path& original, const LayoutOptions& layout) {
  const TempDir folder;
  const std::string name = original.filename();
  const std::filesystem::path once = folder / ("once_" + name);
  const std::filesystem::path twice = folder / ("twice_" + name);
  const std::filesystem::path again = folder / ("again_" + name);
  ASSERT_OK_AND_ASSIGN(const SaveReport report, Rewrite(original, once, layout));
  EXPECT_EQ(report.file_size, std::filesystem::file_size(once));
  json wanted = FactsOf(original, name);
  json saved = FactsOf(once, name);
  if (original.extension() == ".pte") {
    ExpectConstantSegment(wanted, saved);
    ExpectSameConstants(original, once);
  }
  const std::vector<std::string> differences = JsonDifferences(wanted, saved);
  EXPECT_TRUE(differences.empty()) << absl::StrJoin(differences, "\n");
  EXPECT_EQ(RulesOf(once), RulesOf(original));
  ASSERT_THAT(Rewrite(original, twice, layout), IsOk());
  EXPECT_TRUE(ReadFile(once) == ReadFile(twice)) << "the same save gave other bytes";
  ASSERT_THAT(Rewrite(once, again, layout), IsOk());
  EXPECT_TRUE(ReadFile(once) == ReadFile(again)) << "a rewritten file changed when it was rewritten";
}

class RoundTripTest : public testing::TestWithParam<std::string> {};

TEST_P(RoundTripTest, KeepsEveryFactInTheReferenceLayout) { ExpectKept(kFixtures / GetParam(), ReferenceLayout()); }
TEST_P(RoundTripTest, KeepsEveryFactInTheDefaultLayout) { ExpectKept(kFixtures / GetParam(), LayoutOptions()); }

INSTANTIATE_TEST_SUITE_P(Fixtures, RoundTripTest, testing::ValuesIn(FixtureNames()), TestNameOf);

TEST(CorpusRoundTripTest, KeepsEveryFact) {
  const std::filesystem::path corpus = CorpusFolder(PTE_SOURCE_DIR);
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "no corpus in " << corpus;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    SCOPED_TRACE(entry.path().filename());
    const std::string kind = entry.path().extension();
    const bool opens = kind == ".ptd" ? PtdFile::Open(entry.path()).ok() : kind == ".pte" && PteFile::Open(entry.path()).ok();
    if (!opens) continue;
    ++files;
    ExpectKept(entry.path(), ReferenceLayout());
    ExpectKept(entry.path(), LayoutOptions());
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
}  // namespace pte::test
