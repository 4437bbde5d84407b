// Payloads in files of their own: names, the manifest, what is shared, what is refused.
#include <set>

#include "gmock/gmock.h"
#include "tests/cli/tool.h"
#include "tests/support/build_file.h"
#include "tests/support/sha256.h"

namespace pte::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;
using testing::UnorderedElementsAre;

// The text that a name in the folder stands for; a cut name stands for its beginning.
std::string Decoded(const std::string& name) {
  std::string text;
  for (size_t i = 0; i < name.size() && name[i] != '~'; ++i) {
    if (name[i] != '%') {
      text += name[i];
    } else if (i + 2 < name.size()) {
      text += static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
  }
  return text;
}

// A .ptd of blobs with these keys, each of one byte: "a", "b", ...
std::string DataWithKeys(const std::vector<std::string>& keys) {
  fb::flat_tensor::FlatTensorT directory;
  std::string data;
  for (const std::string& key : keys) {
    auto row = std::make_unique<fb::flat_tensor::NamedDataT>();
    row->key = key;
    row->segment_index = static_cast<uint32_t>(directory.segments.size());
    directory.named_data.push_back(std::move(row));
    auto segment = std::make_unique<fb::flat_tensor::DataSegmentT>();
    segment->offset = data.size();
    segment->size = 1;
    directory.segments.push_back(std::move(segment));
    data += static_cast<char>('a' + data.size());
  }
  return WithPtdHeader(Pack(directory), data.size()) + data;
}

// What is extracted from `bytes`, by path; the manifest apart.
std::map<std::string, std::string> Extracted(const std::string& bytes) {
  const TempDir dir;
  WriteFile(dir / "x.ptd", bytes);
  const ToolResult result = RunTool({"extract", "x.ptd", "-o", "parts"}, {.directory = dir.path()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out + result.err, "");
  std::map<std::string, std::string> files = FilesBelow(dir / "parts");
  EXPECT_EQ(files.erase("manifest.json"), 1);
  std::erase_if(files, [](const auto& file) { return file.second == "/"; });
  EXPECT_THAT(FilesBelow(dir.path()), testing::Contains(Key("x.ptd")));
  return files;
}

TEST(Extract, EveryFixtureByteForByte) {
  for (const std::string& name : FixtureNames()) {
    const TempDir dir;
    const ToolResult result = RunTool({"extract", name, "-o", dir / "parts"});
    ASSERT_EQ(result.exit_code, 0) << name << ": " << result.err;
    EXPECT_EQ(result.out + result.err, "") << name;
    const Json manifest = Json::parse(ReadFile(dir / "parts/manifest.json"));
    EXPECT_EQ(manifest.begin().key(), "pte_json");
    EXPECT_EQ(manifest["file"], name);
    Json listed = Entries({name});
    ASSERT_EQ(manifest["entries"].size(), listed.size()) << name;
    const std::string whole = ReadFile(Fixtures() / name);
    std::set<std::string> paths = {"manifest.json"};
    for (size_t i = 0; i < listed.size(); ++i) {
      Json entry = manifest["entries"][i];
      const std::string path = entry["path"];
      const std::string bytes = whole.substr(entry["offset"].get<size_t>(), entry["size"].get<size_t>());
      EXPECT_EQ(ReadFile(dir / "parts" / path), bytes) << name << entry;
      EXPECT_EQ(entry["sha256"], Sha256(bytes)) << name << entry;
      entry.erase("path");
      entry.erase("sha256");
      EXPECT_EQ(entry, listed[i]) << name;
      paths.insert(path);
    }
    for (const auto& [path, bytes] : FilesBelow(dir / "parts")) EXPECT_TRUE(bytes == "/" || paths.contains(path)) << name << ": " << path;
  }
}

TEST(Extract, ManifestAsRecorded) {
  const TempDir dir;
  ASSERT_EQ(RunTool({"extract", "flat_tensor_shared.ptd", "-o", dir / "parts"}).exit_code, 0);
  ExpectGolden("manifest_flat_tensor_shared.json", ReadFile(dir / "parts/manifest.json"));
}

TEST(Extract, NamesSayWhatTheyAre) {
  const TempDir dir;
  const auto names = [&](const char* file) {
    const std::filesystem::path out = dir / file;
    EXPECT_EQ(RunTool({"extract", file, "-o", out}).exit_code, 0);
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : FilesBelow(out)) {
      if (bytes != "/") paths.push_back(path);
    }
    return paths;
  };
  EXPECT_THAT(names("partially_delegated.pte"),
              UnorderedElementsAre("manifest.json", "constant/1", "delegate/forward-0", "delegate/forward-1", "delegate/forward-2",
                                   "delegate/forward-3", testing::StartsWith("named/"), testing::StartsWith("named/"),
                                   testing::StartsWith("named/"), testing::StartsWith("named/"), testing::StartsWith("named/"),
                                   testing::StartsWith("named/")));
  EXPECT_THAT(names("bundled_add.bpte"), testing::IsSupersetOf({"test/forward-0-input-0", "test/forward-0-output-0", "manifest.json"}));
  EXPECT_THAT(names("mutable_buffer_init.pte"), testing::Contains("mutable/1"));
}

TEST(Extract, NoKeyIsAPath) {
  using std::string_literals::operator""s;
  const std::vector<std::string> keys = {"../../x",   "/etc/passwd", "..", ".",    ".hidden", "a\0b"s,
                                         "new\nline", "a/b\\c:d*",   "",   "end.", "%41",     "~2"};
  const std::map<std::string, std::string> files = Extracted(DataWithKeys(keys));
  std::vector<std::string> decoded;
  for (const auto& [path, bytes] : files) {
    ASSERT_EQ(path.rfind("named/", 0), 0) << path;
    const std::string name = path.substr(6);
    EXPECT_EQ(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-%"), std::string::npos) << name;
    EXPECT_NE(name.front(), '.');
    decoded.push_back(Decoded(name));
    EXPECT_EQ(bytes, std::string(1, static_cast<char>('a' + (std::find(keys.begin(), keys.end(), decoded.back()) - keys.begin()))));
  }
  EXPECT_THAT(decoded, testing::UnorderedElementsAreArray(keys));
}

TEST(Extract, LongKeysAreCutAndStayApart) {
  const std::string stem(5000, 'k');
  const std::string escaped(100, '/');
  const std::map<std::string, std::string> files = Extracted(DataWithKeys({stem + "1", stem + "2", escaped, std::string(200, 'x')}));
  const std::string cut = "named/" + std::string(200, 'k') + "~";
  EXPECT_THAT(files, UnorderedElementsAre(
                         Pair(cut + Sha256(stem + "1").substr(0, 16), "a"), Pair(cut + Sha256(stem + "2").substr(0, 16), "b"),
                         Pair(testing::MatchesRegex("named/(%2F){66}~[0-9a-f]{16}"), "c"), Pair("named/" + std::string(200, 'x'), "d")));
}

TEST(Extract, NamesDifferWithoutTheirCase) {
  EXPECT_THAT(
      Extracted(DataWithKeys({"Bias", "bias", "BIAS", "bias~2"})),
      UnorderedElementsAre(Pair("named/Bias", "a"), Pair("named/bias~2", "b"), Pair("named/BIAS~3", "c"), Pair("named/bias%7E2", "d")));
}

TEST(Extract, PayloadsAtOnePlaceShareAFile) {
  const TempDir dir;
  const Json report = RunJson({"extract", "--json", "flat_tensor_shared.ptd", "-o", dir / "parts"});
  std::map<std::string, std::string> paths;
  for (const Json& payload : report["payloads"]) paths[payload["key"]] = payload["path"];
  EXPECT_EQ(paths["weight"], "named/weight");
  EXPECT_EQ(paths["tied"], "named/weight");
  EXPECT_FALSE(std::filesystem::exists(dir / "parts/named/tied"));
}

TEST(Extract, MatchSelectsNamedData) {
  const TempDir dir;
  ASSERT_EQ(RunTool({"extract", "flat_tensor_shared.ptd", "-o", dir / "parts", "--match", "[a-m]*"}).exit_code, 0);
  EXPECT_THAT(FilesBelow(dir / "parts"), ElementsAre(Key("manifest.json"), Key("named"), Key("named/bytes")));
  ASSERT_EQ(RunTool({"extract", "flat_tensor_shared.ptd", "-o", dir / "none", "--match", "nothing"}).exit_code, 0);
  EXPECT_THAT(FilesBelow(dir / "none"), ElementsAre(Key("manifest.json")));
}

TEST(Extract, DryRunWritesNothing) {
  const TempDir dir;
  const ToolResult result = RunTool({"extract", "linear_xnnpack.pte", "-o", dir / "parts", "--dry-run"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.substr(result.out.rfind('\n', result.out.size() - 2) + 1).substr(0, 19), "extra disk needed: ");
  EXPECT_THAT(FilesBelow(dir.path()), IsEmpty());
  const Json plan = RunJson({"extract", "linear_xnnpack.pte", "-o", dir / "parts", "--dry-run", "--json"});
  ASSERT_EQ(RunTool({"extract", "linear_xnnpack.pte", "-o", dir / "parts"}).exit_code, 0);
  uint64_t total = 0;
  for (const Json& file : plan["files"]) {
    EXPECT_EQ(std::filesystem::file_size(dir / "parts" / file["path"].get<std::string>()), file["size"]);
    total += file["size"].get<uint64_t>();
  }
  EXPECT_EQ(plan["extra_disk"], total);
}

TEST(Extract, AnEmptyFolderIsFilledAndAFullOneRefused) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "parts");
  EXPECT_EQ(RunTool({"extract", Fixtures() / "add.pte", "-o", "parts"}, {.directory = dir.path()}).exit_code, 0);
  const std::map<std::string, std::string> before = FilesBelow(dir.path());
  const ToolResult full = RunTool({"extract", Fixtures() / "add.pte", "-o", "parts"}, {.directory = dir.path()});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_EQ(full.err, "pte: parts: the folder is not empty; wanted an empty one, or a new name\n");
  EXPECT_EQ(FilesBelow(dir.path()), before);
}

TEST(Extract, RefusalsLeaveNothing) {
  const TempDir dir;
  WriteFile(dir / "file", "");
  WriteFile(dir / "cut.pte", ReadFile(Fixtures() / "add.pte").substr(0, 100));
  const std::map<std::string, std::string> before = FilesBelow(dir.path());
  const auto refusal = [&](const std::vector<std::string>& args) {
    const ToolResult result = RunTool(args, {.directory = dir.path()});
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(args);
    EXPECT_EQ(FilesBelow(dir.path()), before) << testing::PrintToString(args);
    return result.err;
  };
  const std::string good = Fixtures() / "add.pte";
  EXPECT_EQ(refusal({"extract", good, "-o", "file"}), "pte: file: looking into the folder: Not a directory\n");
  EXPECT_EQ(refusal({"extract", good, "-o", "missing/parts"}), "pte: missing/parts: making the folder: No such file or directory\n");
  EXPECT_THAT(refusal({"extract", "cut.pte", "-o", "parts"}), testing::StartsWith("pte: cut.pte: "));
  EXPECT_EQ(refusal({"extract", "missing.pte", "-o", "parts"}), "pte: missing.pte: opening for reading: No such file or directory\n");
  EXPECT_THAT(refusal({"extract", good}), testing::StartsWith("pte: "));
}

// A file of a few hundred bytes that asks for thousands of files of the same gigabyte would fill any disk.
TEST(Extract, OverlappingPayloadsAreRefused) {
  fb::flat_tensor::FlatTensorT directory;
  for (uint32_t i = 0; i < 3; ++i) {
    auto row = std::make_unique<fb::flat_tensor::NamedDataT>();
    row->key = std::to_string(i);
    row->segment_index = i;
    directory.named_data.push_back(std::move(row));
    auto segment = std::make_unique<fb::flat_tensor::DataSegmentT>();
    segment->offset = i;
    segment->size = 4000;
    directory.segments.push_back(std::move(segment));
  }
  const TempDir dir;
  WriteFile(dir / "x.ptd", WithPtdHeader(Pack(directory), 4002) + std::string(4002, 'x'));
  const std::string size = std::to_string(std::filesystem::file_size(dir / "x.ptd"));
  const ToolResult result = RunTool({"extract", "x.ptd", "-o", "parts"}, {.directory = dir.path()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "pte: x.ptd: its payloads overlap: extracting them would write more than the file's " + size + " bytes\n");
  EXPECT_FALSE(std::filesystem::exists(dir / "parts"));
}

}  // namespace
}  // namespace pte::test
