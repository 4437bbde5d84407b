// Asks the ExecuTorch runtime about containers; prints one JSON document. Links the runtime and nothing of the library under test: both
// have code of flatbuffers in them, and what this program says must not depend on ours.
//
//   pte_interop_runner run F.pte [D.ptd ...]   executes every method twice on ones, with the external data of all D.ptd
//   pte_interop_runner ptd F.ptd [KEY ...]     digests of every key's data; the layouts of the named keys
//   pte_interop_runner sweep ...               see sweep.h; prints lines
//
// "load" is null where the runtime accepts the container, else its refusal. `run` answers {"load", "methods": {NAME: {"inputs",
// "outputs"}}, "run": as in the fact files}, `ptd` answers {"load", "keys": [{"key", "size", "sha256", "layout"}]}. Exit code 0 with an
// answer, 2 without.
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/interop/runner/method_memory.h"
#include "tests/interop/runner/sweep.h"
#include "tests/interop/runner/values.h"

namespace pte::interop {
namespace {

using executorch::extension::FlatTensorDataMap;
using executorch::extension::MmapDataLoader;
using executorch::extension::merged_data_map::MergedDataMap;
using executorch::runtime::Error;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::NamedDataMap;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Span;
using executorch::runtime::Tag;
using nlohmann::json;

std::string Reason(const std::string& what, Error error) {
  std::ostringstream text;
  text << what << ": error 0x" << std::hex << std::setw(2) << std::setfill('0') << static_cast<unsigned>(error);
  return text.str();
}

// A .ptd that is open, and what reads it.
struct DataFile {
  MmapDataLoader loader;
  std::optional<FlatTensorDataMap> map;
};

// Without the map where the runtime refuses; `refusal` says why.
std::unique_ptr<DataFile> OpenData(const std::string& path, std::string& refusal) {
  Result<MmapDataLoader> loader = MmapDataLoader::from(path.c_str(), MmapDataLoader::MlockConfig::NoMlock);
  if (!loader.ok()) {
    refusal = Reason("opening a data file", loader.error());
    return nullptr;
  }
  auto file = std::make_unique<DataFile>(DataFile{std::move(*loader), std::nullopt});
  Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&file->loader);
  if (!map.ok()) {
    refusal = Reason("loading a data file", map.error());
    return nullptr;
  }
  file->map.emplace(std::move(*map));
  return file;
}

const char* KindName(Tag tag) {
  switch (tag) {
    case Tag::Tensor: return "Tensor";
    case Tag::Int: return "Int";
    case Tag::Double: return "Double";
    case Tag::Bool: return "Bool";
    case Tag::String: return "String";
    case Tag::None: return "Null";
    default: return "another kind";
  }
}

template <class Info>
json TensorFacts(const Info& info) {
  return {{"dtype", DtypeName(info.scalar_type())},
          {"sizes", Numbers(std::span(info.sizes().data(), info.sizes().size()))},
          {"dim_order", Numbers(std::span(info.dim_order().data(), info.dim_order().size()))}};
}

json ValueFacts(const Result<Tag>& tag, const auto& tensor_info) {
  if (!tag.ok()) return Reason("tag", tag.error());
  json facts = {{"type", KindName(*tag)}};
  if (*tag != Tag::Tensor) return facts;
  const auto info = tensor_info();
  if (!info.ok()) return Reason("tensor", info.error());
  facts.update(TensorFacts(*info));
  return facts;
}

json MethodFacts(const MethodMeta& meta) {
  json facts = {{"inputs", json::array()}, {"outputs", json::array()}};
  for (size_t i = 0; i < meta.num_inputs(); ++i)
    facts["inputs"].push_back(ValueFacts(meta.input_tag(i), [&] { return meta.input_tensor_meta(i); }));
  for (size_t i = 0; i < meta.num_outputs(); ++i)
    facts["outputs"].push_back(ValueFacts(meta.output_tag(i), [&] { return meta.output_tensor_meta(i); }));
  return facts;
}

// {"outputs"}, or with "reason" where there are none.
json Execute(Method& method) {
  Error error = SetInputs(method);
  if (error != Error::Ok) return {{"outputs", nullptr}, {"reason", Reason("setting the inputs", error)}};
  error = method.execute();
  if (error != Error::Ok) return {{"outputs", nullptr}, {"reason", Reason("executing", error)}};
  json outputs = json::array();
  for (size_t i = 0; i < method.outputs_size(); ++i) outputs.push_back(Output(method.get_output(i)));
  return {{"outputs", outputs}};
}

// `second_call` only where it differs: that is how the fact files tell state from none.
json RunMethod(const Program& program, const MethodMeta& meta, const NamedDataMap* data) {
  MethodMemory memory(meta);
  Result<Method> method = program.load_method(meta.name(), memory.manager(), nullptr, data);
  if (!method.ok()) return {{"outputs", nullptr}, {"reason", Reason("loading the method", method.error())}};
  json answer = Execute(*method);
  if (answer["outputs"].is_null()) return answer;
  const json second = Execute(*method);
  if (second != answer) answer["second_call"] = second["outputs"].is_null() ? second["reason"] : second["outputs"];
  return answer;
}

void RunMethods(const Program& program, const NamedDataMap* data, json& answer) {
  for (size_t i = 0; i < program.num_methods(); ++i) {
    const std::string name = program.get_method_name(i).get();
    const Result<MethodMeta> meta = program.method_meta(name.c_str());
    if (!meta.ok()) {
      answer["methods"][name] = Reason("reading about the method", meta.error());
      continue;
    }
    answer["methods"][name] = MethodFacts(*meta);
    answer["run"][name] = RunMethod(program, *meta, data);
  }
}

json RunWithData(const std::string& path, const NamedDataMap* data) {
  json answer = {{"load", nullptr}, {"methods", json::object()}, {"run", json::object()}};
  Result<MmapDataLoader> loader = MmapDataLoader::from(path.c_str(), MmapDataLoader::MlockConfig::NoMlock);
  if (!loader.ok()) {
    answer["load"] = Reason("opening the program", loader.error());
    return answer;
  }
  const Result<Program> program = Program::load(&*loader, Program::Verification::InternalConsistency);
  if (!program.ok()) {
    answer["load"] = Reason("loading the program", program.error());
    return answer;
  }
  RunMethods(*program, data, answer);
  return answer;
}

json Run(const std::string& path, std::span<const std::string> data_paths) {
  std::vector<std::unique_ptr<DataFile>> files;
  std::vector<const NamedDataMap*> maps;
  for (const std::string& data_path : data_paths) {
    std::string refusal;
    files.push_back(OpenData(data_path, refusal));
    if (files.back() == nullptr) return {{"load", refusal}};
    maps.push_back(&*files.back()->map);
  }
  if (maps.empty()) return RunWithData(path, nullptr);
  const Result<MergedDataMap> merged = MergedDataMap::load(Span<const NamedDataMap*>(maps.data(), maps.size()));
  if (!merged.ok()) return {{"load", Reason("merging the data files", merged.error())}};
  return RunWithData(path, &*merged);
}

json Key(const FlatTensorDataMap& map, const std::string& key, bool has_layout) {
  json facts = {{"key", key}, {"layout", nullptr}};
  const auto data = map.get_data(key);
  if (!data.ok()) {
    facts["reason"] = Reason("reading the data", data.error());
  } else {
    facts["size"] = data->size();
    facts["sha256"] = Sha256({static_cast<const std::byte*>(data->data()), data->size()});
  }
  if (!has_layout) return facts;
  const auto layout = map.get_tensor_layout(key);
  facts["layout"] = layout.ok() ? TensorFacts(*layout) : json(Reason("reading the layout", layout.error()));
  return facts;
}

// The runtime follows a null pointer when it is asked for the layout of data that has none, so the caller says which keys have one.
json Ptd(const std::string& path, std::span<const std::string> with_layout) {
  json answer = {{"load", nullptr}, {"keys", json::array()}};
  std::string refusal;
  const std::unique_ptr<DataFile> file = OpenData(path, refusal);
  if (file == nullptr) {
    answer["load"] = refusal;
    return answer;
  }
  const uint32_t count = file->map->get_num_keys().get();
  for (uint32_t i = 0; i < count; ++i) {
    const std::string key = file->map->get_key(i).get();
    const bool has_layout = std::find(with_layout.begin(), with_layout.end(), key) != with_layout.end();
    answer["keys"].push_back(Key(*file->map, key, has_layout));
  }
  return answer;
}

int Main(std::span<const std::string> args) {
  constexpr int kNoAnswer = 2;
  const std::string verb = args.size() < 2 ? "" : args[0];
  if (verb != "run" && verb != "ptd" && verb != "sweep") {
    std::cerr << "usage: pte_interop_runner run F.pte [D.ptd ...]\n       pte_interop_runner ptd F.ptd [KEY ...]\n       " << kSweepUsage
              << "\n";
    return kNoAnswer;
  }
  executorch::runtime::runtime_init();
  if (verb == "sweep") return Sweep(args.subspan(1)) ? 0 : kNoAnswer;
  const json answer = verb == "run" ? Run(args[1], args.subspan(2)) : Ptd(args[1], args.subspan(2));
  std::cout << answer.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
  return 0;
}

}  // namespace
}  // namespace pte::interop

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return pte::interop::Main(args);
}
