// Whichever system call of a save fails: the target is the old file or the complete new one, and nothing else is left.
#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>
#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/files.h"
#include "tests/support/status.h"
#include "tests/unit/saving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

enum class Input { kSmall, kMemory, kLent, kLentRange, kSparse, kAll };
constexpr std::string_view kInputNames[] = {"Small", "Memory", "Lent", "LentRange", "Sparse", "All"};

// How the save is made, and what stood under the target's name before.
struct Way {
  Durability durability;
  IfExists if_exists;
  bool has_old;

  friend std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << (way.durability == Durability::kSynced ? "synced" : "atomic") << (way.if_exists == IfExists::kFail ? ", kFail" : "")
               << (way.has_old ? ", over an old file" : ", to a new file");
  }
};
constexpr Way kWays[] = {
    {Durability::kAtomic, IfExists::kReplace, false}, {Durability::kAtomic, IfExists::kReplace, true},
    {Durability::kAtomic, IfExists::kFail, false},    {Durability::kSynced, IfExists::kReplace, false},
    {Durability::kSynced, IfExists::kReplace, true},  {Durability::kSynced, IfExists::kFail, false},
};

constexpr char kOld[] = "what stood there before";
// Large beside its data, and small enough to be copied whole a few hundred times: that is what a refused lseek leads to.
constexpr uint64_t kSparse = 6 * kMiB + 17;

constexpr char kInPlace[] = "complete and in place";

// Saves that make far more calls than this are going round in circles.
constexpr int64_t kMostCalls = 500;

class FailingCallsTest : public testing::TestWithParam<Input> {
 protected:
  FailingCallsTest() {
    WriteFile(lent_, Noise(300 * kKiB + 5, 1));
    WriteSparse(sparse_, kSparse, {{0, "first"}, {2 * kMiB + 100, Noise(100 * kKiB, 2)}, {4 * kMiB, Noise(9000, 3)}, {kSparse - 1, "z"}});
    rope_ = MakeRope();
    inputs_ = {ReadSparse(lent_), ReadSparse(sparse_)};
    EXPECT_THAT(SaveBytes(rope_, expected_), IsOk());
    expected_bytes_ = ReadSparse(expected_);
    EXPECT_EQ(expected_bytes_.size, rope_.size());
  }

  Rope MakeRope() {
    Rope rope;
    const Input input = GetParam();
    const bool all = input == Input::kAll;
    absl::Status appended;
    if (all || input == Input::kSmall) rope.Append(Bytes::FromString(Noise(96, 4)));
    if (all || input == Input::kMemory) rope.Append(Bytes::FromString(Noise(all ? kMiB + 1 : 3 * kMiB, 5)));
    if (all || input == Input::kLent) appended.Update(rope.Append(Lent(lent_)));
    if (all) appended.Update(rope.AppendZeros(200 * kKiB));
    if (all || input == Input::kLentRange) appended.Update(rope.Append(Lent(lent_, 12345, 200001)));
    if (all || input == Input::kSparse) appended.Update(rope.Append(Lent(sparse_)));
    EXPECT_THAT(appended, IsOk());
    return rope;
  }

  absl::Status Save(const Way& way, NthCallFails& fault) {
    const ScopedHooks hooks({.any = [&](Syscall& call) {
      std::optional<Instead> instead = fault.See(call);
      // Nothing here asks what survives a power cut, and waiting for the disk takes longer than all else.
      return !instead && call.name == "fsync" ? Instead{0, 0} : instead;
    }});
    SaveOptions options;
    options.durability = way.durability;
    options.if_exists = way.if_exists;
    return SaveBytes(rope_, target_, options).status();
  }

  void PutBack(const Way& way) {
    std::filesystem::remove(target_);
    if (way.has_old) WriteFile(target_, kOld);
  }

  // After a failure that happened, the target is one of two files.
  void CheckTarget(const Way& way, const absl::Status& status) {
    const bool published = status.ok() || status.ToString().find(kInPlace) != std::string::npos;
    if (published) {
      EXPECT_EQ(ReadSparse(target_), expected_bytes_) << status;
    } else if (way.has_old) {
      EXPECT_EQ(ReadFile(target_), kOld) << status;
    } else {
      EXPECT_FALSE(std::filesystem::exists(target_)) << status;
    }
  }

  void CheckInputs() { EXPECT_THAT(inputs_, testing::ElementsAre(ReadSparse(lent_), ReadSparse(sparse_))); }

  std::vector<std::string> NamesAllowed() const {
    return std::filesystem::exists(target_) ? std::vector<std::string>{"model.pte"} : std::vector<std::string>{};
  }

  // Whether there was an nth call to fail.
  bool FailOnce(const Way& way, int64_t n, int error) {
    PutBack(way);
    NthCallFails fault(n, error);
    const size_t descriptors = CountDescriptors();
    const absl::Status status = Save(way, fault);
    SCOPED_TRACE(testing::Message() << way << "; call " << n << " (" << fault.failed() << ") failed: " << std::strerror(error));
    EXPECT_EQ(CountDescriptors(), descriptors);
    EXPECT_THAT(NamesIn(out_.path()), testing::ElementsAreArray(NamesAllowed()));
    CheckTarget(way, status);
    EXPECT_TRUE(status.ok() || !fault.failed().empty()) << status;
    return !fault.failed().empty();
  }

  // Clean-up may fail too; the next save makes up for it.
  bool FailFromThenOn(const Way& way, int64_t n, int error) {
    PutBack(way);
    NthCallFails fault(n, error, true);
    const size_t descriptors = CountDescriptors();
    const absl::Status status = Save(way, fault);
    SCOPED_TRACE(testing::Message() << way << "; all from call " << n << " (" << fault.failed() << ") failed: " << std::strerror(error));
    EXPECT_EQ(CountDescriptors(), descriptors);
    CheckTarget(way, status);
    for (const std::string& name : NamesIn(out_.path())) EXPECT_TRUE(name == "model.pte" || name[0] == '.') << name;
    EXPECT_THAT(SaveBytes(Bytes::FromString("next"), target_), IsOk());
    EXPECT_THAT(NamesIn(out_.path()), testing::ElementsAre("model.pte"));
    return !fault.failed().empty();
  }

  TempDir in_{FolderInMemory()};
  TempDir out_{FolderInMemory()};
  std::filesystem::path lent_ = in_ / "lent";
  std::filesystem::path sparse_ = in_ / "sparse";
  std::filesystem::path expected_ = in_ / "expected";
  std::filesystem::path target_ = out_ / "model.pte";
  Rope rope_;
  std::vector<SparseBytes> inputs_;
  SparseBytes expected_bytes_;
};

TEST_P(FailingCallsTest, ASaveThatSucceedsHoldsItsInputs) {
  std::string bytes;
  StringSink sink(bytes);
  ASSERT_THAT(rope_.CopyTo(sink), IsOk());
  EXPECT_EQ(expected_bytes_, SparseBytesOf(bytes));
}

TEST_P(FailingCallsTest, NothingIsLeftWhenTheNthCallFails) {
  for (const Way& way : kWays) {
    for (const int error : {EIO, ENOSPC}) {
      if (error == ENOSPC && way.durability == Durability::kSynced) continue;  // nothing that EIO does not show
      int64_t n = 1;
      while (!HasFailure() && n < kMostCalls && FailOnce(way, n, error)) ++n;
      EXPECT_GT(n, 10) << "hardly any call was seen: the wrappers are not in front of the library";
    }
  }
  CheckInputs();
}

TEST_P(FailingCallsTest, TheNextSaveCleansUpWhenAllCallsFailFromTheNthOn) {
  for (const Way& way : kWays) {
    int64_t n = 1;
    while (!HasFailure() && n < kMostCalls && FailFromThenOn(way, n, EIO)) ++n;
  }
  CheckInputs();
}

TEST_P(FailingCallsTest, AnInterruptedCallIsMadeAgain) {
  for (const Way& way : kWays) {
    for (int64_t n = 1; n < kMostCalls; ++n) {
      PutBack(way);
      NthCallFails fault(n, EINTR);
      EXPECT_THAT(Save(way, fault), IsOk()) << way << "; call " << n << " (" << fault.failed() << ") was interrupted";
      EXPECT_EQ(ReadSparse(target_), expected_bytes_) << way << "; call " << n << " (" << fault.failed() << ") was interrupted";
      if (HasFailure() || fault.failed().empty()) break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, FailingCallsTest,
                         testing::Values(Input::kSmall, Input::kMemory, Input::kLent, Input::kLentRange, Input::kSparse, Input::kAll),
                         [](const auto& input) { return std::string(kInputNames[static_cast<size_t>(input.param)]); });

}  // namespace
}  // namespace pte::test
