#include "tests/fuzz/fuzz_container.h"

#include <iostream>
#include <memory>
#include <string>

#include "pte/verify.h"
#include "tests/fuzz/require.h"
#include "tests/support/recipe.h"
#include "tests/support/sources.h"
#include "tests/support/walk.h"

namespace pte::test {
namespace {

void RequireSame(const absl::Status& memory, const absl::Status& read) {
  if (memory.code() == read.code()) return;
  std::cerr << "memory says " << memory << ", reading says " << read << "\n";
  Require(false, "bytes are judged alike, however they are read");
}

// Across files: a program with the bytes as its data, or data for the bytes as a program.
void RequireJudged(std::string_view identifier, const std::shared_ptr<const ByteSource>& bytes) {
  static const auto* const kProgram = new std::shared_ptr<const ByteSource>(MakeSource(SourceKind::kMemory, X().File()));
  static const auto* const kData = new std::shared_ptr<const ByteSource>(MakeSource(SourceKind::kMemory, P().File()));
  const bool is_data = identifier == "FT01";
  const bool is_program = identifier == "ET12";
  if (!is_data && !is_program) return;
  const absl::StatusOr<VerifyReport> report = Verify(is_data ? **kProgram : *bytes, {.data = {is_data ? bytes : *kData}});
  RequireOk(report, "a program can be judged with any data");
  Require(report->data.size() == 1, "each data file has its report");
}

}  // namespace

void FuzzContainer(const uint8_t* data, size_t size, std::string_view identifier) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  constexpr size_t kIdentifier = 4;
  if (bytes.size() >= kIdentifier + identifier.size()) bytes.replace(kIdentifier, identifier.size(), identifier);
  // Reading all payloads, listing all findings, all of it in the other way too, and across files, is slow and rarely tells anything new:
  // one input in eight.
  constexpr size_t kOneInThorough = 8;
  constexpr uint32_t kFewFindings = 16;
  const bool is_thorough = size % kOneInThorough == 0;
  const auto memory = MakeSource(SourceKind::kMemory, bytes);
  WalkOptions options{.payload_bytes = is_thorough};
  if (!is_thorough) options.limits.max_findings = kFewFindings;
  const absl::Status walked = WalkEverything(memory, options);
  if (!is_thorough) return;
  RequireSame(walked, WalkEverything(MakeSource(SourceKind::kReadOnly, bytes)));
  RequireJudged(identifier, memory);
}

}  // namespace pte::test
