// What opening a large container costs in memory and in bytes read.
//
// Counters: growth of the resident set, bytes read beyond head and flatbuffer (must be 0), size of the container.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "bench/bench_files.h"
#include "pte/bpte_file.h"
#include "pte/dump.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "tests/support/build_file.h"

namespace pte::bench {
namespace {

constexpr uint64_t kPayload = uint64_t{384} << 20;

class CountingReads final : public ByteSource {
 public:
  explicit CountingReads(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}
  uint64_t size() const override { return source_->size(); }
  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    bytes_ += out.size();
    return source_->ReadAt(offset, out);
  }
  uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<const ByteSource> source_;
  mutable std::atomic<uint64_t> bytes_ = 0;
};

std::filesystem::path NamedData() {
  return WriteSparse("named.pte", test::WithPteHeader(test::Pack(test::ProgramWithKeys(6, kPayload)), kPayload), kPayload);
}

std::filesystem::path Delegate() {
  test::BaseProgram base = test::BaseA();
  base.program.segments[1]->size = kPayload - 128;
  return WriteSparse("delegate.pte", test::WithPteHeader(test::Pack(base.program), kPayload), kPayload);
}

std::filesystem::path Constants() {
  test::BaseProgram base = test::BaseA();
  base.program.segments[0] = test::SegmentRow(128, kPayload - 128);
  base.program.segments[1] = test::SegmentRow(0, 99);
  return WriteSparse("constants.pte", test::WithPteHeader(test::Pack(base.program), kPayload), kPayload);
}

std::filesystem::path Tensors() {
  test::BaseDirectory base = test::BaseP();
  base.directory.segments[2]->size = kPayload - 256;
  return WriteSparse("tensors.ptd", test::WithPtdHeader(test::Pack(base.directory), kPayload), kPayload);
}

std::filesystem::path Bundle() {
  fb::bundled::BundledProgramT bundle = test::BaseQ();
  bundle.program.resize(kPayload);
  return WriteSparse("bundle.bpte", test::Pack(bundle), 0);
}

template <class File>
void OpenLarge(benchmark::State& state, std::filesystem::path (*make)()) {
  const std::filesystem::path path = make();
  benchmark::DoNotOptimize(File::Open(path));  // code pages
  int64_t grown = 0;
  for (auto _ : state) {
    const int64_t before = ResidentKiB();
    const absl::StatusOr<File> file = File::Open(path);
    grown = std::max(grown, ResidentKiB() - before);
    if (!file.ok()) state.SkipWithError(file.status().ToString().c_str());
  }
  const auto counting = std::make_shared<CountingReads>(*OpenFileSource(path));
  const absl::StatusOr<File> file = File::Open(counting);
  state.counters["rss_growth_KiB"] = static_cast<double>(grown);
  state.counters["bytes_read"] = static_cast<double>(counting->bytes());
  state.counters["file_MiB"] = static_cast<double>(counting->size() >> 20);
}
void OpenNamedData(benchmark::State& state) { OpenLarge<PteFile>(state, NamedData); }
BENCHMARK(OpenNamedData);
void OpenDelegate(benchmark::State& state) { OpenLarge<PteFile>(state, Delegate); }
BENCHMARK(OpenDelegate);
void OpenConstants(benchmark::State& state) { OpenLarge<PteFile>(state, Constants); }
BENCHMARK(OpenConstants);
void OpenTensors(benchmark::State& state) { OpenLarge<PtdFile>(state, Tensors); }
BENCHMARK(OpenTensors);
void OpenBundle(benchmark::State& state) { OpenLarge<BpteFile>(state, Bundle); }
BENCHMARK(OpenBundle);

// --- Dumping streams: memory does not grow with what is written.

class DiscardSink final : public ByteSink {
 public:
  absl::Status Append(std::span<const std::byte> bytes) override {
    bytes_ += bytes.size();
    return absl::OkStatus();
  }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

void DumpLargeProgram(benchmark::State& state) {
  const std::filesystem::path path = WriteSparse("large.pte", test::Pack(test::LargeProgram(800'000)), 0);
  const absl::StatusOr<PteFile> file = PteFile::Open(path);
  if (!file.ok()) state.SkipWithError(file.status().ToString().c_str());
  int64_t grown = 0;
  uint64_t written = 0;
  for (auto _ : state) {
    const int64_t before = ResidentKiB();
    DiscardSink sink;
    if (!DumpJson(*file, sink).ok()) state.SkipWithError("the dump failed");
    grown = std::max(grown, ResidentKiB() - before);
    written = sink.bytes();
  }
  state.counters["rss_growth_KiB"] = static_cast<double>(grown);
  state.counters["flatbuffer_MiB"] = static_cast<double>(file->header().program_size >> 20);
  state.counters["json_MiB"] = static_cast<double>(written >> 20);
}
BENCHMARK(DumpLargeProgram)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pte::bench
