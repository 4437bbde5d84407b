#include "tests/interop/runner/sweep.h"

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/executor/program.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <new>
#include <optional>

#include "tests/interop/mutations.h"
#include "tests/interop/runner/method_memory.h"
#include "tests/interop/runner/values.h"

namespace pte::interop {
namespace {

using executorch::extension::BufferDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::runtime::Error;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;
using executorch::runtime::Result;

constexpr size_t kPage = 4096;

// What a child tells before it ends, in whatever way: memory that it shares with its parent.
struct Progress {
  const char* stage;  // points into the program, which is the same in both
  Error error;
};
Progress* shared = nullptr;

void* Map(size_t size, int protection, int flags) {
  void* memory = ::mmap(nullptr, size, protection, flags | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

// Bytes as a mapped file has them: from the beginning of a page, zeros behind them, and no page behind those.
class MappedBytes {
 public:
  explicit MappedBytes(size_t most)
      : room_((most + kPage - 1) / kPage * kPage), bytes_(static_cast<char*>(Map(room_ + kPage, PROT_NONE, MAP_PRIVATE))) {}

  BufferDataLoader Loader(const std::string& bytes) {
    const size_t used = (bytes.size() + kPage - 1) / kPage * kPage;
    if (used > 0) ::mprotect(bytes_, used, PROT_READ | PROT_WRITE);
    std::memcpy(bytes_, bytes.data(), bytes.size());
    return {bytes_, bytes.size()};
  }

 private:
  size_t room_;
  char* bytes_;
};

// --- In the child.

void Enter(const char* stage) { shared->stage = stage; }

// Requests that this program, not the runtime, could not meet.
constexpr int64_t kMostMemory = int64_t{64} << 20;

Error CheckPlannedMemory(const MethodMeta& meta) {
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const Result<int64_t> size = meta.memory_planned_buffer_size(i);
    if (!size.ok()) return size.error();
    if (*size > kMostMemory) return Error::MemoryAllocationFailed;
  }
  return Error::Ok;
}

Error CheckInputs(const MethodMeta& meta) {
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    const auto info = meta.input_tensor_meta(i);
    if (info.ok() && info->nbytes() > static_cast<size_t>(kMostMemory)) return Error::MemoryAllocationFailed;
  }
  return Error::Ok;
}

// Reads each byte, as whoever was given them would.
void Touch(const void* data, size_t size) {
  volatile uint8_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum = static_cast<uint8_t>(sum + static_cast<const uint8_t*>(data)[i]);
}

Error ReadOutputs(Method& method) {
  Enter("outputs");
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    const auto& output = method.get_output(i);
    if (output.isTensor()) Touch(output.toTensor().const_data_ptr(), output.toTensor().nbytes());
  }
  return Error::Ok;
}

Error RunMethod(const Program& program, const char* name) {
  Enter("meta");
  const Result<MethodMeta> meta = program.method_meta(name);
  if (!meta.ok()) return meta.error();
  Enter("memory");
  Error error = CheckPlannedMemory(*meta);
  if (error != Error::Ok) return error;
  Enter("method");
  MethodMemory memory(*meta);
  Result<Method> method = program.load_method(name, memory.manager());
  if (!method.ok()) return method.error();
  Enter("inputs");
  error = CheckInputs(*meta);
  if (error == Error::Ok) error = SetInputs(*method);
  if (error != Error::Ok) return error;
  Enter("execute");
  error = method->execute();
  return error == Error::Ok ? ReadOutputs(*method) : error;
}

Error RunProgram(BufferDataLoader& loader, Program::Verification verification) {
  Enter("load");
  const Result<Program> program = Program::load(&loader, verification);
  if (!program.ok()) return program.error();
  for (size_t i = 0; i < program->num_methods(); ++i) {
    Enter("name");
    const Result<const char*> name = program->get_method_name(i);
    const Error error = name.ok() ? RunMethod(*program, *name) : name.error();
    if (error != Error::Ok) return error;
  }
  return Error::Ok;
}

Error ReadKey(const FlatTensorDataMap& map, const std::string& key, std::span<const std::string> with_layout) {
  Enter("data");
  const Result<FreeableBuffer> data = map.get_data(key);
  if (!data.ok()) return data.error();
  Touch(data->data(), data->size());
  // The runtime follows a null pointer where there is no layout.
  if (std::find(with_layout.begin(), with_layout.end(), key) == with_layout.end()) return Error::Ok;
  Enter("layout");
  const auto layout = map.get_tensor_layout(key);
  if (!layout.ok()) return layout.error();
  Touch(layout->sizes().data(), layout->sizes().size() * sizeof(int32_t));
  Touch(layout->dim_order().data(), layout->dim_order().size());
  return Error::Ok;
}

Error ReadData(BufferDataLoader& loader, std::span<const std::string> with_layout) {
  Enter("load");
  const Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
  if (!map.ok()) return map.error();
  const Result<uint32_t> count = map->get_num_keys();
  if (!count.ok()) return count.error();
  for (uint32_t i = 0; i < *count; ++i) {
    Enter("key");
    const Result<const char*> key = map->get_key(i);
    const Error error = key.ok() ? ReadKey(*map, *key, with_layout) : key.error();
    if (error != Error::Ok) return error;
  }
  return Error::Ok;
}

void Limit(int resource, rlim_t most) {
  const rlimit limit{most, most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// --- In the parent.

class Sweeper {
 public:
  using Judge = std::function<Error(BufferDataLoader&)>;

  Sweeper(std::string file, Judge judge) : file_(std::move(file)), judge_(std::move(judge)), memory_(file_.size()) {
    shared = static_cast<Progress*>(Map(kPage, PROT_READ | PROT_WRITE, MAP_SHARED));
  }

  void Run(size_t step) {
    Try("-", file_);
    for (size_t number = 0; number < MutationCount(file_.size()); number += step) {
      const std::string bytes = Mutated(file_, MutationOf(number));
      if (bytes != file_) Try(std::to_string(number), bytes);
    }
  }

 private:
  [[noreturn]] void BeChild(const std::string& bytes) {
    constexpr unsigned kSeconds = 5;
    constexpr rlim_t kProcessorSeconds = 1;
    constexpr rlim_t kMostAddressSpace = rlim_t{4} << 30;
    ::alarm(kSeconds);
    Limit(RLIMIT_CPU, kProcessorSeconds);
    Limit(RLIMIT_AS, kMostAddressSpace);
    BufferDataLoader loader = memory_.Loader(bytes);
    shared->error = judge_(loader);
    ::_exit(0);
  }

  void Try(const std::string& number, const std::string& bytes) {
    *shared = {"start", Error::Internal};
    const pid_t child = ::fork();
    if (child == 0) BeChild(bytes);
    int status = 0;
    ::waitpid(child, &status, 0);
    std::cout << number << " " << Outcome(status) << "\n";
  }

  static std::string Outcome(int status) {
    const std::string stage = shared->stage;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    // The last of them is how the system ends whoever has used up the processor time.
    if (signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL) return "hangs " + stage;
    if (signal != 0) return "crashes " + stage + " " + std::to_string(signal);
    if (shared->error == Error::Ok) return "accepts";
    std::ostringstream code;
    code << "0x" << std::hex << static_cast<unsigned>(shared->error);
    return "refuses " + stage + " " + code.str();
  }

  std::string file_;
  Judge judge_;
  MappedBytes memory_;
};

std::optional<Sweeper::Judge> JudgeOf(const std::string& mode, std::span<const std::string> keys) {
  using Verification = Program::Verification;
  if (mode == "strict") return [](BufferDataLoader& loader) { return RunProgram(loader, Verification::InternalConsistency); };
  if (mode == "minimal") return [](BufferDataLoader& loader) { return RunProgram(loader, Verification::Minimal); };
  if (mode == "ptd") return [keys](BufferDataLoader& loader) { return ReadData(loader, keys); };
  return std::nullopt;
}

// What the runtime has to say about ten thousands of damaged files, and the images of those that crashed it, are of no use.
void BeQuiet() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDERR_FILENO);
  Limit(RLIMIT_CORE, 0);
}

}  // namespace

bool Sweep(std::span<const std::string> args) {
  constexpr size_t kFewest = 3;
  if (args.size() < kFewest) return false;
  const auto judge = JudgeOf(args[0], args.subspan(kFewest));
  const size_t step = std::strtoul(args[1].c_str(), nullptr, 10);
  std::ifstream in(args[2], std::ios::binary);
  if (!judge || step == 0 || !in) return false;
  BeQuiet();
  Sweeper(std::string(std::istreambuf_iterator<char>(in), {}), *judge).Run(step);
  return true;
}

}  // namespace pte::interop
