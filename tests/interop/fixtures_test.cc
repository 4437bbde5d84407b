// Every fixture, as it is and written anew in each way there is, before the real runtime: it must answer what the fact file records.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "pte/bpte_file.h"
#include "tests/interop/answers.h"
#include "tests/interop/oracle.h"
#include "tests/interop/variant.h"
#include "tests/support/files.h"
#include "tests/support/json_diff.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using nlohmann::json;
using testing::IsEmpty;

const std::filesystem::path kFixtures = std::filesystem::path(PTE_TEST_DATA) / "fixtures";

std::vector<std::string> FixturesOfKind(const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFixtures)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !absl::ascii_isalnum(c); }, '_');
  return name;
}

// `object` with those of the members that it has.
json Only(const json& object, const std::vector<std::string>& members) {
  json part = json::object();
  for (const std::string& member : members) {
    if (object.contains(member)) part[member] = object[member];
  }
  return part;
}

// What the runtime can say of the inputs and outputs in "methods" of a fact file.
json MethodFacts(const json& methods) {
  json facts = json::object();
  for (const json& method : methods) {
    json& signature = facts[method["name"].get<std::string>()];
    for (const char* side : {"inputs", "outputs"}) {
      signature[side] = json::array();
      for (const json& value : method[side]) signature[side].push_back(Only(value, {"type", "dtype", "sizes", "dim_order"}));
    }
  }
  return facts;
}

class InteropTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!HasRuntime()) GTEST_SKIP() << kNoRuntime;
    facts_ = json::parse(ReadFile(kFixtures / (GetParam() + ".json")));
  }

  // Asks about each variant in turn and judges the answer; a variant must answer like the original, too.
  void ForEachVariant(const auto& ask, const auto& judge) {
    json original;
    for (const Variant& variant : Variants()) {
      SCOPED_TRACE(variant.name);
      const TempDir out;
      const json answer = ask(variant, out);
      if (answer.is_null()) continue;
      if (LoadsOnlyAsOurs(answer, variant)) continue;
      judge(answer);
      if (original.is_null()) original = answer;
      EXPECT_TRUE(SameOutputs(original, answer));
    }
  }

  // A program without the constant placeholder is refused by the runtime; our writer always adds it.
  bool LoadsOnlyAsOurs(const json& answer, const Variant& variant) const {
    if (!variant.is_ours || facts_.value("runtime_loads", true)) return false;
    EXPECT_EQ(answer["load"], nullptr);
    return true;
  }

  json facts_;
};

class ProgramTest : public InteropTest {};
class DataTest : public InteropTest {};
class BundleTest : public InteropTest {};

// A program whose backend does not exist anywhere: the runtime takes the program, and misses the backend in every method.
void ExpectMissingBackend(const json& run) {
  constexpr char kNotFound[] = "0x20";
  for (const auto& [name, method] : run.items()) {
    EXPECT_EQ(method["outputs"], nullptr) << name;
    EXPECT_EQ(ErrorCode(method.value("reason", json())), kNotFound) << name;
  }
}

void ExpectRecord(const json& facts, const json& answer) {
  if (!facts["runtime_loads"].get<bool>()) {
    EXPECT_EQ(ErrorCode(answer["load"]), ErrorCode(facts["runtime_load_reason"])) << answer["load"];
    return;
  }
  ASSERT_EQ(answer["load"], nullptr);
  EXPECT_THAT(JsonDifferences(MethodFacts(facts["methods"]), answer["methods"]), IsEmpty());
  if (!facts["run"].is_null()) {
    EXPECT_THAT(DifferencesFromRecord(facts["run"], answer["run"]), IsEmpty());
    return;
  }
  ASSERT_EQ(facts["run_reason"], "made-up backend");
  ExpectMissingBackend(answer["run"]);
}

TEST_P(ProgramTest, AnswersAsRecorded) {
  const auto ask = [this](const Variant& variant, const TempDir& out) {
    std::vector<std::filesystem::path> data_files;
    for (const std::string name : facts_.value("data_files", json::array())) data_files.push_back(variant.make(kFixtures / name, out));
    return AskToRun(variant.make(kFixtures / GetParam(), out), data_files);
  };
  ForEachVariant(ask, [this](const json& answer) { ExpectRecord(facts_, answer); });
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ProgramTest, testing::ValuesIn(FixturesOfKind(".pte")), TestName);

// "named_data" of a fact file, as the runtime tells it.
json KeyFacts(const json& named_data) {
  json keys = json::array();
  for (const json& entry : named_data) {
    json key = Only(entry, {"key", "size", "sha256", "layout"});
    if (key["layout"].is_object()) key["layout"].erase("scalar_type");
    keys.push_back(std::move(key));
  }
  return keys;
}

// `keys` without those that `wanted` does not name.
json KeysOf(const json& wanted, const json& keys) {
  json kept = json::array();
  for (const json& key : keys) {
    const bool is_wanted = std::any_of(wanted.begin(), wanted.end(), [&](const json& other) { return other["key"] == key["key"]; });
    if (is_wanted) kept.push_back(key);
  }
  return kept;
}

TEST_P(DataTest, GivesEveryKey) {
  const json wanted = KeyFacts(facts_["named_data"]);
  std::vector<std::string> keys_with_layout;
  for (const json& key : wanted) {
    if (!key["layout"].is_null()) keys_with_layout.push_back(key["key"]);
  }
  const auto ask = [&](const Variant& variant, const TempDir& out) {
    json answer = AskForKeys(variant.make(kFixtures / GetParam(), out), keys_with_layout);
    if (variant.adds_keys && answer.is_object()) answer["keys"] = KeysOf(wanted, answer["keys"]);
    return answer;
  };
  ForEachVariant(ask, [&](const json& answer) {
    EXPECT_EQ(answer["load"], nullptr);
    EXPECT_THAT(JsonDifferences(wanted, answer["keys"]), IsEmpty());
  });
}

INSTANTIATE_TEST_SUITE_P(Fixtures, DataTest, testing::ValuesIn(FixturesOfKind(".ptd")), TestName);

// The runtime's C++ libraries do not read bundles, so it is asked about the program inside. The record is for the inputs of the bundle's
// cases, not for ones: the answers are compared between variants alone.
TEST_P(BundleTest, HoldsAProgramThatRuns) {
  const auto ask = [](const Variant& variant, const TempDir& out) -> json {
    const auto bundle = BpteFile::Open(kFixtures / GetParam());
    EXPECT_THAT(bundle, IsOk());
    if (!bundle.ok()) return nullptr;
    const auto bytes = bundle->ProgramPayload().Load();
    EXPECT_THAT(bytes, IsOk());
    if (!bytes.ok()) return nullptr;
    WriteFile(out / "inside.pte", bytes->string_view());
    return AskToRun(variant.make(out / "inside.pte", out), {});
  };
  ForEachVariant(ask, [this](const json& answer) {
    ASSERT_EQ(answer["load"], nullptr);
    EXPECT_THAT(JsonDifferences(MethodFacts(facts_["program"]["methods"]), answer["methods"]), IsEmpty());
    for (const auto& [name, method] : answer["run"].items()) EXPECT_TRUE(method["outputs"].is_array()) << name << ": " << method;
  });
}

INSTANTIATE_TEST_SUITE_P(Fixtures, BundleTest, testing::ValuesIn(FixturesOfKind(".bpte")), TestName);

}  // namespace
}  // namespace pte::test
