// What judging a file by all rules costs.
//
//   pte_bench --benchmark_filter=Verify
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bench/bench_files.h"
#include "pte/save.h"
#include "pte/verify.h"
#include "tests/support/build_file.h"

namespace pte::bench {
namespace {

// A sound program: its lists are of an Int, its tensors inside their buffer.
fb::ProgramT SoundProgram(size_t values) {
  fb::ProgramT program = test::LargeProgram(values);
  fb::ExecutionPlanT& plan = *program.execution_plan[0];
  for (const std::unique_ptr<fb::EValueT>& value : plan.values) {
    if (fb::IntListT* list = value->val.AsIntList()) list->items.assign(3, static_cast<int64_t>(values));
  }
  fb::IntT seven;
  seven.int_val = 7;
  plan.values.push_back(test::ValueOf(std::move(seven)));
  plan.non_const_buffer_sizes = {0, int64_t{1} << 32};
  // The writer's to make: see pte/contents.h.
  program.segments.clear();
  program.constant_segment = nullptr;
  return program;
}

const std::string& FileOf(size_t values) {
  static std::map<size_t, std::string> files;
  std::string& file = files[values];
  if (!file.empty()) return file;
  PteContents contents;
  contents.program = SoundProgram(values);
  StringSink sink(file);
  if (!WritePte(contents, sink, LayoutOptions{}).ok()) file = "not written";
  return file;
}

bool IsSound(const std::string& file) {
  const MemorySource source(Bytes::Borrow(std::as_bytes(std::span(file))));
  const absl::StatusOr<VerifyReport> report = Verify(source);
  return report.ok() && report->verdict != Verdict::kError;
}

bool IsVerified(const std::string& file) {
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(file.data()), file.size(), 64, 10'000'000);
  return verifier.VerifyBuffer<fb::Program>(nullptr);
}

// The best of some, since the machine may be doing other things. Each begins with memory that the process has not touched, as one that
// judges a single file does, whatever its size.
template <class Run>
double Best(Run run) {
  constexpr int kRuns = 7;
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < kRuns; ++i) {
    ::malloc_trim(0);
    best = std::min(best, Seconds(run));
  }
  return best;
}

// What opening does before it verifies: the bytes in memory of its own, in large pages where the system has some.
void Copy(const std::string& file) {
  constexpr size_t kLargePage = size_t{2} << 20;
  const size_t size = (file.size() + kLargePage - 1) / kLargePage * kLargePage;
  const std::unique_ptr<void, decltype(&std::free)> copy(std::aligned_alloc(kLargePage, size), &std::free);
  ::madvise(copy.get(), size, MADV_HUGEPAGE);
  std::memcpy(copy.get(), file.data(), file.size());
  benchmark::DoNotOptimize(copy.get());
}

// All rules against flatbuffers' verifier on the same bytes: ratio_plain with copying the bytes first left out of both, ratio_copied with
// it in both, ratio_uncopied with it in ours alone. ratio_10x: 10^6 values against 10^5.
void VerifyValues(benchmark::State& state) {
  constexpr size_t kFew = 100'000;
  constexpr size_t kMany = 1'000'000;
  const std::string& few = FileOf(kFew);
  const std::string& many = FileOf(kMany);
  if (!IsSound(few) || !IsSound(many)) return state.SkipWithError("the programs are not sound");
  for (auto _ : state) {
    const double plain = Best([&] { benchmark::DoNotOptimize(IsVerified(many)); });
    const double of_few = Best([&] { benchmark::DoNotOptimize(IsSound(few)); });
    const double of_many = Best([&] { benchmark::DoNotOptimize(IsSound(many)); });
    const double copy = Best([&] { Copy(many); });
    state.counters["ratio_plain"] = (of_many - copy) / plain;
    state.counters["ratio_copied"] = of_many / (plain + copy);
    state.counters["ratio_uncopied"] = of_many / plain;
    state.counters["ratio_10x"] = of_many / of_few;
    state.counters["ms_1e6"] = of_many * 1e3;
  }
}
BENCHMARK(VerifyValues)->Iterations(1);

// A file of 4 GiB, which is read where its metadata and padding are. ratio_small: against one of 1 MiB.
void VerifyFourGiB(benchmark::State& state) {
  const auto path = [](uint64_t size) {
    return WriteSparse("verify_" + std::to_string(size) + ".pte", test::WithPteHeader(test::Pack(test::ProgramWithKeys(100, size)), size),
                       size);
  };
  const std::filesystem::path small = path(uint64_t{1} << 20);
  const std::filesystem::path large = path(uint64_t{4} << 30);
  const auto verify = [&state](const std::filesystem::path& file) {
    const absl::StatusOr<VerifyReport> report = VerifyFile(file);
    if (!report.ok()) state.SkipWithError("the file cannot be judged");
  };
  for (auto _ : state) {
    const double of_small = Best([&] { verify(small); });
    const double of_large = Best([&] { verify(large); });
    state.counters["ratio_small"] = of_large / of_small;
    state.counters["us_4GiB"] = of_large * 1e6;
  }
}
BENCHMARK(VerifyFourGiB)->Iterations(1);

}  // namespace
}  // namespace pte::bench
