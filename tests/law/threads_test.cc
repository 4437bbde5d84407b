// Const calls may be made from many threads on one open file.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "pte/bpte_file.h"
#include "pte/dump.h"
#include "pte/pte_file.h"
#include "tests/support/build_file.h"
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

}  // namespace
}  // namespace pte::test
