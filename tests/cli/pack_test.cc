// New data files from files, and the way back from what extract wrote.
#include "gmock/gmock.h"
#include "tests/cli/tool.h"
#include "tests/support/sha256.h"

namespace pte::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// What must be the same after a round trip: all but places.
Json FactsOf(const std::filesystem::path& file) {
  const std::string whole = ReadFile(file);
  Json facts = Json::array();
  for (Json entry : Entries({file})) {
    if (entry["role"] != "named") continue;
    Json fact;
    fact["key"] = entry["key"];
    for (const char* member : {"size", "dtype", "sizes", "dim_order"}) fact[member] = entry[member];
    fact["sha256"] = Sha256(whole.substr(entry["offset"].get<size_t>(), entry["size"].get<size_t>()));
    facts.push_back(fact);
  }
  return facts;
}

class PackTest : public testing::Test {
 protected:
  PackTest() {
    WriteFile(dir_ / "w.bin", "0123456789abcdefghijklmn");
    WriteFile(dir_ / "b.bin", "12345678");
  }

  ToolResult Run(const std::vector<std::string>& args) const { return RunTool(args, {.directory = dir_.path()}); }
  Json List(const std::string& file) const { return Entries({file}, {.directory = dir_.path()}); }

  // The message of a refusal that leaves the folder as it is.
  std::string Refusal(std::vector<std::string> args) const {
    args.insert(args.begin(), "pack");
    const std::map<std::string, std::string> before = FilesBelow(dir_.path());
    const ToolResult result = Run(args);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(args);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(FilesBelow(dir_.path()), before) << testing::PrintToString(args);
    return result.err;
  }

  TempDir dir_;
};

TEST_F(PackTest, FilesBecomeNamedData) {
  const ToolResult packed = Run({"pack", "-o", "x.ptd", "weight=w.bin", "bias=b.bin"});
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_EQ(packed.out + packed.err, "");
  EXPECT_EQ(Run({"cat", "x.ptd", "weight"}).out, ReadFile(dir_ / "w.bin"));
  EXPECT_EQ(Run({"cat", "x.ptd", "bias"}).out, ReadFile(dir_ / "b.bin"));
  const Json entries = List("x.ptd");
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0]["dtype"], nullptr);
  EXPECT_EQ(Run({"verify", "--strict", "x.ptd"}).out, "x.ptd: ok\n");
}

TEST_F(PackTest, LayoutsAndAlignments) {
  const ToolResult packed = Run({"pack", "w=w.bin", "s=b.bin", "-o", "x.ptd", "--dtype", "w=float32", "--shape", "w=2,3", "--dim-order",
                                 "w=1,0", "--dtype", "s=int64", "--shape", "s=", "--align", "s=4096"});
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  const Json entries = List("x.ptd");
  EXPECT_EQ(entries[0]["dtype"], "float32");
  EXPECT_EQ(entries[0]["sizes"], Json({2, 3}));
  EXPECT_EQ(entries[0]["dim_order"], Json({1, 0}));
  EXPECT_EQ(entries[1]["dtype"], "int64");
  EXPECT_EQ(entries[1]["sizes"], Json::array());
  EXPECT_EQ(entries[1]["offset"].get<uint64_t>() % 4096, 0);
}

TEST_F(PackTest, KeysMayHoldAnything) {
  const ToolResult packed = Run({"pack", "-o", "x.ptd", "[a]=w.bin", "--entry", "a=b", "b.bin", "--entry", "[p,q]", "w.bin", "--dtype",
                                 "a=b=uint8", "--shape", "a=b=8", "--align", "[p,q]=64", "--", "-k=b.bin"});
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  std::vector<std::string> keys;
  for (const Json& entry : List("x.ptd")) keys.push_back(entry["key"]);
  EXPECT_THAT(keys, ElementsAre("[a]", "-k", "a=b", "[p,q]"));
  EXPECT_EQ(Run({"cat", "x.ptd", "a=b"}).out, ReadFile(dir_ / "b.bin"));
}

TEST_F(PackTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(Refusal({"-o", "x.ptd"}), "pte: pack needs KEY=FILE, --entry or --from\n");
  EXPECT_EQ(Refusal({"w=w.bin"}), "pte: -o OUT is needed\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w.bin"}), "pte: KEY=FILE: wanted KEY=FILE, found w.bin\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "=w.bin"}), "pte: KEY=FILE: wanted KEY=FILE, found =w.bin\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w="}), "pte: KEY=FILE: wanted KEY=FILE, found w=\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w=w.bin", "w=b.bin"}), "pte: key w is given twice\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w=w.bin", "--align", "v=64"}), "pte: --align: no file is given for key v\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w=w.bin", "--align", "w=page"}), "pte: --align: wanted KEY=N, found w=page\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w=w.bin", "--dtype", "w=float31", "--shape", "w=6"}),
            "pte: --dtype: wanted KEY=DTYPE, such as w=float32, found w=float31\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w=w.bin", "--dtype", "w=float32"}),
            "pte: key w: --dtype and --shape go together, --dim-order with them\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w=w.bin", "--dtype", "w=float32", "--shape", "w=2,x"}),
            "pte: --shape: wanted KEY=N,N,..., found w=2,x\n");
  EXPECT_EQ(Refusal({"-o", "x.ptd", "w=missing.bin"}), "pte: missing.bin: opening for reading: No such file or directory\n");
  EXPECT_EQ(Refusal({"-o", "/dev/null", "w=w.bin", "--move"}), "pte: --move wants a file to move into; /dev/null is none\n");
  EXPECT_THAT(Refusal({"-o", "x.ptd", "sur\xed\xa0\x80=w.bin"}), testing::EndsWith(" is not UTF-8\n"));
}

TEST_F(PackTest, RefusesWhatContradictsItself) {
  EXPECT_THAT(Refusal({"-o", "x.ptd", "w=w.bin", "--dtype", "w=float32", "--shape", "w=7"}), HasSubstr("24"));
  EXPECT_THAT(Refusal({"-o", "x.ptd", "w=w.bin", "--align", "w=0"}), HasSubstr("65536"));
  EXPECT_THAT(Refusal({"-o", "x.ptd", "w=w.bin", "--align", "w=65537"}), HasSubstr("65536"));
  EXPECT_THAT(Refusal({"-o", "x.ptd", "w=w.bin", "--dtype", "w=float32", "--shape", "w=2,3", "--dim-order", "w=0,0"}), StartsWith("pte: "));
}

TEST_F(PackTest, BackFromEveryFixture) {
  size_t packed_files = 0;
  for (const std::string& name : FixtureNames()) {
    const TempDir dir;
    ASSERT_EQ(RunTool({"extract", name, "-o", dir / "parts"}).exit_code, 0) << name;
    const ToolResult packed = RunTool({"pack", "--from", dir / "parts", "-o", dir / "again.ptd"});
    const Json before = FactsOf(Fixtures() / name);
    if (before.empty() && !Entries({name}).empty()) {
      EXPECT_EQ(packed.exit_code, 2) << name;
      EXPECT_EQ(packed.err, "pte: " + (dir / "parts/manifest.json").string() + ": it lists no named data to pack\n");
      continue;
    }
    ASSERT_EQ(packed.exit_code, 0) << name << ": " << packed.err;
    EXPECT_EQ(FactsOf(dir / "again.ptd"), before) << name;
    // A NUL in a key is packed as it is, and stays what verify refuses.
    const bool has_nul = name == "named_data_key_nul.pte";
    EXPECT_EQ(RunTool({"verify", "-q", dir / "again.ptd"}).exit_code, has_nul ? 1 : 0) << name;
    ++packed_files;
  }
  EXPECT_GT(packed_files, 40);
}

TEST_F(PackTest, BackKeepsAlignmentsUpToAPage) {
  ASSERT_EQ(Run({"extract", Fixtures() / "flat_tensor_align_4096.ptd", "-o", "parts"}).exit_code, 0);
  ASSERT_EQ(Run({"pack", "--from", "parts", "-o", "x.ptd"}).exit_code, 0);
  const Json before = Entries({"flat_tensor_align_4096.ptd"});
  const Json after = List("x.ptd");
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    const uint64_t kept = std::min<uint64_t>(before[i]["alignment"].get<uint64_t>(), 4096);
    EXPECT_EQ(after[i]["offset"].get<uint64_t>() % kept, 0);
  }
}

TEST_F(PackTest, BackWithMore) {
  ASSERT_EQ(Run({"extract", Fixtures() / "flat_tensor_shared.ptd", "-o", "parts", "--match", "b*"}).exit_code, 0);
  ASSERT_EQ(Run({"pack", "--from", "parts", "-o", "x.ptd", "more=w.bin", "--align", "bytes=512"}).exit_code, 0);
  const Json entries = List("x.ptd");
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0]["key"], "bytes");
  EXPECT_EQ(entries[0]["offset"].get<uint64_t>() % 512, 0);
  EXPECT_EQ(entries[1]["key"], "more");
  EXPECT_EQ(Refusal({"--from", "parts", "-o", "y.ptd", "bytes=w.bin"}), "pte: key bytes is given twice\n");
}

TEST_F(PackTest, BackOnlyFromWhatWasExtracted) {
  EXPECT_EQ(Refusal({"--from", "parts", "-o", "x.ptd"}), "pte: parts/manifest.json: opening for reading: No such file or directory\n");
  ASSERT_EQ(Run({"extract", Fixtures() / "flat_tensor_shared.ptd", "-o", "parts"}).exit_code, 0);
  const std::string manifest = ReadFile(dir_ / "parts/manifest.json");
  const std::string weight = ReadFile(dir_ / "parts/named/weight");
  std::string changed = weight;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  WriteFile(dir_ / "parts/named/weight", changed);
  EXPECT_EQ(Refusal({"--from", "parts", "-o", "x.ptd"}),
            "pte: parts/named/weight: not what was extracted; wanted SHA-256 " + Sha256(weight) + ", found " + Sha256(changed) + "\n");
  WriteFile(dir_ / "parts/named/weight", weight);
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = manifest;
    text.replace(text.find(what), what.size(), instead);
    WriteFile(dir_ / "parts/manifest.json", text);
    return Refusal({"--from", "parts", "-o", "x.ptd"});
  };
  const std::string wrong_path = "pte: parts/manifest.json: entries[0].path: wanted ROLE/NAME as extract writes it\n";
  EXPECT_EQ(with("named/weight", "named/../../w.bin"), wrong_path);
  EXPECT_EQ(with("named/weight", "/etc/passwd"), wrong_path);
  EXPECT_EQ(with("named/weight", "../x"), wrong_path);
  EXPECT_EQ(with("\"pte_json\": 1", "\"pte_json\": 2"), "pte: parts/manifest.json: pte_json: another version; wanted 1\n");
  EXPECT_EQ(with("{\n", "\n"), "pte: parts/manifest.json: this is no manifest that extract wrote\n");
  EXPECT_EQ(with("\"dtype\":\"float32\"", "\"dtype\":\"float31\""),
            "pte: parts/manifest.json: entries[0]: wanted all or none of dtype, sizes and dim_order\n");
  EXPECT_EQ(with("\"key\":\"weight\"", "\"key\":7"), "pte: parts/manifest.json: entries[0].key: wanted a text or {\"base64\": ...}\n");
}

}  // namespace
}  // namespace pte::test
