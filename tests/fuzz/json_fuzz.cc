// JSON in both directions: what a dump writes, any reader of JSON reads, with the names that are in the file; and a manifest of any bytes
// is read, or refused with a status.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "nlohmann/json.hpp"
#include "pte/bpte_file.h"
#include "pte/dump.h"
#include "pte/file_backed_data.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "pte/save.h"
#include "src/cli/manifest_reader.h"
#include "tests/fuzz/require.h"

namespace pte::test {
namespace {

using nlohmann::json;

std::string TextOf(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  Require(value.contains("base64") && absl::Base64Unescape(value["base64"].get<std::string>(), &text), "a text is one, or has its bytes");
  return text;
}

template <class File>
json Dumped(const File& file, bool with_hashes) {
  std::string text;
  StringSink sink(text);
  const absl::Status dumped = DumpJson(file, sink, {.payload_hash = with_hashes, .indent = with_hashes ? 0 : 1});
  if (absl::IsResourceExhausted(dumped)) return nullptr;
  RequireOk(dumped, "what opens can be dumped");
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  Require(document.is_object() && document["pte_json"] == 1, "a dump is JSON");
  return document;
}

// `names` are what the file has in `list`, in its order.
void RequireNames(const json& root, const char* list, const char* member, const std::vector<std::string_view>& names) {
  Require(root.is_object(), "a dump has its root");
  Require(root.value(list, json::array()).size() == names.size(), "a dump has as many items as the file");
  for (size_t i = 0; i < names.size(); ++i) Require(TextOf(root[list][i][member]) == names[i], "a dump has the file's names");
}

// The keys of `entries` stand in the dump's `root`.
template <class File, class Entries>
void DumpWithKeys(const File& file, bool with_hashes, const char* root, const Entries& entries) {
  const json document = Dumped(file, with_hashes);
  if (document.is_null()) return;
  std::vector<std::string_view> keys;
  for (const auto& entry : entries) keys.push_back(entry.key);
  RequireNames(document[root], "named_data", "key", keys);
}

void Dump(const PteFile& file, bool with_hashes) { DumpWithKeys(file, with_hashes, "program", file.named_data()); }
void Dump(const PtdFile& file, bool with_hashes) { DumpWithKeys(file, with_hashes, "flat_tensor", file.entries()); }

void Dump(const BpteFile& file, bool with_hashes) {
  if (!file.program().ok()) return;
  const json document = Dumped(file, with_hashes);
  Require(document.is_null() || document["bundled_program"].is_object(), "a dump has its root");
}

template <class File>
void OpenAndDump(std::string_view bytes) {
  const absl::StatusOr<File> file = File::Open(MemorySource(Bytes::Borrow(bytes)));
  const bool with_hashes = bytes.size() % 2 == 0;
  if (file.ok()) Dump(*file, with_hashes);
}

// The folder has one file, which manifests in the corpus name with its digest.
const std::filesystem::path kFolder = PTE_FUZZ_EXTRACTED;

// As `pack --from` goes on.
void Pack(const std::vector<cli::Input>& inputs) {
  PtdContents contents;
  for (const cli::Input& input : inputs) {
    Require(absl::StartsWith(input.file, kFolder.string() + "/") && std::filesystem::is_regular_file(input.file),
            "a manifest's files are in its folder");
    const absl::StatusOr<FileBackedData> data = FileBackedData::Lend(input.file);
    RequireOk(data, "a manifest's files are there");
    const NamedDataOptions options{.alignment = input.alignment.value_or(1), .tensor_layout = input.layout()};
    if (!contents.named_data.Add(input.key, data->AsRope(), options).ok()) return;
  }
  std::string bytes;
  StringSink sink(bytes);
  if (!WritePtd(contents, sink).ok()) return;
  RequireOk(PtdFile::Open(MemorySource(Bytes::Borrow(bytes))), "what was packed opens");
}

void ReadManifest(std::string_view bytes) {
  const absl::StatusOr<std::vector<cli::Input>> inputs = cli::ReadManifest(kFolder, std::string(bytes));
  if (inputs.ok()) Pack(*inputs);
}

void FuzzJson(std::string_view bytes) {
  constexpr size_t kIdentifier = 4;
  const std::string_view identifier = bytes.substr(std::min(bytes.size(), kIdentifier), 4);
  if (identifier == "ET12") return OpenAndDump<PteFile>(bytes);
  if (identifier == "FT01") return OpenAndDump<PtdFile>(bytes);
  if (identifier == "BP08") return OpenAndDump<BpteFile>(bytes);
  ReadManifest(bytes);
}

}  // namespace
}  // namespace pte::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pte::test::FuzzJson({reinterpret_cast<const char*>(data), size});
  return 0;
}
