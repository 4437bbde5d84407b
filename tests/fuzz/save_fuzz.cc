// Contents of any shape, saved and read back: what is in the file is what was in the contents, or saving says why not.
#include <span>
#include <string>

#include "pte/byte_sink.h"
#include "pte/save.h"
#include "tests/fuzz/fuzz_contents.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/save_laws.h"

namespace pte::test {
namespace {

absl::StatusOr<LayoutPlan> Plan(const PteContents& contents, const LayoutOptions& layout) { return PlanPte(contents, layout); }
absl::StatusOr<LayoutPlan> Plan(const PtdContents& contents, const LayoutOptions& layout) { return PlanPtd(contents, layout); }

absl::StatusOr<SaveReport> Write(const PteContents& contents, ByteSink& sink, const LayoutOptions& layout) {
  return WritePte(contents, sink, layout);
}
absl::StatusOr<SaveReport> Write(const PtdContents& contents, ByteSink& sink, const LayoutOptions& layout) {
  return WritePtd(contents, sink, layout);
}

// Takes no file that is large: it would be mostly padding, which takes long to write and tells nothing.
class SmallFile final : public ByteSink {
 public:
  absl::Status Append(std::span<const std::byte> bytes) override {
    constexpr size_t kMost = 128 << 10;
    if (bytes.size() > kMost - bytes_.size()) return absl::ResourceExhaustedError("a large file");
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return absl::OkStatus();
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

template <class Contents>
void SaveAndRead(const Contents& contents, const LayoutOptions& layout, bool is_thorough) {
  SmallFile file;
  const absl::StatusOr<SaveReport> report = Write(contents, file, layout);
  if (absl::IsResourceExhausted(report.status())) return;
  if (!report.ok()) return Require(absl::IsInvalidArgument(report.status()), "sound contents fail by the layout alone");
  Require(report->file_size == file.bytes().size() && report->bytes_written == file.bytes().size(), "the report has the file's size");
  RequireLaws(contents, layout, file.bytes());
  if (!is_thorough) return;
  const absl::StatusOr<LayoutPlan> plan = Plan(contents, layout);
  RequireOk(plan, "what can be written can be planned");
  RequirePlan(*plan, file.bytes());
  RequireRoundTrip(contents, layout, file.bytes());
}

void RequireRefused(const PteContents& contents, const LayoutOptions& layout) {
  SmallFile file;
  const absl::Status written = WritePte(contents, file, layout).status();
  Require(!written.ok(), "spoilt contents are refused");
}

void FuzzProgramFile(FuzzInput& input, bool is_thorough) {
  constexpr size_t kOneInSpoilt = 16;
  const bool is_spoilt = input.Below(kOneInSpoilt) == 1;
  const LayoutOptions layout = FuzzLayout(input);
  PteContents contents = FuzzPte(input);
  if (!is_spoilt) return SaveAndRead(contents, layout, is_thorough);
  Spoil(input, contents);
  RequireRefused(contents, layout);
}

void FuzzDataFile(FuzzInput& input, bool is_thorough) {
  const LayoutOptions layout = FuzzLayout(input);
  SaveAndRead(FuzzPtd(input), layout, is_thorough);
}

// The laws that need the file to be made once more take half of the time: one input in four.
void FuzzSave(FuzzInput& input) {
  constexpr size_t kOneInFour = 4;
  const bool is_thorough = input.Below(kOneInFour) == 0;
  const bool is_data = input.Below(kOneInFour) == 1;
  return is_data ? FuzzDataFile(input, is_thorough) : FuzzProgramFile(input, is_thorough);
}

}  // namespace
}  // namespace pte::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pte::test::FuzzInput input(data, size);
  pte::test::FuzzSave(input);
  return 0;
}
