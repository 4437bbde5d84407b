#include "tests/support/rule_row.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/sources.h"

namespace pte::test {
namespace {

VerifyOptions OptionsOf(const Row& row) {
  VerifyOptions options;
  options.limits = row.limits;
  for (const Recipe& file : row.data) options.data.push_back(MakeSource(SourceKind::kMemory, file.File()));
  return options;
}

// The findings that a user has to act on, in whichever file they are.
std::vector<Finding> Concerns(const VerifyReport& report) {
  std::vector<Finding> concerns;
  const auto add = [&](const std::vector<Finding>& findings) {
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(concerns), [](const Finding& f) { return f.severity >= kWarning; });
  };
  add(report.findings);
  for (const VerifyReport& data : report.data) add(data.findings);
  return concerns;
}

std::vector<std::string> RulesOf(const std::vector<Finding>& findings) {
  std::vector<std::string> rules;
  std::transform(findings.begin(), findings.end(), std::back_inserter(rules), [](const Finding& f) { return f.rule; });
  return rules;
}

// A finding says what, wanted and found, whatever its rule.
void ExpectComplete(const Finding& finding) {
  EXPECT_NE(finding.path, "");
  EXPECT_NE(finding.message, "");
  EXPECT_NE(finding.expected, "");
  EXPECT_NE(finding.actual, "");
}

void ExpectFound(const Row& row, const VerifyReport& report, std::optional<uint64_t> place) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(), [&](const Finding& f) {
    return f.rule == row.rule && f.severity == row.severity && f.file_offset == place;
  });
  if (found == report.findings.end()) {
    ADD_FAILURE() << row.rule << " (" << SeverityName(row.severity) << ") is not found at "
                  << (place ? std::to_string(*place) : std::string("no offset"));
    return;
  }
  ExpectComplete(*found);
  if (row.runtime) {
    EXPECT_EQ(found->runtime, row.runtime);
  }
}

// Beside the one finding, only what the row allows.
void ExpectNothingElse(const Row& row, const VerifyReport& report) {
  std::vector<std::string> rules = RulesOf(Concerns(report));
  if (row.severity >= kWarning) {
    const auto own = std::find(rules.begin(), rules.end(), row.rule);
    if (own != rules.end()) rules.erase(own);
  }
  const auto is_allowed = [&](const std::string& rule) { return std::count(row.allowed.begin(), row.allowed.end(), rule) != 0; };
  rules.erase(std::remove_if(rules.begin(), rules.end(), is_allowed), rules.end());
  EXPECT_THAT(rules, testing::IsEmpty());
}

Verdict VerdictOf(const VerifyReport& report) {
  Verdict worst = Verdict::kOk;
  for (const Finding& finding : Concerns(report)) {
    worst = std::max(worst, finding.severity == kError ? Verdict::kError : Verdict::kWarning);
  }
  return worst;
}

}  // namespace

std::optional<uint64_t> Place::In(const FlatImage& image) const {
  if (!has_path()) return offset_;
  return path_.front() == '&' ? image.StoredAt(path_.substr(1)) : image.At(path_ == "root" ? "" : path_);
}

Row& Row::As(std::string other_rule) {
  rule = std::move(other_rule);
  return *this;
}

Row& Row::Allow(std::vector<std::string> rules) {
  allowed = std::move(rules);
  return *this;
}

Row& Row::Reference(RuntimeReaction reaction) {
  runtime = reaction;
  return *this;
}

Row& Row::Under(const Limits& some_limits) {
  limits = some_limits;
  return *this;
}

Row& Row::With(std::vector<Recipe> files) {
  data = std::move(files);
  return *this;
}

Row Breaks(std::string id, std::string name, Severity severity, Recipe recipe, Place place) {
  const std::string rule = id;
  return {Row::Kind::kBreaks, std::move(id), std::move(name), std::move(recipe), severity, std::move(place), rule, {}, {}, {}, {}};
}

Row Keeps(std::string id, std::string name, Recipe recipe) {
  const std::string rule = id;
  return {Row::Kind::kKeeps, std::move(id), std::move(name), std::move(recipe), kInfo, std::nullopt, rule, {}, {}, {}, {}};
}

Row Lacks(std::string id, std::string name, Recipe recipe) {
  const std::string rule = id;
  return {Row::Kind::kLacks, std::move(id), std::move(name), std::move(recipe), kInfo, std::nullopt, rule, {}, {}, {}, {}};
}

void PrintTo(const Row& row, std::ostream* out) { *out << NameOf(row); }

std::string NameOf(const Row& row) {
  const char* kind = row.kind == Row::Kind::kBreaks ? "_Breaks_" : row.kind == Row::Kind::kKeeps ? "_Keeps_" : "_Lacks_";
  return row.id + kind + row.name;
}

VerifyReport ReportOf(const std::string& file, const VerifyOptions& options) {
  absl::StatusOr<VerifyReport> report = Verify(*MakeSource(SourceKind::kMemory, file), options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : VerifyReport{};
}

std::string Describe(const VerifyReport& report) {
  std::ostringstream out;
  for (const Finding& f : report.findings) {
    out << "  " << f.rule << " " << SeverityName(f.severity) << " at " << (f.file_offset ? std::to_string(*f.file_offset) : "-") << " "
        << f.path << ": " << f.message << "; wanted " << f.expected << ", found " << f.actual << "\n";
  }
  for (const VerifyReport& data : report.data) out << "  data:\n" << Describe(data);
  return out.str();
}

void Judge(const Row& row) {
  const FlatImage image = row.recipe.Build();
  const VerifyReport report = ReportOf(image.bytes, OptionsOf(row));
  SCOPED_TRACE(Describe(report));
  EXPECT_EQ(report.verdict, VerdictOf(report));
  switch (row.kind) {
    case Row::Kind::kBreaks:
      ExpectFound(row, report, row.place.In(image));
      ExpectNothingElse(row, report);
      break;
    case Row::Kind::kKeeps: EXPECT_THAT(RulesOf(Concerns(report)), testing::IsEmpty()); [[fallthrough]];
    case Row::Kind::kLacks: EXPECT_THAT(RulesOf(report.findings), testing::Not(testing::Contains(row.rule))); break;
  }
}

}  // namespace pte::test
