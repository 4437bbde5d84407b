// Files that the benchmarks read, made once a run in a folder that goes away at its end.
#ifndef PTE_BENCH_BENCH_FILES_H_
#define PTE_BENCH_BENCH_FILES_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace pte::bench {

// The folder of this run.
const std::filesystem::path& BenchFolder();

// What is resident now, and by how much it grew at the most while `work` ran.
int64_t ResidentKiB();
int64_t PeakGrowthKiB(const std::function<void()>& work);

// `head`, and after it a hole up to head + `size`.
std::filesystem::path WriteSparse(std::string_view name, std::string_view head, uint64_t size);

// A .pte and a .ptd with this many keys "key.N".
std::filesystem::path KeysProgram(uint32_t count);
std::filesystem::path KeysDirectory(uint32_t count);

template <class Work>
double Seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace pte::bench

#endif  // PTE_BENCH_BENCH_FILES_H_
