#include "src/cli/manifest_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "pte/file_backed_data.h"
#include "src/cli/file_names.h"
#include "src/cli/manifest.h"
#include "src/cli/progress.h"
#include "src/cli/sha256.h"

namespace pte::cli {
namespace {

// More would be luck rather than a wish: every 64th payload at multiples of 128 stands at one of 8192.
constexpr uint64_t kMostAlignmentKept = 4096;

absl::StatusOr<std::string> ReadAll(const std::filesystem::path& path) {
  const absl::StatusOr<std::shared_ptr<const ByteSource>> source = OpenFileSource(path);
  if (!source.ok()) return source.status();
  std::string text((*source)->size(), '\0');
  const absl::Status read = (*source)->ReadAt(0, std::as_writable_bytes(std::span(text)));
  if (!read.ok()) return read;
  return text;
}

// A path below the folder: ROLE/NAME, both as extract makes them.
bool IsManifestPath(std::string_view path) {
  const size_t slash = path.find('/');
  return slash != std::string_view::npos && IsFileName(path.substr(0, slash)) && IsFileName(path.substr(slash + 1));
}

template <class Number>
std::optional<std::vector<Number>> ListOf(const Json& json) {
  if (!json.is_array()) return std::nullopt;
  std::vector<Number> numbers;
  for (const Json& item : json) {
    if (!item.is_number_integer()) return std::nullopt;
    const auto number = item.get<int64_t>();
    if (!std::in_range<Number>(number)) return std::nullopt;
    numbers.push_back(static_cast<Number>(number));
  }
  return numbers;
}

// By name, or by number where the format has no name for it.
std::optional<fb::ScalarType> DtypeOf(const Json& json) {
  if (json.is_string()) return DtypeByName(json.get<std::string>());
  const bool is_number = json.is_number_unsigned() && json.get<uint64_t>() <= INT8_MAX;
  return is_number ? std::optional(static_cast<fb::ScalarType>(json.get<uint8_t>())) : std::nullopt;
}

std::optional<std::string> KeyOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object() || !json.contains("base64") || !json["base64"].is_string()) return std::nullopt;
  std::string key;
  return absl::Base64Unescape(json["base64"].get<std::string>(), &key) ? std::optional(key) : std::nullopt;
}

// null where it is absent.
const Json& Member(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto member = object.find(name);
  return member == object.end() ? kNull : *member;
}

class ManifestReader {
 public:
  explicit ManifestReader(const std::filesystem::path& folder) : folder_(folder), line_(folder.string()) {}

  absl::StatusOr<std::vector<Input>> Read(const Json& entries) {
    for (size_t i = 0; i < entries.size(); ++i) {
      if (Member(entries[i], "role") != RoleName(Role::kNamed)) continue;
      const absl::Status read = ReadEntry(entries[i], absl::StrCat("entries[", i, "]"));
      if (!read.ok()) return read;
    }
    if (inputs_.empty() && !entries.empty()) return absl::InvalidArgumentError(absl::StrCat(Path(), ": it lists no named data to pack"));
    return std::move(inputs_);
  }

 private:
  std::string Path() const { return (folder_ / kManifestName).string(); }
  absl::Status Wrong(const std::string& what) const { return absl::DataLossError(absl::StrCat(Path(), ": ", what)); }

  absl::Status ReadEntry(const Json& entry, const std::string& place) {
    const std::optional<std::string> key = KeyOf(Member(entry, "key"));
    if (!key) return Wrong(place + ".key: wanted a text or {\"base64\": ...}");
    const Json& path = Member(entry, "path");
    if (!path.is_string() || !IsManifestPath(path.get<std::string>())) return Wrong(place + ".path: wanted ROLE/NAME as extract writes it");
    const Json& sha256 = Member(entry, "sha256");
    if (!sha256.is_string()) return Wrong(place + ".sha256: wanted a text");
    Input input;
    input.key = *key;
    input.file = (folder_ / path.get<std::string>()).string();
    const Json& alignment = Member(entry, "alignment");
    if (alignment.is_number_unsigned()) input.alignment = std::clamp<uint64_t>(alignment.get<uint64_t>(), 1, kMostAlignmentKept);
    if (!ReadLayout(entry, input)) return Wrong(place + ": wanted all or none of dtype, sizes and dim_order");
    const absl::Status same = CheckHash(input.file, sha256.get<std::string>());
    if (same.ok()) inputs_.push_back(std::move(input));
    return same;
  }

  static bool ReadLayout(const Json& entry, Input& input) {
    const Json& dtype = Member(entry, "dtype");
    const Json& sizes = Member(entry, "sizes");
    const Json& dim_order = Member(entry, "dim_order");
    if (dtype.is_null() && sizes.is_null() && dim_order.is_null()) return true;
    input.dtype = DtypeOf(dtype);
    input.sizes = ListOf<int32_t>(sizes);
    input.dim_order = ListOf<uint8_t>(dim_order);
    return input.dtype && input.sizes && input.dim_order;
  }

  // Several entries may share a file, which is read once.
  absl::Status CheckHash(const std::string& file, const std::string& wanted) {
    auto known = hashes_.find(file);
    if (known == hashes_.end()) {
      const absl::StatusOr<FileBackedData> data = FileBackedData::Lend(file);
      if (!data.ok()) return data.status();
      const absl::StatusOr<std::string> hash = Sha256(data->AsRope(), [&](uint64_t done) { line_.Show(file, done, data->size()); });
      if (!hash.ok()) return hash.status();
      known = hashes_.emplace(file, *hash).first;
    }
    if (known->second == wanted) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(file, ": not what was extracted; wanted SHA-256 ", wanted, ", found ", known->second));
  }

  std::filesystem::path folder_;
  ProgressLine line_;
  std::vector<Input> inputs_;
  std::map<std::string, std::string> hashes_;
};

absl::StatusOr<Json> ParseManifest(const std::filesystem::path& manifest, const std::string& text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !Member(json, "entries").is_array()) {
    return absl::DataLossError(absl::StrCat(manifest.string(), ": this is no manifest that extract wrote"));
  }
  if (Member(json, "pte_json") != kJsonVersion) {
    return absl::UnimplementedError(absl::StrCat(manifest.string(), ": pte_json: another version; wanted ", kJsonVersion));
  }
  return json;
}

}  // namespace

absl::StatusOr<Json> ReadManifestJson(const std::filesystem::path& manifest) {
  const absl::StatusOr<std::string> text = ReadAll(manifest);
  return text.ok() ? ParseManifest(manifest, *text) : text.status();
}

absl::StatusOr<std::vector<Input>> ReadManifest(const std::filesystem::path& folder) {
  const absl::StatusOr<std::string> text = ReadAll(folder / kManifestName);
  return text.ok() ? ReadManifest(folder, *text) : text.status();
}

absl::StatusOr<std::vector<Input>> ReadManifest(const std::filesystem::path& folder, const std::string& text) {
  const absl::StatusOr<Json> json = ParseManifest(folder / kManifestName, text);
  return json.ok() ? ManifestReader(folder).Read((*json)["entries"]) : json.status();
}

}  // namespace pte::cli
