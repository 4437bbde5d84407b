// Const calls may be made from many threads on one open file.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "pte/bpte_file.h"
#include "pte/dump.h"
#include "pte/pte_file.h"
#include "pte/verify.h"
#include "tests/support/build_file.h"
#include "tests/support/recipe.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

template <class Work>
void OnThreads(Work work) {
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadsTest, OneProgramManyReaders) {
  for (const SourceKind kind : kSourceKinds) {
    ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(MakeSource(kind, Build(BaseC()))));
    std::atomic<int> failures = 0;
    OnThreads([&] {
      for (int i = 0; i < 50; ++i) {
        const PteFile copy = file;
        const absl::StatusOr<Payload> payload = copy.FindNamedData(i % 2 == 0 ? "alpha" : "beta");
        std::string json;
        StringSink sink(json);
        const bool ok =
            payload.ok() && payload->Load().ok() && copy.DelegatePayload(0, 0)->Load({.map = false}).ok() && DumpJson(copy, sink).ok();
        failures += ok ? 0 : 1;
      }
    });
    EXPECT_EQ(failures, 0) << NameOf(kind);
  }
}

TEST(ThreadsTest, OneBundleManyPrograms) {
  ASSERT_OK_AND_ASSIGN(const BpteFile bundle, BpteFile::Open(MakeSource(SourceKind::kFile, Pack(BaseQ()))));
  std::atomic<int> failures = 0;
  OnThreads([&] {
    for (int i = 0; i < 50; ++i) failures += bundle.program().ok() && bundle.suites().size() == 1 ? 0 : 1;
  });
  EXPECT_EQ(failures, 0);
}

TEST(ThreadsTest, OneSourceManyJudges) {
  for (const SourceKind kind : kSourceKinds) {
    const std::shared_ptr<const ByteSource> program = MakeSource(kind, X().File());
    const std::shared_ptr<const ByteSource> bundle = MakeSource(kind, Q().File());
    VerifyOptions options;
    options.data = {MakeSource(kind, P().File())};
    std::atomic<int> failures = 0;
    OnThreads([&] {
      for (int i = 0; i < 20; ++i) {
        const absl::StatusOr<VerifyReport> of_program = Verify(*program, options);
        const absl::StatusOr<VerifyReport> of_bundle = Verify(*bundle);
        const bool ok = of_program.ok() && of_program->verdict == Verdict::kOk && of_bundle.ok() && of_bundle->verdict == Verdict::kOk;
        failures += ok ? 0 : 1;
      }
    });
    EXPECT_EQ(failures, 0) << NameOf(kind);
  }
}

}  // namespace
}  // namespace pte::test
