// Whatever byte is wrong and wherever the file ends: an error or a file that keeps its promises; no crash, no hang, no large allocation.
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "pte/bpte_file.h"
#include "pte/dump.h"
#include "pte/fault.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "pte/save.h"
#include "pte/verify.h"
#include "tests/support/allocations.h"
#include "tests/support/build_file.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/sources.h"
#include "tests/support/walk.h"

namespace pte::test {
namespace {

constexpr size_t kLargestAllowed = size_t{64} << 20;

struct Golden {
  std::string name;
  std::string bytes;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

// What the library writes: inline and extracted delegates, all lists of payloads.
std::string WrittenPte() {
  PteContents contents;
  contents.program = WithDelegates({0, 1});
  contents.constants.push_back(Copy("constant"));
  contents.mutable_data.push_back(Copy("state"));
  contents.delegate_payloads.emplace_back(Copy("in a segment"));
  contents.delegate_payloads.emplace_back(Copy("inside"), DelegatePayload::Placement::kInline);
  EXPECT_TRUE(contents.named_data.Add("key", Copy("named")).ok());
  return Written(contents);
}

std::string WrittenPtd() {
  PtdContents contents;
  const std::vector<int32_t> sizes = {2};
  const std::vector<uint8_t> dim_order = {0};
  const TensorLayout layout{fb::ScalarType::FLOAT, sizes, dim_order};
  EXPECT_TRUE(contents.named_data.Add("tensor", Copy("8 bytes."), {.tensor_layout = layout}).ok());
  EXPECT_TRUE(contents.named_data.Add("blob", Copy("opaque")).ok());
  return Written(contents);
}

// Our own base files, what the library writes, and small files of the real exporter.
std::vector<Golden> Goldens() {
  std::vector<Golden> goldens = {{"BaseA", Build(BaseA())},           {"BaseA24", Build(BaseA(), 24)}, {"BaseB", Build(BaseB())},
                                 {"BaseC", Build(BaseC())},           {"BaseP", Build(BaseP())},       {"BaseQ", Pack(BaseQ())},
                                 {"Minimal", Pack(MinimalProgram())}, {"WrittenPte", WrittenPte()},    {"WrittenPtd", WrittenPtd()}};
  const std::filesystem::path fixtures = std::filesystem::path(PTE_TEST_DATA) / "fixtures";
  for (const char* file : {"linear_xnnpack.pte", "delegate_inline_no_header.pte", "flat_tensor_shared.ptd", "bundled_add.bpte"}) {
    if (!std::filesystem::exists(fixtures / file)) continue;
    std::string name(file);
    for (char& c : name) c = c == '.' ? '_' : c;
    goldens.push_back({name, ReadFile(fixtures / file)});
  }
  return goldens;
}

class Damage : public testing::TestWithParam<Golden> {
 protected:
  static void Walk(const std::string& bytes) {
    ForgetLargestAllocation();
    const absl::Status walked = WalkEverything(MakeSource(SourceKind::kMemory, bytes));
    const std::optional<Fault> fault = FaultOf(walked);
    EXPECT_TRUE(walked.ok() || fault.has_value()) << walked;
    EXPECT_LE(fault.value_or(Fault{}).file_offset.value_or(0), bytes.size()) << walked;
    EXPECT_LE(LargestAllocation(), kLargestAllowed);
  }
};

TEST_P(Damage, TheFileItselfIsWalked) { EXPECT_TRUE(WalkEverything(MakeSource(SourceKind::kMemory, GetParam().bytes)).ok()); }

TEST_P(Damage, EveryTruncation) {
  for (size_t size = 0; size < GetParam().bytes.size(); ++size) Walk(GetParam().bytes.substr(0, size));
}

TEST_P(Damage, EveryByteFlipped) {
  std::string bytes = GetParam().bytes;
  for (char& c : bytes) {
    const char good = c;
    for (const char bad : {'\0', '\xff', static_cast<char>(good ^ 1), static_cast<char>(good ^ 0x80)}) {
      if (bad == good) continue;
      c = bad;
      Walk(bytes);
    }
    c = good;
  }
}

INSTANTIATE_TEST_SUITE_P(Goldens, Damage, testing::ValuesIn(Goldens()), [](const auto& row) { return row.param.name; });

// --- Memory runs out at each allocation in turn: a status, never an exception.

void RunWithEachAllocationRefused(const std::string& what, const std::function<absl::Status()>& work) {
  ASSERT_TRUE(work().ok()) << what;
  bool refused = true;
  for (int64_t nth = 1; refused; ++nth) {
    RefuseAllocation(nth);
    const absl::Status status = work();
    refused = StopRefusing();
    EXPECT_TRUE(!refused || absl::IsResourceExhausted(status) || status.ok()) << what << " " << nth << ": " << status;
  }
}

TEST(MemoryTest, RunningOutIsAStatus) {
  const TempDir dir;
  WriteFile(dir / "a.pte", Build(BaseC()));
  WriteFile(dir / "a.bpte", Pack(BaseQ()));
  WriteFile(dir / "a.ptd", Build(BaseP()));
  const absl::StatusOr<std::shared_ptr<const ByteSource>> source = OpenFileSource(dir / "a.pte");
  const absl::StatusOr<PteFile> file = PteFile::Open(*source);
  const absl::StatusOr<BpteFile> bundle = BpteFile::Open(dir / "a.bpte");
  const std::filesystem::path pte = dir / "a.pte";
  const std::filesystem::path ptd = dir / "a.ptd";
  const std::filesystem::path bpte = dir / "a.bpte";
  RunWithEachAllocationRefused("source", [&] { return OpenFileSource(pte).status(); });
  RunWithEachAllocationRefused("head", [&] { return ReadContainerHeader(**source).status(); });
  RunWithEachAllocationRefused("pte", [&] { return PteFile::Open(*source).status(); });
  RunWithEachAllocationRefused("ptd", [&] { return PtdFile::Open(ptd).status(); });
  RunWithEachAllocationRefused("bpte", [&] { return BpteFile::Open(bpte).status(); });
  RunWithEachAllocationRefused("program", [&] { return bundle->program().status(); });
  RunWithEachAllocationRefused("load", [&] { return file->DelegatePayload(0, 0)->Load({.map = false}).status(); });
  RunWithEachAllocationRefused("verify", [&] { return VerifyFile(pte).status(); });
  RunWithEachAllocationRefused("dump", [&] {
    class Discard final : public ByteSink {
      absl::Status Append(std::span<const std::byte>) override { return absl::OkStatus(); }
    } discard;
    return DumpJson(*file, discard, {.payload_hash = true});
  });
}

TEST(MemoryTest, RunningOutWhileWritingIsAStatusAndLeavesNothingBehind) {
  const TempDir dir;
  const absl::StatusOr<PteFile> file = PteFile::Open(MakeSource(SourceKind::kMemory, WrittenPte()));
  const absl::StatusOr<PtdFile> data = PtdFile::Open(MakeSource(SourceKind::kMemory, WrittenPtd()));
  const absl::StatusOr<PteContents> contents = file->ToContents();
  const absl::StatusOr<PtdContents> data_contents = data->ToContents();
  const std::filesystem::path path = dir / "saved";
  class Discard final : public ByteSink {
    absl::Status Append(std::span<const std::byte>) override { return absl::OkStatus(); }
  } discard;
  RunWithEachAllocationRefused("to contents", [&] { return file->ToContents().status(); });
  RunWithEachAllocationRefused("data to contents", [&] { return data->ToContents().status(); });
  RunWithEachAllocationRefused("plan", [&] { return PlanPte(*contents).status(); });
  RunWithEachAllocationRefused("plan data", [&] { return PlanPtd(*data_contents).status(); });
  RunWithEachAllocationRefused("write", [&] { return WritePte(*contents, discard).status(); });
  RunWithEachAllocationRefused("save", [&] { return SavePte(*contents, path).status(); });
  RunWithEachAllocationRefused("save data", [&] { return SavePtd(*data_contents, path).status(); });
  RunWithEachAllocationRefused("save both", [&] { return SaveProgramAndData(*contents, path).status(); });
  // Nothing beside what was saved in the end.
  std::filesystem::remove(path);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace pte::test
