// Progress, cancelling, and sinks that fail.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "src/io/save_parts.h"
#include "tests/support/files.h"
#include "tests/support/status.h"
#include "tests/unit/saving.h"
#include "tests/unit/wrapped_syscalls.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;

constexpr uint64_t kMostBetween = 8 * kMiB;  // as SaveOptions::progress says
constexpr uint64_t kLarge = 20 * kMiB + 5;

class SaveProgressTest : public testing::Test {
 protected:
  SaveProgressTest() {
    WriteFile(source_, Noise(kLarge, 1));
    rope_.Append(Bytes::FromString("head"));
    rope_.Append(Bytes::FromString(Noise(kLarge, 2)));
    absl::Status appended = rope_.AppendZeros(1000);
    appended.Update(rope_.Append(Lent(source_)));
    rope_.Append(Bytes::FromString("tail"));
    EXPECT_THAT(appended, IsOk());
  }

  // Remembers every call; the nth is told to end it.
  std::function<bool(const Progress&)> Remember(int64_t cancel_at = -1) {
    seen_.clear();
    return [this, cancel_at](const Progress& progress) {
      EXPECT_EQ(progress.total, rope_.size());
      seen_.push_back(progress.done);
      return static_cast<int64_t>(seen_.size()) != cancel_at;
    };
  }

  void CheckSeen() {
    ASSERT_GE(seen_.size(), 2U);
    EXPECT_EQ(seen_.front(), 0U);
    EXPECT_EQ(seen_.back(), rope_.size());
    for (size_t i = 1; i < seen_.size(); ++i) {
      EXPECT_GT(seen_[i], seen_[i - 1]);
      EXPECT_LE(seen_[i] - seen_[i - 1], kMostBetween) << "after " << seen_[i - 1];
    }
  }

  TempDir in_{FolderInMemory()};
  TempDir out_{FolderInMemory()};
  std::filesystem::path source_ = in_ / "source";
  std::filesystem::path target_ = out_ / "target";
  Rope rope_;
  std::vector<uint64_t> seen_;
};

TEST_F(SaveProgressTest, BeginsAtZeroGrowsInSmallStepsAndEndsAtTheTotal) {
  for (const bool in_kernel : {true, false}) {
    const ScopedHooks hooks({.any = [&](Syscall& call) {
      return call.name == "copy_file_range" && !in_kernel ? std::optional(Instead{-1, ENOSYS}) : std::nullopt;
    }});
    SaveOptions options;
    options.progress = Remember();
    EXPECT_THAT(SaveBytes(rope_, target_, options), IsOk());
    CheckSeen();
  }
}

TEST_F(SaveProgressTest, IsTheSameForASink) {
  std::string bytes;
  StringSink sink(bytes);
  const OutputPart part{rope_, "part"};
  SaveOptions options;
  options.progress = Remember();
  EXPECT_THAT(WriteParts({&part, 1}, sink, options), IsOk());
  CheckSeen();
  EXPECT_EQ(bytes.size(), rope_.size());
}

TEST_F(SaveProgressTest, AnEmptyFileIsReportedOnce) {
  rope_ = Rope();
  SaveOptions options;
  options.progress = Remember();
  EXPECT_THAT(SaveBytes(rope_, target_, options), IsOk());
  EXPECT_THAT(seen_, ElementsAre(0U));
  EXPECT_EQ(ReadFile(target_), "");
}

TEST_F(SaveProgressTest, SaysWhichPartIsWritten) {
  const OutputPart parts[] = {{Bytes::FromString(Noise(kLarge, 3)), "first"}, {Bytes::FromString(Noise(kLarge, 4)), "second"}};
  std::vector<std::string> names;
  SaveOptions options;
  options.progress = [&](const Progress& progress) {
    if (names.empty() || names.back() != progress.what) names.emplace_back(progress.what);
    return true;
  };
  EXPECT_THAT(WriteBeside(parts, target_, options), IsOk());
  EXPECT_THAT(NamesIn(out_.path()), testing::IsEmpty()) << "it was not published";
  EXPECT_THAT(names, ElementsAre("", "first", "second"));
}

TEST_F(SaveProgressTest, CancellingAtAnyCallLeavesNothing) {
  SaveOptions options;
  options.progress = Remember();
  ASSERT_THAT(SaveBytes(rope_, target_, options), IsOk());
  const auto calls = static_cast<int64_t>(seen_.size());
  for (const bool has_old : {false, true}) {
    for (int64_t n = 1; n <= calls; ++n) {
      std::filesystem::remove(target_);
      if (has_old) WriteFile(target_, "old");
      options.progress = Remember(n);
      EXPECT_THAT(SaveBytes(rope_, target_, options), HasCodeAndMessage(StatusCode::kCancelled, "cancelled by the progress callback")) << n;
      EXPECT_EQ(static_cast<int64_t>(seen_.size()), n) << "called again after it said no";
      EXPECT_EQ(NamesIn(out_.path()).size(), has_old ? 1U : 0U) << n;
      EXPECT_TRUE(!has_old || ReadFile(target_) == "old") << n;
    }
  }
}

// Takes `calls` calls, then fails.
class FailingSink final : public ByteSink {
 public:
  explicit FailingSink(int64_t calls) : left_(calls) {}

  absl::Status Append(std::span<const std::byte>) override {
    EXPECT_GE(left_, 0) << "called again after it failed";
    return left_-- > 0 ? absl::OkStatus() : absl::DataLossError("the sink is full");
  }
  bool failed() const { return left_ < 0; }

 private:
  int64_t left_;
};

TEST_F(SaveProgressTest, ASinkThatFailedIsNotCalledAgain) {
  const OutputPart parts[] = {{rope_, "part"}, {Bytes::FromString("more"), "more"}};
  for (int64_t n = 0;; ++n) {
    FailingSink sink(n);
    const absl::Status status = WriteParts(parts, sink, {}).status();
    if (!sink.failed()) {
      EXPECT_THAT(status, IsOk());
      EXPECT_GT(n, 10);
      break;
    }
    EXPECT_THAT(status, HasCodeAndMessage(StatusCode::kDataLoss, "the sink is full")) << n;
  }
}

TEST_F(SaveProgressTest, ASinkIsCancelledToo) {
  std::string bytes;
  StringSink sink(bytes);
  const OutputPart part{rope_, "part"};
  SaveOptions options;
  options.progress = Remember(2);
  EXPECT_THAT(WriteParts({&part, 1}, sink, options), HasCode(StatusCode::kCancelled));
  EXPECT_EQ(seen_.size(), 2U);
  EXPECT_EQ(bytes.size(), seen_.back());
}

// A sink over a device that is always full.
TEST_F(SaveProgressTest, AFullDeviceBehindASinkIsReported) {
  class DeviceSink final : public ByteSink {
   public:
    DeviceSink() : fd_(::open("/dev/full", O_WRONLY | O_CLOEXEC)) {}
    ~DeviceSink() override { ::close(fd_); }
    absl::Status Append(std::span<const std::byte> bytes) override {
      if (::write(fd_, bytes.data(), bytes.size()) >= 0) return absl::OkStatus();
      return absl::ErrnoToStatus(errno, "/dev/full");
    }

   private:
    int fd_;
  };
  DeviceSink sink;
  EXPECT_THAT(WritePtd(PtdContents{}, sink), HasCode(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace pte::test
