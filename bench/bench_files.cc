#include "bench/bench_files.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <system_error>

#include "tests/support/build_file.h"

namespace pte::bench {
const std::filesystem::path& BenchFolder() {
  struct Owner {
    std::filesystem::path path;
    Owner() {
      std::string name = (std::filesystem::temp_directory_path() / "pte-bench-XXXXXX").string();
      if (::mkdtemp(name.data()) == nullptr) std::abort();
      path = name;
    }
    ~Owner() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Owner owner;
  return owner.path;
}

std::filesystem::path WriteSparse(std::string_view name, std::string_view head, uint64_t size) {
  const std::filesystem::path path = BenchFolder() / name;
  if (std::filesystem::exists(path)) return path;
  std::ofstream(path, std::ios::binary).write(head.data(), static_cast<std::streamsize>(head.size()));
  std::filesystem::resize_file(path, head.size() + size);
  return path;
}

std::filesystem::path KeysProgram(uint32_t count) {
  const std::string name = "keys_" + std::to_string(count) + ".pte";
  if (std::filesystem::exists(BenchFolder() / name)) return BenchFolder() / name;
  return WriteSparse(name, test::WithPteHeader(test::Pack(test::ProgramWithKeys(count, 64)), 64), 64);
}

std::filesystem::path KeysDirectory(uint32_t count) {
  const std::string name = "keys_" + std::to_string(count) + ".ptd";
  if (std::filesystem::exists(BenchFolder() / name)) return BenchFolder() / name;
  test::BaseDirectory base = test::BaseP();
  for (uint32_t i = 0; i < count; ++i) {
    auto row = std::make_unique<fb::flat_tensor::NamedDataT>();
    row->key = "key." + std::to_string(i);
    row->tensor_layout = std::make_unique<fb::flat_tensor::TensorLayoutT>(*base.directory.named_data[0]->tensor_layout);
    base.directory.named_data.push_back(std::move(row));
  }
  return WriteSparse(name, test::Build(base), 0);
}

namespace {

// A line of /proc/self/status, in KiB.
int64_t StatusKiB(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == name) {
      int64_t kib = 0;
      status >> kib;
      return kib;
    }
  }
  return 0;
}

}  // namespace

int64_t ResidentKiB() { return StatusKiB("VmRSS:"); }

int64_t PeakGrowthKiB(const std::function<void()>& work) {
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is now what is resident
  const int64_t before = ResidentKiB();
  work();
  return StatusKiB("VmHWM:") - before;
}

}  // namespace pte::bench
