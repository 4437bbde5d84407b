// Which lists and texts a program leaves out when they are empty. The exporter leaves out five, and the runtime refuses programs that miss
// others; what the library writes keeps to the same table.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "flatbuffers/minireflect.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/pte_file.h"
#include "pte/save.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

// Their names are unlike those of all other fields.
const std::set<std::string> kLeftOut = {"mutable_data_segments", "named_data", "non_const_buffer_device", "stacktrace",
                                        "fully_qualified_name"};

// How often a list or text was left out, and how often it was there without an item.
struct Counts {
  std::map<std::string, int> absent;
  std::map<std::string, int> empty;
};

class Visitor final : public flatbuffers::IterationVisitor {
 public:
  explicit Visitor(Counts& counts) : counts_(counts) {}

  void Field(size_t, size_t, flatbuffers::ElementaryType type, bool is_vector, const flatbuffers::TypeTable*, const char* name,
             const uint8_t* value) override {
    if (!is_vector && type != flatbuffers::ET_STRING) return;
    if (value == nullptr) {
      ++counts_.absent[name];
    } else if (flatbuffers::ReadScalar<flatbuffers::uoffset_t>(value) == 0) {
      ++counts_.empty[name];
    }
  }

  void StartSequence() override {}
  void EndSequence() override {}
  void UType(uint8_t, const char*) override {}
  void Bool(bool) override {}
  void Char(int8_t, const char*) override {}
  void UChar(uint8_t, const char*) override {}
  void Short(int16_t, const char*) override {}
  void UShort(uint16_t, const char*) override {}
  void Int(int32_t, const char*) override {}
  void UInt(uint32_t, const char*) override {}
  void Long(int64_t) override {}
  void ULong(uint64_t) override {}
  void Float(float) override {}
  void Double(double) override {}
  void String(const flatbuffers::String*) override {}
  void Unknown(const uint8_t*) override {}
  void StartVector() override {}
  void EndVector() override {}
  void Element(size_t, flatbuffers::ElementaryType, const flatbuffers::TypeTable*, const uint8_t*) override {}

 private:
  Counts& counts_;
};

Counts CountsOf(const PteFile& file) {
  Counts counts;
  Visitor visitor(counts);
  flatbuffers::IterateFlatBuffer(reinterpret_cast<const uint8_t*>(file.flatbuffer().data()), fb::Program::MiniReflectTypeTable(), &visitor);
  return counts;
}

void ExpectTheTable(const Counts& counts) {
  for (const auto& [name, count] : counts.absent) EXPECT_TRUE(kLeftOut.contains(name)) << name << " is left out " << count << " times";
  for (const auto& [name, count] : counts.empty) EXPECT_FALSE(kLeftOut.contains(name)) << name << " is there and empty";
}

TEST(AbsentTest, FixturesAndWhatIsMadeOfThemLeaveOutFiveKindsOfLists) {
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(PTE_TEST_DATA) / "fixtures")) {
    if (entry.path().extension() != ".pte") continue;
    SCOPED_TRACE(entry.path().filename());
    ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(entry.path()));
    const Counts counts = CountsOf(file);
    ExpectTheTable(counts);
    for (const auto& [name, count] : counts.absent) seen.insert(name);
    const Counts written = CountsOf(OpenPte(Written(ContentsOf(file))));
    ExpectTheTable(written);
    EXPECT_EQ(written.absent, counts.absent);
  }
  EXPECT_EQ(seen, kLeftOut);
}

TEST(AbsentTest, FilesOfOtherExportersAreWrittenByTheTableToo) {
  const char* folder = std::getenv("PTE_CORPUS");
  const std::filesystem::path corpus = folder != nullptr ? folder : PTE_SOURCE_DIR "/../shared/corpus";
  if (!std::filesystem::exists(corpus / "INDEX.tsv")) GTEST_SKIP() << "no corpus in " << corpus;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    const absl::StatusOr<PteFile> file = PteFile::Open(entry.path());
    if (!file.ok()) continue;
    SCOPED_TRACE(entry.path().filename());
    ExpectTheTable(CountsOf(*file));
    const absl::StatusOr<PteContents> contents = file->ToContents();
    ASSERT_THAT(contents, IsOk());
    ExpectTheTable(CountsOf(OpenPte(Written(*contents))));
  }
}

}  // namespace
}  // namespace pte::test
