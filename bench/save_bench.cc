// What saving costs, against what the system's own calls cost in the same run.
//
//   pte_bench --benchmark_filter=Save
//
// Each round runs the floors and ours after each other, on fresh files; the counters are ratios of medians: floor_over_ours 1 means as fast
// as the floor, more means faster. The rounds' number is fixed, so that nothing repeats a save that wrote gigabytes.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_files.h"
#include "pte/pte_file.h"
#include "pte/save.h"
#include "tests/support/build_file.h"

namespace pte::bench {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr int kRounds = 5;

void Must(bool ok, benchmark::State& state, const std::string& what) {
  if (!ok) state.SkipWithError(what.c_str());
}
void Must(const absl::Status& status, benchmark::State& state) { Must(status.ok(), state, status.ToString()); }

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Something that makes the file `out`, which is not there yet.
using Writing = std::function<void(const std::filesystem::path& out)>;

// The medians of the ways' times, which alternate.
std::vector<double> Medians(const std::vector<Writing>& ways) {
  std::vector<std::vector<double>> seconds(ways.size());
  const std::filesystem::path out = BenchFolder() / "out";
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < ways.size(); ++i) {
      std::filesystem::remove(out);
      ::sync();
      seconds[i].push_back(Seconds([&] { ways[i](out); }));
    }
  }
  std::filesystem::remove(out);
  std::vector<double> medians;
  for (const std::vector<double>& times : seconds) medians.push_back(Median(times));
  return medians;
}

// A descriptor of a new file, and its end.
template <class Work>
Writing Raw(bool synced, Work work) {
  return [synced, work](const std::filesystem::path& out) {
    const int fd = ::open(out.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    work(fd);
    if (synced) ::fsync(fd);
    ::close(fd);
  };
}

void WriteAll(int fd, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size(); at += kMiB) {
    benchmark::DoNotOptimize(::pwrite(fd, bytes.data() + at, std::min<size_t>(kMiB, bytes.size() - at), static_cast<off_t>(at)));
  }
}

void CopyAll(const std::filesystem::path& from, int to) {
  const int fd = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  while (::copy_file_range(fd, nullptr, to, nullptr, kGiB, 0) > 0) continue;
  ::close(fd);
}

Writing Saving(benchmark::State& state, const PteContents& contents, bool synced) {
  return [&state, &contents, synced](const std::filesystem::path& out) {
    SaveOptions options;
    if (synced) options.durability = Durability::kSynced;
    Must(SavePte(contents, out, {}, options).status(), state);
  };
}

// The smallest program, without payloads.
PteContents Empty() {
  PteContents contents;
  contents.program = test::MinimalProgram();
  contents.program.segments.clear();
  contents.program.constant_segment.reset();
  return contents;
}

std::string Noise(uint64_t size) {
  std::string bytes(size, '\0');
  uint64_t x = 88172645463325252;
  for (size_t i = 0; i + sizeof x <= bytes.size(); i += sizeof x) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    std::copy_n(reinterpret_cast<const char*>(&x), sizeof x, bytes.data() + i);
  }
  return bytes;
}

const std::string& OneGiB() {
  static const std::string bytes = Noise(kGiB);
  return bytes;
}

std::filesystem::path OneGiBFile() {
  const std::filesystem::path path = BenchFolder() / "source";
  if (!std::filesystem::exists(path)) std::ofstream(path, std::ios::binary) << OneGiB();
  return path;
}

void SaveFromMemory(benchmark::State& state) {
  const bool synced = state.range(0) != 0;
  PteContents contents = Empty();
  Must(contents.named_data.Add("weights", Bytes::Borrow(OneGiB())), state);
  std::vector<double> seconds;
  for (auto _ : state) {
    seconds = Medians({Raw(synced, [](int fd) { WriteAll(fd, OneGiB()); }),
                       Raw(synced,
                           [](int fd) {
                             benchmark::DoNotOptimize(::posix_fallocate(fd, 0, kGiB));
                             WriteAll(fd, OneGiB());
                           }),
                       Saving(state, contents, synced)});
  }
  state.counters["ours_ms"] = seconds[2] * 1e3;
  state.counters["pwrite_over_ours"] = seconds[0] / seconds[2];
  state.counters["fallocate_pwrite_over_ours"] = seconds[1] / seconds[2];
}
BENCHMARK(SaveFromMemory)->Arg(0)->Arg(1)->ArgName("synced")->Iterations(1)->Unit(benchmark::kMillisecond);

void SaveFromFile(benchmark::State& state) {
  const bool synced = state.range(0) != 0;
  const std::filesystem::path source = OneGiBFile();
  PteContents contents = Empty();
  Must(contents.named_data.Add("engine", *FileBackedData::Lend(source)), state);
  std::vector<double> seconds;
  for (auto _ : state) {
    seconds = Medians({Raw(synced, [&](int fd) { CopyAll(source, fd); }), Saving(state, contents, synced)});
  }
  state.counters["ours_ms"] = seconds[1] * 1e3;
  state.counters["copy_file_range_over_ours"] = seconds[0] / seconds[1];
}
BENCHMARK(SaveFromFile)->Arg(0)->Arg(1)->ArgName("synced")->Iterations(1)->Unit(benchmark::kMillisecond);

// A program of 1 GiB, read, a method renamed, saved.
void SaveRenamedMethod(benchmark::State& state) {
  const std::filesystem::path program = BenchFolder() / "program.pte";
  PteContents contents = Empty();
  Must(contents.named_data.Add("engine", *FileBackedData::Lend(OneGiBFile())), state);
  Must(SavePte(contents, program).status(), state);
  const auto rename = [&](const std::filesystem::path& out) {
    const absl::StatusOr<PteFile> file = PteFile::Open(program);
    absl::StatusOr<PteContents> renamed = file->ToContents();
    renamed->program.execution_plan[0]->name = "another";
    Must(SavePte(*renamed, out).status(), state);
  };
  std::vector<double> seconds;
  for (auto _ : state) seconds = Medians({Raw(false, [&](int fd) { CopyAll(program, fd); }), rename});
  const int64_t grown = PeakGrowthKiB([&] { rename(BenchFolder() / "out"); });
  state.counters["ours_ms"] = seconds[1] * 1e3;
  state.counters["ours_over_copy"] = seconds[1] / seconds[0];
  state.counters["rss_growth_KiB"] = static_cast<double>(grown);
  std::filesystem::remove(program);
  std::filesystem::remove(BenchFolder() / "out");
}
BENCHMARK(SaveRenamedMethod)->Iterations(1)->Unit(benchmark::kMillisecond);

// Eight files of 1 GiB with 256 MiB of data each, which differ in their first page alone.
void SaveEightFiles(benchmark::State& state) {
  PteContents contents = Empty();
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < 8; ++i) {
    files.push_back(BenchFolder() / ("engine_" + std::to_string(i)));
    std::ofstream(files.back(), std::ios::binary) << std::string(4096, static_cast<char>('a' + i)) << OneGiB().substr(0, 256 * kMiB);
    std::filesystem::resize_file(files.back(), kGiB);
  }
  int64_t grown = 0;
  size_t segments = 0;
  for (auto _ : state) {
    grown = PeakGrowthKiB([&] {
      for (const std::filesystem::path& file : files) Must(contents.named_data.Add(file.string(), *FileBackedData::Lend(file)), state);
      Must(SavePte(contents, BenchFolder() / "out").status(), state);
    });
    segments = PteFile::Open(BenchFolder() / "out")->segments().size();
  }
  state.counters["rss_growth_KiB"] = static_cast<double>(grown);
  state.counters["segments"] = static_cast<double>(segments);
  for (const std::filesystem::path& file : files) std::filesystem::remove(file);
  std::filesystem::remove(BenchFolder() / "out");
}
BENCHMARK(SaveEightFiles)->Iterations(1)->Unit(benchmark::kMillisecond);

double SaveEntries(benchmark::State& state, uint32_t count, bool add_too) {
  PteContents contents = Empty();
  const auto add = [&] {
    for (uint32_t i = 0; i < count; ++i) {
      std::string bytes(64, '\0');
      std::copy_n(reinterpret_cast<const char*>(&i), sizeof i, bytes.data());
      Must(contents.named_data.Add("key." + std::to_string(i), Bytes::FromString(std::move(bytes)), {.alignment = 16}), state);
    }
  };
  const double adding = Seconds(add);
  const double saving = Medians({Saving(state, contents, false)})[0];
  return add_too ? adding + saving : saving;
}

void SaveSmallEntries(benchmark::State& state) {
  const auto count = static_cast<uint32_t>(state.range(0));
  double once = 0;
  double twice = 0;
  for (auto _ : state) {
    once = SaveEntries(state, count, false);
    twice = SaveEntries(state, 2 * count, false);
  }
  state.counters["ours_ms"] = once * 1e3;
  state.counters["with_adding_ms"] = SaveEntries(state, count, true) * 1e3;
  state.counters["twice_over_once"] = twice / once;
}
BENCHMARK(SaveSmallEntries)->Arg(100'000)->ArgName("entries")->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pte::bench
