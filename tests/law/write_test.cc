// Writing to a sink: the bytes of the saved file, in order, ended by the first error; and what progress tells.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

// Takes so many bytes and then fails, once.
class FullSink final : public ByteSink {
 public:
  explicit FullSink(uint64_t room) : room_(room) {}
  absl::Status Append(std::span<const std::byte> bytes) override {
    EXPECT_FALSE(failed_) << "called again after a failure";
    failed_ = bytes.size() > room_;
    if (failed_) return absl::ResourceExhaustedError("the sink is full");
    room_ -= bytes.size();
    taken_ += bytes.size();
    return absl::OkStatus();
  }
  uint64_t taken() const { return taken_; }

 private:
  uint64_t room_;
  uint64_t taken_ = 0;
  bool failed_ = false;
};

PteContents Program(const std::filesystem::path& folder) {
  WriteFile(folder / "engine", Bytewise(100'000));
  PteContents contents;
  contents.program = WithDelegates({0, 1});
  contents.constants.push_back(Copy(Bytewise(3000)));
  contents.delegate_payloads.emplace_back(*FileBackedData::Lend(folder / "engine"));
  contents.delegate_payloads.emplace_back(*FileBackedData::Lend(folder / "engine", 5, 500), DelegatePayload::Placement::kInline);
  Rope mixed = Copy("head");
  EXPECT_THAT(mixed.AppendZeros(20'000), IsOk());
  EXPECT_THAT(contents.named_data.Add("mixed", mixed, {.alignment = 4096}), IsOk());
  return contents;
}

PtdContents DataOf(const PteContents& program) {
  PtdContents contents;
  contents.named_data = program.named_data;
  return contents;
}

TEST(WriteTest, ASinkGetsTheBytesOfTheSavedFile) {
  const TempDir folder;
  const PteContents contents = Program(folder.path());
  ASSERT_THAT(SavePte(contents, folder / "a.pte"), IsOk());
  EXPECT_EQ(Written(contents), ReadFile(folder / "a.pte"));
  EXPECT_EQ(Written(contents), Written(contents));
  ASSERT_THAT(SavePtd(DataOf(contents), folder / "a.ptd"), IsOk());
  EXPECT_EQ(Written(DataOf(contents)), ReadFile(folder / "a.ptd"));
}

TEST(WriteTest, TheSinksFirstErrorEndsIt) {
  const TempDir folder;
  const PteContents contents = Program(folder.path());
  const uint64_t size = Written(contents).size();
  for (uint64_t room = 0; room < size; room += 997) {
    FullSink sink(room);
    EXPECT_THAT(WritePte(contents, sink), HasCodeAndMessage(StatusCode::kResourceExhausted, "the sink is full"));
    EXPECT_LE(sink.taken(), room);
  }
  FullSink enough(size);
  EXPECT_THAT(WritePte(contents, enough), IsOk());
  FullSink data(100);
  EXPECT_THAT(WritePtd(DataOf(contents), data), HasCodeAndMessage(StatusCode::kResourceExhausted, "the sink is full"));
}

TEST(WriteTest, ASourceThatFailsEndsItToo) {
  PteContents contents;
  contents.program = OneMethod();
  ASSERT_THAT(contents.named_data.Add("a", Whole(Unreadable(100))), IsOk());
  std::string out;
  StringSink sink(out);
  EXPECT_THAT(WritePte(contents, sink), HasCode(StatusCode::kDataLoss));
  const TempDir folder;
  EXPECT_THAT(SavePte(contents, folder / "a.pte"), HasCode(StatusCode::kDataLoss));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(WriteTest, ALentFileThatChangedEndsIt) {
  const TempDir folder;
  const PteContents contents = Program(folder.path());
  std::filesystem::remove(folder / "engine");
  WriteFile(folder / "engine", Bytewise(100'001));
  std::string out;
  StringSink sink(out);
  EXPECT_THAT(WritePte(contents, sink), HasCode(StatusCode::kAborted));
  EXPECT_THAT(SavePte(contents, folder / "a.pte"), HasCode(StatusCode::kAborted));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.pte"));
}

// Held by both ways of writing; `step` is the most that may pass between two calls.
void ExpectProgress(uint64_t size, uint64_t step, const std::function<absl::Status(const SaveOptions&)>& write) {
  std::vector<uint64_t> done;
  SaveOptions options;
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.total, size);
    done.push_back(progress.done);
    return true;
  };
  ASSERT_THAT(write(options), IsOk());
  ASSERT_GE(done.size(), 2u);
  EXPECT_EQ(done.front(), 0u);
  EXPECT_EQ(done.back(), size);
  for (size_t i = 1; i < done.size(); ++i) {
    EXPECT_GT(done[i], done[i - 1]);
    EXPECT_LE(done[i] - done[i - 1], step);
  }
  // And it can end the call at each of its steps.
  for (size_t stop = 0; stop < done.size(); ++stop) {
    size_t calls = 0;
    options.progress = [&](const Progress&) { return calls++ != stop; };
    EXPECT_THAT(write(options), HasCode(StatusCode::kCancelled)) << stop;
    EXPECT_EQ(calls, stop + 1);
  }
}

TEST(WriteTest, ProgressReachesTheFilesSize) {
  const TempDir folder;
  PteContents contents = Program(folder.path());
  WriteFile(folder / "large", Bytewise(size_t{30} << 20));
  ASSERT_THAT(contents.named_data.Add("large", *FileBackedData::Lend(folder / "large")), IsOk());
  Rope zeros;
  ASSERT_THAT(zeros.AppendZeros(uint64_t{20} << 20), IsOk());
  ASSERT_THAT(contents.named_data.Add("zeros", zeros), IsOk());
  ASSERT_OK_AND_ASSIGN(const LayoutPlan plan, PlanPte(contents));
  ExpectProgress(plan.file_size, uint64_t{9} << 20, [&](const SaveOptions& options) {
    std::string out;
    StringSink sink(out);
    return WritePte(contents, sink, {}, options).status();
  });
  ExpectProgress(plan.file_size, uint64_t{64} << 20, [&](const SaveOptions& options) {
    std::filesystem::remove(folder / "a.pte");
    const absl::Status saved = SavePte(contents, folder / "a.pte", {}, options).status();
    EXPECT_EQ(std::filesystem::exists(folder / "a.pte"), saved.ok());
    return saved;
  });
}

}  // namespace
}  // namespace pte::test
