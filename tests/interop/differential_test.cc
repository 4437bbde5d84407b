// Damaged files before this library and before the runtime: every truncation, and every byte set to 0xFF, to zero, and flipped. None may
// crash this library or keep it busy; what the runtime does is told in totals, by which a person judges whether the verdicts are right.
//
//   PTE_DIFFERENTIAL_STEP=N      tries each Nth mutation; default 13, 1 for all
//   PTE_DIFFERENTIAL_LIST=FILE   gets a line for each mutation that the two judge differently
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/ptd_file.h"
#include "pte/verify.h"
#include "tests/interop/mutations.h"
#include "tests/interop/oracle.h"
#include "tests/support/files.h"
#include "tests/support/fixtures.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

const std::filesystem::path kFixtures = std::filesystem::path(PTE_TEST_DATA) / "fixtures";

size_t Step() {
  constexpr size_t kUsual = 13;  // has no divisor in common with the number of kinds
  const char* text = std::getenv("PTE_DIFFERENTIAL_STEP");
  size_t step = 0;
  return text != nullptr && absl::SimpleAtoi(text, &step) && step > 0 ? step : kUsual;
}

// What this library says of a file.
struct Ours {
  bool accepts = false;
  std::string first_rule;          // of the findings that the verdict comes from: errors, or warnings where there is none
  std::vector<std::string> rules;  // of all these, each with its place
};

Ours OursOf(const std::string& bytes) {
  constexpr std::chrono::seconds kMost{1};
  const auto begin = std::chrono::steady_clock::now();
  const absl::StatusOr<VerifyReport> report = Verify(*MakeSource(SourceKind::kMemory, bytes));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kMost);
  EXPECT_THAT(report, IsOk());
  if (!report.ok()) return {};
  Ours ours;
  ours.accepts = report->verdict != Verdict::kError;
  const Severity worst = ours.accepts ? Severity::kWarning : Severity::kError;
  for (const Finding& finding : report->findings) {
    if (finding.severity != worst) continue;
    if (ours.rules.empty()) ours.first_rule = finding.rule;
    ours.rules.push_back(absl::StrCat(finding.rule, "@", finding.file_offset ? absl::StrCat(*finding.file_offset) : "-"));
  }
  return ours;
}

// How often things happened, by name.
using Counts = std::map<std::string, size_t>;

std::string TextOf(const Counts& counts) {
  return absl::StrJoin(counts, "; ", [](std::string* out, const auto& entry) { absl::StrAppend(out, entry.first, " x ", entry.second); });
}

class Totals {
 public:
  void Add(const SweepAnswer& theirs, const Ours& ours) {
    Pair& pair = outcomes_[theirs.outcome];
    ++(ours.accepts ? pair.we_accept : pair.we_refuse);
    if (theirs.outcome == "accepts" && !ours.accepts) ++only_we_refuse_[ours.first_rule];
    if (theirs.outcome == "accepts" || !ours.accepts) return;
    ++only_we_accept_[absl::StrCat(theirs.outcome, " ", theirs.detail, ours.rules.empty() ? "" : ", warned by " + ours.first_rule)];
  }

  std::string Text() const {
    std::string text;
    for (const auto& [outcome, pair] : outcomes_) {
      absl::StrAppend(&text, "  it ", outcome, " ", pair.we_accept + pair.we_refuse, ", of which we accept ", pair.we_accept,
                      " and refuse ", pair.we_refuse, "\n");
    }
    absl::StrAppend(&text, "  it accepts, we refuse by: ", TextOf(only_we_refuse_), "\n");
    absl::StrAppend(&text, "  we accept, but it: ", TextOf(only_we_accept_), "\n");
    return text;
  }

 private:
  struct Pair {
    size_t we_accept = 0;
    size_t we_refuse = 0;
  };
  std::map<std::string, Pair> outcomes_;
  Counts only_we_refuse_;
  Counts only_we_accept_;
};

// One file in one mode of the runtime.
class Comparison {
 public:
  Comparison(std::string name, std::string mode) : name_(std::move(name)), mode_(std::move(mode)), file_(ReadFile(kFixtures / name_)) {
    if (const char* list = std::getenv("PTE_DIFFERENTIAL_LIST")) list_.open(list, std::ios::app);
  }

  void Run(const std::vector<std::string>& keys_with_layout) {
    const size_t step = Step();
    const std::vector<SweepAnswer> answers = AskAboutDamage(mode_, step, kFixtures / name_, keys_with_layout);
    ASSERT_FALSE(answers.empty());
    EXPECT_EQ(answers[0].outcome, "accepts");
    EXPECT_TRUE(OursOf(file_).accepts);
    for (size_t i = 1; i < answers.size(); ++i) Judge(answers[i]);
    std::cout << name_ << ", " << mode_ << ": " << answers.size() - 1 << " inputs\n" << totals_.Text() << std::flush;
  }

 private:
  void Judge(const SweepAnswer& theirs) {
    const interop::Mutation mutation = interop::MutationOf(theirs.mutation.value());
    SCOPED_TRACE(interop::NameOf(mutation));
    const Ours ours = OursOf(interop::Mutated(file_, mutation));
    totals_.Add(theirs, ours);
    if (ours.accepts == (theirs.outcome == "accepts") || !list_.is_open()) return;
    list_ << name_ << " " << mode_ << " " << interop::NameOf(mutation) << ": it " << theirs.outcome << " " << theirs.detail << "; we "
          << (ours.accepts ? "accept" : "refuse") << (ours.rules.empty() ? "" : " by ") << absl::StrJoin(ours.rules, " ") << "\n";
  }

  std::string name_;
  std::string mode_;
  std::string file_;
  Totals totals_;
  std::ofstream list_;
};

struct Case {
  const char* file;
  const char* mode;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  // The smallest; one with constants; with a delegate and named data; with named data of several keys; with initial state.
  for (const char* file :
       {"minimal_runnable.pte", "linear_portable.pte", "linear_xnnpack.pte", "named_data_shared.pte", "mutable_buffer_init.pte"}) {
    cases.push_back({file, "strict"});
    cases.push_back({file, "minimal"});
  }
  cases.push_back({"flat_tensor_shared.ptd", "ptd"});
  return cases;
}

std::vector<std::string> KeysWithLayout(const std::filesystem::path& path) {
  std::vector<std::string> keys;
  if (path.extension() != ".ptd") return keys;
  const absl::StatusOr<PtdFile> file = PtdFile::Open(path);
  EXPECT_THAT(file, IsOk());
  if (!file.ok()) return keys;
  for (const PtdEntry& entry : file->entries()) {
    if (entry.tensor_layout) keys.emplace_back(entry.key);
  }
  return keys;
}

class DifferentialTest : public testing::TestWithParam<Case> {};

TEST_P(DifferentialTest, NoDamageHurtsUs) {
  if (!HasRuntime()) GTEST_SKIP() << kNoRuntime;
  Comparison(GetParam().file, GetParam().mode).Run(KeysWithLayout(kFixtures / GetParam().file));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, DifferentialTest, testing::ValuesIn(Cases()), [](const auto& row) {
  std::string name = absl::StrCat(row.param.file, "_", row.param.mode);
  for (char& c : name) c = absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace pte::test
