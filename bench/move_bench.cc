// What moving engines into a container costs, against copying them in the same run.
//
//   pte_bench --benchmark_filter=Move
//
// Each round makes fresh engines, for ours and for the floor in turn; the first call on them is timed, the removal of the sources included
// on both sides. Set TMPDIR to a folder on another file system to measure there.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/bench_files.h"
#include "pte/save.h"
#include "tests/support/build_file.h"

namespace pte::bench {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr int kRounds = 3;

enum class Cache : uint8_t { kDirty, kCached, kNotCached };

using Paths = std::vector<std::filesystem::path>;

Paths MakeEngines(int count, uint64_t size, Cache cache) {
  Paths paths;
  for (int i = 0; i < count; ++i) {
    paths.push_back(BenchFolder() / ("engine_" + std::to_string(i)));
    std::ofstream out(paths.back(), std::ios::binary);
    std::string block(kMiB, static_cast<char>('a' + i));
    for (uint64_t done = 0; done < size; done += kMiB) {
      block[0] = static_cast<char>(done / kMiB);
      out.write(block.data(), static_cast<std::streamsize>(block.size()));
    }
    out.close();
    if (cache == Cache::kDirty) continue;
    const int fd = ::open(paths.back().c_str(), O_RDONLY | O_CLOEXEC);
    ::fsync(fd);
    if (cache == Cache::kNotCached) benchmark::DoNotOptimize(::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
    ::close(fd);
  }
  return paths;
}

// Copies the engines one after the other into `out` with pread and pwrite, and removes them.
void CopyEngines(const Paths& engines, const std::filesystem::path& out, bool synced) {
  const int to = ::open(out.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  std::string buffer(kMiB, '\0');
  off_t at = 4096;
  for (const std::filesystem::path& engine : engines) {
    const int from = ::open(engine.c_str(), O_RDONLY | O_CLOEXEC);
    off_t done = 0;
    for (ssize_t got = 0; (got = ::pread(from, buffer.data(), buffer.size(), done)) > 0; done += got) {
      benchmark::DoNotOptimize(::pwrite(to, buffer.data(), static_cast<size_t>(got), at + done));
    }
    at += done;
    ::close(from);
  }
  if (synced) ::fsync(to);
  ::close(to);
  for (const std::filesystem::path& engine : engines) std::filesystem::remove(engine);
}

PteContents ContentsOf(benchmark::State& state, const Paths& engines) {
  PteContents contents;
  contents.program = test::MinimalProgram();
  contents.program.segments.clear();
  contents.program.constant_segment.reset();
  for (const std::filesystem::path& engine : engines) {
    const absl::Status added = contents.named_data.Add(engine.filename().string(), *FileBackedData::Give(engine), {.alignment = 4096});
    if (!added.ok()) state.SkipWithError(added.ToString().c_str());
  }
  return contents;
}

SaveReport MoveEngines(benchmark::State& state, const PteContents& contents, const std::filesystem::path& out, bool synced) {
  SaveOptions options;
  options.consume = true;
  options.durability = synced ? Durability::kSynced : Durability::kAtomic;
  absl::StatusOr<SaveReport> report = SavePte(contents, out, {}, options);
  if (!report.ok()) state.SkipWithError(report.status().ToString().c_str());
  return report.ok() ? *std::move(report) : SaveReport();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Comparison {
  double ours = 0;
  double floor = 0;
};

// The medians of moving and of copying fresh engines; between them `floor_work`, where copying is not the floor.
Comparison Compare(benchmark::State& state, int count, uint64_t size, Cache cache, bool synced) {
  const std::filesystem::path out = BenchFolder() / "out";
  std::vector<double> ours;
  std::vector<double> floors;
  for (int round = 0; round < kRounds; ++round) {
    const Paths engines = MakeEngines(count, size, cache);
    const PteContents contents = ContentsOf(state, engines);
    ours.push_back(Seconds([&] { MoveEngines(state, contents, out, synced); }));
    std::filesystem::remove(out);
    const Paths others = MakeEngines(count, size, cache);
    floors.push_back(Seconds([&] { CopyEngines(others, out, synced); }));
    std::filesystem::remove(out);
  }
  return {Median(ours), Median(floors)};
}

// One engine of 1 GiB. cache: 0 dirty, 1 clean and cached, 2 clean and not cached.
void MoveOneEngine(benchmark::State& state) {
  const auto cache = static_cast<Cache>(state.range(0));
  Comparison result;
  for (auto _ : state) result = Compare(state, 1, kGiB, cache, state.range(1) != 0);
  state.counters["ours_ms"] = result.ours * 1e3;
  state.counters["ours_over_copying"] = result.ours / result.floor;
}
BENCHMARK(MoveOneEngine)->ArgsProduct({{0, 1, 2}, {0, 1}})->ArgNames({"cache", "synced"})->Iterations(1)->Unit(benchmark::kMillisecond);

// A dirty engine, synced: what is compared is writing it to the disk, and then moving a clean one.
void MoveDirtyEngineSynced(benchmark::State& state) {
  const std::filesystem::path out = BenchFolder() / "out";
  std::vector<double> ours;
  std::vector<double> floors;
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      const PteContents dirty = ContentsOf(state, MakeEngines(1, kGiB, Cache::kDirty));
      ours.push_back(Seconds([&] { MoveEngines(state, dirty, out, true); }));
      std::filesystem::remove(out);
      const Paths engines = MakeEngines(1, kGiB, Cache::kDirty);
      floors.push_back(Seconds([&] {
        const int fd = ::open(engines[0].c_str(), O_RDONLY | O_CLOEXEC);
        ::fsync(fd);
        ::close(fd);
        MoveEngines(state, ContentsOf(state, engines), out, true);
      }));
      std::filesystem::remove(out);
    }
  }
  state.counters["ours_ms"] = Median(ours) * 1e3;
  state.counters["ours_over_fsync_and_move"] = Median(ours) / Median(floors);
}
BENCHMARK(MoveDirtyEngineSynced)->Iterations(1)->Unit(benchmark::kMillisecond);

uint64_t UsedSpace() {
  struct statvfs fs {};
  ::statvfs(BenchFolder().c_str(), &fs);
  return (fs.f_blocks - fs.f_bfree) * fs.f_frsize;
}

// Twelve engines of 256 MiB: time, and the most disk space and memory that they take up on the way.
void MoveTwelveEngines(benchmark::State& state) {
  constexpr int kCount = 12;
  constexpr uint64_t kSize = 256 * kMiB;
  Comparison result;
  uint64_t peak = 0;
  int64_t grown = 0;
  SaveReport report;
  for (auto _ : state) {
    result = Compare(state, kCount, kSize, Cache::kCached, true);
    ::sync();
    const uint64_t before = UsedSpace();
    const PteContents contents = ContentsOf(state, MakeEngines(kCount, kSize, Cache::kCached));
    std::atomic<bool> done = false;
    std::thread watcher([&] {
      while (!done) {
        peak = std::max(peak, UsedSpace());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    grown = PeakGrowthKiB([&] { report = MoveEngines(state, contents, BenchFolder() / "out", true); });
    done = true;
    watcher.join();
    peak -= before;
    std::filesystem::remove(BenchFolder() / "out");
  }
  state.counters["ours_ms"] = result.ours * 1e3;
  state.counters["ours_over_copying"] = result.ours / result.floor;
  state.counters["peak_beyond_final_MiB"] = (static_cast<double>(peak) - static_cast<double>(report.file_size)) / kMiB;
  state.counters["rss_growth_KiB"] = static_cast<double>(grown);
  state.counters["moved_MiB"] = static_cast<double>(report.bytes_moved / kMiB);
  state.counters["cloned_MiB"] = static_cast<double>(report.bytes_cloned / kMiB);
}
BENCHMARK(MoveTwelveEngines)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pte::bench
