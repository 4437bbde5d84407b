// Whatever byte is wrong and wherever the file ends: an error or a file that keeps its promises; no crash, no hang, no large allocation.
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/build_file.h"
#include "tests/support/files.h"
#include "tests/support/largest_allocation.h"
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

// Our own base files, and small files of the real exporter.
std::vector<Golden> Goldens() {
  std::vector<Golden> goldens = {{"BaseA", Build(BaseA())},          {"BaseA24", Build(BaseA(), 24)}, {"BaseB", Build(BaseB())},
                                 {"BaseC", Build(BaseC())},          {"BaseP", Build(BaseP())},       {"BaseQ", Pack(BaseQ())},
                                 {"Minimal", Pack(MinimalProgram())}};
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
    (void)WalkEverything(MakeSource(SourceKind::kMemory, bytes));
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

}  // namespace
}  // namespace pte::test
