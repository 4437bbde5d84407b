// A file built anew from the values of a fixture has the exporter's segments: the same order, indices, offsets and sizes.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "pte/save.h"
#include "tests/support/contents.h"
#include "tests/support/facts.h"
#include "tests/support/files.h"
#include "tests/support/fixtures.h"
#include "tests/support/json_diff.h"
#include "tests/support/pattern.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using nlohmann::json;

const std::filesystem::path kFixtures = std::filesystem::path(PTE_TEST_DATA) / "fixtures";

std::vector<std::string> FixtureNames() { return NamesOfKinds(kFixtures, {".pte", ".ptd"}); }

// What the exporter was asked for: the fixture's "asked", else the number in its name.
struct Asked {
  LayoutOptions layout = ReferenceLayout();
  json alignments = json::object();  // by key

  explicit Asked(const std::string& name) {
    const json facts = json::parse(ReadFile(kFixtures / (name + ".json")));
    static const Pattern kSegment("segment_([0-9]+)");
    static const Pattern kConstant("constant_([0-9]+)");
    for (const std::string& number : kSegment.FirstGroups(name)) layout.segment_alignment = std::stoull(number);
    for (const std::string& number : kConstant.FirstGroups(name)) layout.constant_alignment = std::stoull(number);
    if (!facts.contains("asked")) return;
    layout.segment_alignment = facts["asked"]["segment_alignment"];
    alignments = facts["asked"]["alignment"];
  }

  uint64_t AlignmentOf(const std::string& key) const {
    const auto found = alignments.find(key);
    return found == alignments.end() ? 1 : found->get<uint64_t>();
  }

  // The exporter aligns entries to the base, and the base to segments alone: beyond that, places differ.
  bool IsKept() const {
    return std::all_of(alignments.begin(), alignments.end(),
                       [&](const json& alignment) { return layout.segment_alignment % alignment.get<uint64_t>() == 0; });
  }
};

NamedDataStore Rebuilt(const NamedDataStore& store, const Asked& asked) {
  NamedDataStore rebuilt;
  for (const NamedDataEntry& entry : store.entries()) {
    const NamedDataOptions options{.alignment = asked.AlignmentOf(entry.key()), .tensor_layout = entry.tensor_layout()};
    EXPECT_THAT(rebuilt.Add(entry.key(), Copy(TextOf(entry.data())), options), IsOk()) << entry.key();
  }
  return rebuilt;
}

SubsegmentList Rebuilt(const SubsegmentList& list) {
  SubsegmentList rebuilt;
  for (size_t i = 0; i < list.size(); ++i) rebuilt.push_back(Copy(TextOf(list[i])));
  return rebuilt;
}

std::string RebuiltPte(const std::string& bytes, const Asked& asked) {
  PteContents contents = ContentsOf(OpenPte(bytes));
  contents.kept = {};
  contents.constants = Rebuilt(contents.constants);
  contents.mutable_data = Rebuilt(contents.mutable_data);
  for (DelegatePayload& payload : contents.delegate_payloads) payload = DelegatePayload(Copy(TextOf(payload.bytes())), payload.placement());
  contents.named_data = Rebuilt(contents.named_data, asked);
  return Written(contents, asked.layout);
}

std::string RebuiltPtd(const std::string& bytes, const Asked& asked) {
  const absl::StatusOr<PtdContents> contents = OpenPtd(bytes).ToContents();
  EXPECT_THAT(contents, IsOk());
  PtdContents rebuilt;
  rebuilt.named_data = Rebuilt(contents->named_data, asked);
  return Written(rebuilt, asked.layout);
}

json FactsOf(const std::string& bytes, const std::string& name) {
  json facts = ReadFacts(MakeSource(SourceKind::kMemory, bytes), name);
  facts["data_size"] = facts["header"].value("segment_data_size", json());
  for (const char* member : {"header", "bytes", "sha256"}) facts.erase(member);
  return facts;
}

// Made without the exporter's store, a file may have the same bytes twice.
bool HasEqualPayloads(const json& facts) {
  std::set<std::string> payloads;
  std::set<int> segments;
  for (const json& entry : facts["named_data"]) {
    payloads.insert(entry["sha256"]);
    segments.insert(entry["segment_index"].get<int>());
  }
  return payloads.size() < segments.size();
}

class RebuildTest : public testing::TestWithParam<std::string> {};

TEST_P(RebuildTest, HasTheExportersSegments) {
  const Asked asked(GetParam());
  const std::string original = ReadFile(kFixtures / GetParam());
  const bool is_pte = std::filesystem::path(GetParam()).extension() == ".pte";
  const std::string rebuilt = is_pte ? RebuiltPte(original, asked) : RebuiltPtd(original, asked);
  json wanted = FactsOf(original, GetParam());
  json found = FactsOf(rebuilt, GetParam());
  if (is_pte && wanted["constant_segment"].value("offsets", json::array()).empty()) {
    GTEST_SKIP() << "without the placeholder, which is always written, no index is the same";
  }
  if (HasEqualPayloads(wanted)) GTEST_SKIP() << "equal payloads in segments of their own, which are shared here";
  if (!asked.IsKept()) {
    for (json* facts : {&wanted, &found}) {
      facts->erase("data_size");
      for (json& segment : (*facts)["segments"]) segment.erase("offset");
    }
  }
  const std::vector<std::string> differences = JsonDifferences(wanted, found);
  EXPECT_TRUE(differences.empty()) << absl::StrJoin(differences, "\n");
}

INSTANTIATE_TEST_SUITE_P(Fixtures, RebuildTest, testing::ValuesIn(FixtureNames()), TestNameOf);

// The smallest file there is, number for number.
TEST(EmptyDataFileTest, IsAsLargeAsTheExporters) {
  EXPECT_EQ(Written(PtdContents()).size(), std::filesystem::file_size(kFixtures / "flat_tensor_empty.ptd"));
}

}  // namespace
}  // namespace pte::test
