// What opening, looking up and verifying cost.
//
//   pte_bench --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
//
// Counters named ratio_* compare with a floor measured in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bench/bench_files.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "tests/support/build_file.h"

namespace pte::bench {
namespace {

using test::Pack;

// --- Opening does not depend on the size of the file.

constexpr uint64_t kMiB = uint64_t{1} << 20;

const std::filesystem::path& SparseProgram(uint64_t size) {
  static std::map<uint64_t, std::filesystem::path> files;
  std::filesystem::path& path = files[size];
  if (path.empty())
    path = WriteSparse("sparse_" + std::to_string(size) + ".pte", test::WithPteHeader(Pack(test::ProgramWithKeys(100, size)), size), size);
  return path;
}

void OpenAndLookUp(benchmark::State& state) {
  const std::filesystem::path& path = SparseProgram(static_cast<uint64_t>(state.range(0)) * kMiB);
  for (auto _ : state) {
    const absl::StatusOr<PteFile> file = PteFile::Open(path);
    benchmark::DoNotOptimize(file->FindNamedData("key.57"));
  }
}
BENCHMARK(OpenAndLookUp)->Arg(1)->Arg(4096)->ArgName("MiB");

// --- Verifying and our checks, against the plain verifier on the same bytes.

// 10 MiB.
const std::string& LargeFlatbuffer() {
  static const std::string bytes = Pack(test::LargeProgram(160'000));
  return bytes;
}

bool PlainVerify(const std::string& bytes) {
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), 64, 10'000'000);
  return verifier.VerifyBuffer<fb::Program>(nullptr);
}

// The floors and the measured in turn, so that a machine whose speed drifts does not favour either. Opening reads the flatbuffer into
// memory of its own before it verifies; the second ratio leaves that copy out of both.
void OpenAgainstPlainVerifier(benchmark::State& state) {
  const MemorySource source(Bytes::Borrow(LargeFlatbuffer()));
  const std::shared_ptr<const ByteSource> shared = source;
  std::string copy(LargeFlatbuffer().size(), '\0');
  double copying = 0;
  double verifying = 0;
  double opening = 0;
  for (auto _ : state) {
    copying += Seconds([&] { std::copy(LargeFlatbuffer().begin(), LargeFlatbuffer().end(), copy.begin()); });
    verifying += Seconds([&] { benchmark::DoNotOptimize(PlainVerify(copy)); });
    const double open = Seconds([&] { benchmark::DoNotOptimize(PteFile::Open(shared)); });
    opening += open;
    state.SetIterationTime(open);
  }
  state.counters["ratio_to_copy_and_plain_verifier"] = opening / (copying + verifying);
  state.counters["ratio_of_checks_to_plain_verifier"] = (opening - copying) / verifying;
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(copy.size()));
}
BENCHMARK(OpenAgainstPlainVerifier)->UseManualTime()->Unit(benchmark::kMillisecond);

// --- Keys.

template <class File>
const File& FileWithKeys(uint32_t count);

template <>
const PteFile& FileWithKeys<PteFile>(uint32_t count) {
  static std::map<uint32_t, PteFile> files;
  const auto found = files.find(count);
  if (found != files.end()) return found->second;
  return files.emplace(count, *PteFile::Open(KeysProgram(count))).first->second;
}

// The floor of a look-up: one read at a random place of a table of 32 bytes a key, and by what it says one at a random place of as much
// memory as keys take. No index that compares the whole key does with less.
double SecondsOfTwoRandomReads(uint32_t count) {
  constexpr size_t kSlot = 4;
  constexpr uint32_t kReads = 1'000'000;
  std::mt19937 random(2);
  std::vector<uint64_t> table(size_t{count} * kSlot);
  for (size_t i = 0; i < table.size(); i += kSlot) table[i] = random() % count;
  std::vector<uint64_t> keys(size_t{count} * kSlot, 1);
  std::vector<uint32_t> places(kReads);
  for (uint32_t& place : places) place = static_cast<uint32_t>(random()) % count;
  uint64_t carried = 0;
  const double seconds = Seconds([&] {
    // Each read waits for the one before, as each look-up waits for its answer.
    for (const uint32_t place : places) carried = keys[table[(place + carried) % count * kSlot] * kSlot] - 1;
  });
  benchmark::DoNotOptimize(carried);
  return seconds / kReads;
}

void LookUp(benchmark::State& state) {
  const auto count = static_cast<uint32_t>(state.range(0));
  const PteFile& file = FileWithKeys<PteFile>(count);
  std::vector<std::string> keys;
  for (uint32_t i = 0; i < count; ++i) keys.push_back("key." + std::to_string(i));
  std::shuffle(keys.begin(), keys.end(), std::mt19937(1));
  const double floor = SecondsOfTwoRandomReads(count);
  size_t next = 0;
  const double total = Seconds([&] {
    for (auto _ : state) {
      benchmark::DoNotOptimize(file.FindNamedData(keys[next]));
      next = next + 1 < keys.size() ? next + 1 : 0;
    }
  });
  state.counters["ratio_to_two_random_reads"] = total / static_cast<double>(state.iterations()) / floor;
}
BENCHMARK(LookUp)->Arg(100'000)->Arg(1'000'000)->ArgName("keys");

void OpenKeys(benchmark::State& state) {
  const std::filesystem::path path = KeysProgram(static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(PteFile::Open(path));
}
BENCHMARK(OpenKeys)->Arg(100'000)->Arg(500'000)->Arg(1'000'000)->ArgName("keys")->Unit(benchmark::kMillisecond);

void OpenPtdKeys(benchmark::State& state) {
  const std::filesystem::path path = KeysDirectory(static_cast<uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(PtdFile::Open(path));
}
BENCHMARK(OpenPtdKeys)->Arg(100'000)->Arg(500'000)->Arg(1'000'000)->ArgName("keys")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pte::bench

BENCHMARK_MAIN();
