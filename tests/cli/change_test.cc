// Named data that comes and goes: add and rm.
#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "pte/schema.h"
#include "tests/cli/tool.h"

namespace pte::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ChangeTest : public testing::Test {
 protected:
  ChangeTest() {
    for (const char* name : {"linear_xnnpack.pte", "named_data_shared.pte", "flat_tensor_shared.ptd", "bundled_add.bpte"}) {
      std::filesystem::copy_file(Fixtures() / name, dir_ / name);
    }
    WriteFile(dir_ / "new.bin", "bytes that are new");
    WriteFile(dir_ / "other.bin", "12345678");
  }

  ToolResult Run(const std::vector<std::string>& args) const { return RunTool(args, {.directory = dir_.path()}); }

  Json Find(const std::string& file, const std::string& key) const {
    for (const Json& entry : Entries({file}, {.directory = dir_.path()})) {
      if (entry["key"] == key) return entry;
    }
    return {};
  }

  // The payload bytes of a file by role, key or method, and index; those under `except` apart.
  std::map<std::string, std::string> PayloadsOf(const std::string& file, const std::string& except = "") const {
    const std::string whole = ReadFile(dir_ / file);
    std::map<std::string, std::string> payloads;
    for (const Json& entry : Entries({file}, {.directory = dir_.path()})) {
      if (entry["key"] == except) continue;
      const bool is_named = entry["role"] == "named";
      const std::string name =
          entry["role"].get<std::string>() + (is_named ? entry["key"].dump() : entry["method"].dump() + entry["index"].dump());
      payloads[name] = whole.substr(entry["offset"].get<size_t>(), entry["size"].get<size_t>());
    }
    return payloads;
  }

  // The message of an answer with this exit code that leaves the folder as it is.
  std::string Refusal(const std::vector<std::string>& args, int exit_code = 2) const {
    const std::map<std::string, std::string> before = FilesBelow(dir_.path());
    const ToolResult result = Run(args);
    EXPECT_EQ(result.exit_code, exit_code) << testing::PrintToString(args);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(FilesBelow(dir_.path()), before) << testing::PrintToString(args);
    return result.err;
  }

  TempDir dir_;
};

TEST_F(ChangeTest, AddedBytesComeBackAndNothingElseChanges) {
  for (const char* file : {"linear_xnnpack.pte", "named_data_shared.pte", "flat_tensor_shared.ptd"}) {
    const std::string before = ReadFile(dir_ / file);
    const ToolResult added = Run({"add", file, "-o", "out", "--force", "new=new.bin", "--align", "new=4096"});
    ASSERT_EQ(added.exit_code, 0) << added.err;
    EXPECT_EQ(added.out + added.err, "");
    EXPECT_EQ(Run({"cat", "out", "new"}).out, "bytes that are new");
    EXPECT_EQ(Find("out", "new")["offset"].get<uint64_t>() % 4096, 0);
    EXPECT_EQ(PayloadsOf("out", "new"), PayloadsOf(file)) << file;
    EXPECT_EQ(Run({"verify", "-q", "out"}).exit_code, 0);
    EXPECT_EQ(ReadFile(dir_ / file), before);
  }
}

TEST_F(ChangeTest, ToEveryFixture) {
  for (const std::string& name : FixtureNames()) {
    if (name.ends_with(".bpte")) continue;
    const ToolResult added = Run({"add", Fixtures() / name, "-o", "out", "--force", "k.new=new.bin"});
    ASSERT_EQ(added.exit_code, 0) << name << ": " << added.err;
    EXPECT_EQ(Run({"cat", "out", "k.new"}).out, "bytes that are new") << name;
    const ToolResult removed = Run({"rm", "out", "--in-place", "k.new"});
    ASSERT_EQ(removed.exit_code, 0) << name << ": " << removed.err;
    std::filesystem::copy_file(Fixtures() / name, dir_ / "in", std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(PayloadsOf("out"), PayloadsOf("in")) << name;
  }
}

TEST_F(ChangeTest, InPlace) {
  std::filesystem::permissions(dir_ / "linear_xnnpack.pte", std::filesystem::perms(0640));
  std::filesystem::create_symlink("linear_xnnpack.pte", dir_ / "link.pte");
  const std::map<std::string, std::string> payloads = PayloadsOf("linear_xnnpack.pte");
  ASSERT_EQ(Run({"add", "link.pte", "--in-place", "new=new.bin"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "link.pte"));
  EXPECT_EQ(PayloadsOf("linear_xnnpack.pte", "new"), payloads);
  EXPECT_EQ(Run({"cat", "linear_xnnpack.pte", "new"}).out, "bytes that are new");
  EXPECT_EQ(std::filesystem::status(dir_ / "linear_xnnpack.pte").permissions(), std::filesystem::perms(0640));
  ASSERT_EQ(Run({"rm", "linear_xnnpack.pte", "--in-place", "new"}).exit_code, 0);
  EXPECT_EQ(PayloadsOf("linear_xnnpack.pte"), payloads);
}

TEST_F(ChangeTest, ExistingKeysAreReplacedOnlyWhenAsked) {
  EXPECT_EQ(Refusal({"add", "flat_tensor_shared.ptd", "-o", "out", "weight=other.bin"}),
            "pte: flat_tensor_shared.ptd: key weight exists; --replace replaces it\n");
  ASSERT_EQ(Run({"add", "flat_tensor_shared.ptd", "-o", "out", "bytes=new.bin", "--replace"}).exit_code, 0);
  EXPECT_EQ(Run({"cat", "out", "bytes"}).out, "bytes that are new");
  EXPECT_EQ(PayloadsOf("out", "bytes"), PayloadsOf("flat_tensor_shared.ptd", "bytes"));
  ASSERT_EQ(Run({"add", "flat_tensor_shared.ptd", "-o", "out2", "weight=other.bin", "--replace", "--dtype", "weight=int16", "--shape",
                 "weight=4", "--align", "weight=1024"})
                .exit_code,
            0);
  const Json weight = Find("out2", "weight");
  EXPECT_EQ(weight["dtype"], "int16");
  EXPECT_EQ(weight["sizes"], Json({4}));
  EXPECT_EQ(weight["offset"].get<uint64_t>() % 1024, 0);
  EXPECT_EQ(Run({"cat", "out2", "weight"}).out, "12345678");
  EXPECT_EQ(PayloadsOf("out2", "weight"), PayloadsOf("flat_tensor_shared.ptd", "weight"));
}

TEST_F(ChangeTest, LayoutsAreForData) {
  EXPECT_EQ(Refusal({"add", "linear_xnnpack.pte", "-o", "out", "k=other.bin", "--dtype", "k=uint8", "--shape", "k=8"}),
            "pte: linear_xnnpack.pte: --dtype and --shape: a program stores no layouts of named data\n");
  ASSERT_EQ(Run({"add", "flat_tensor_shared.ptd", "-o", "out", "k=other.bin", "--dtype", "k=uint8", "--shape", "k=2,4"}).exit_code, 0);
  EXPECT_EQ(Find("out", "k")["sizes"], Json({2, 4}));
}

TEST_F(ChangeTest, RemovedKeysAreGoneAndNothingElse) {
  const ToolResult removed = Run({"rm", "flat_tensor_shared.ptd", "weight", "weight", "-o", "out"});
  ASSERT_EQ(removed.exit_code, 0) << removed.err;
  EXPECT_EQ(removed.out + removed.err, "");
  EXPECT_EQ(Find("out", "weight"), Json());
  EXPECT_EQ(PayloadsOf("out"), PayloadsOf("flat_tensor_shared.ptd", "weight"));
  EXPECT_EQ(Run({"verify", "-q", "out"}).exit_code, 0);
}

TEST_F(ChangeTest, KeysThatLookLikeOptions) {
  ASSERT_EQ(Run({"add", "linear_xnnpack.pte", "-o", "out", "a=new.bin", "--", "-k=other.bin", "--=new.bin"}).exit_code, 0);
  ASSERT_EQ(Run({"rm", "out", "--in-place", "a", "--", "-k", "--"}).exit_code, 0);
  EXPECT_EQ(PayloadsOf("out"), PayloadsOf("linear_xnnpack.pte"));
}

TEST_F(ChangeTest, AbsentKeysAreAnsweredNo) {
  EXPECT_EQ(Refusal({"rm", "flat_tensor_shared.ptd", "weight", "nonsense", "-o", "out"}, 1),
            "pte: flat_tensor_shared.ptd: no named data with key \"nonsense\"\n");
  EXPECT_EQ(Refusal({"rm", "linear_xnnpack.pte", "--in-place", "[b,a]", "a\nb"}, 1),
            "pte: linear_xnnpack.pte: no named data with key \"[b,a]\", \"a\\x0ab\"\n");
  EXPECT_EQ(RunJson({"rm", "--json", "flat_tensor_shared.ptd", "nonsense", "-o", dir_ / "out"})["error"]["code"], "not_found");
}

TEST_F(ChangeTest, UnknownFieldsAreLostOnlyWhenAsked) {
  constexpr flatbuffers::voffset_t kLaterField = 44;
  flatbuffers::FlatBufferBuilder builder;
  const auto start = builder.StartTable();
  builder.AddElement<uint32_t>(kLaterField, 7, 0);
  builder.Finish(flatbuffers::Offset<fb::Program>(builder.EndTable(start)), fb::ProgramIdentifier());
  WriteFile(dir_ / "later.pte", {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()});
  EXPECT_THAT(Refusal({"add", "later.pte", "-o", "out", "k=other.bin"}), StartsWith("pte: later.pte: "));
  EXPECT_EQ(RunJson({"add", "--json", "later.pte", "-o", "out", "k=other.bin"}, {.directory = dir_.path()})["error"]["code"],
            "unimplemented");
  EXPECT_EQ(Run({"add", "later.pte", "-o", "out", "k=other.bin", "--drop-unknown-fields"}).exit_code, 0);
  EXPECT_EQ(Run({"cat", "out", "k"}).out, "12345678");
}

TEST_F(ChangeTest, BundledProgramsAreRefused) {
  const std::string refusal = "pte: bundled_add.bpte: a bundled program (.bpte) cannot be changed; only .pte and .ptd can\n";
  EXPECT_EQ(Refusal({"add", "bundled_add.bpte", "-o", "out", "k=other.bin"}), refusal);
  EXPECT_EQ(Refusal({"rm", "bundled_add.bpte", "-o", "out", "k"}), refusal);
}

TEST_F(ChangeTest, TheFileItselfIsChangedInPlaceOnly) {
  std::filesystem::create_symlink("linear_xnnpack.pte", dir_ / "link.pte");
  std::filesystem::create_hard_link(dir_ / "linear_xnnpack.pte", dir_ / "twin.pte");
  for (const char* out : {"linear_xnnpack.pte", "./linear_xnnpack.pte", "link.pte", "twin.pte"}) {
    const std::string refusal = "pte: " + std::string(out) + ": this is linear_xnnpack.pte itself; --in-place changes a file\n";
    EXPECT_EQ(Refusal({"add", "linear_xnnpack.pte", "-o", out, "k=other.bin"}), refusal);
    EXPECT_EQ(Refusal({"add", "linear_xnnpack.pte", "-o", out, "k=other.bin", "--force"}), refusal);
    EXPECT_EQ(Refusal({"rm", "linear_xnnpack.pte", "-o", out, "k", "--force"}), refusal);
  }
  EXPECT_EQ(Refusal({"add", "linear_xnnpack.pte", "k=other.bin"}), "pte: exactly one of -o OUT and --in-place is needed\n");
  EXPECT_EQ(Refusal({"add", "linear_xnnpack.pte", "-o", "out", "--in-place", "k=other.bin"}),
            "pte: exactly one of -o OUT and --in-place is needed\n");
}

TEST_F(ChangeTest, RefusalsAreExact) {
  EXPECT_EQ(Refusal({"add", "linear_xnnpack.pte", "-o", "out"}), "pte: add needs KEY=FILE or --entry\n");
  EXPECT_EQ(Refusal({"add", "linear_xnnpack.pte", "-o", "/dev/null", "k=other.bin", "--move"}),
            "pte: --move wants a file to move into; /dev/null is none\n");
  EXPECT_EQ(Refusal({"add", "missing.pte", "-o", "out", "k=other.bin"}),
            "pte: missing.pte: opening for reading: No such file or directory\n");
  EXPECT_THAT(Refusal({"rm", "linear_xnnpack.pte", "-o", "out"}), HasSubstr("KEY is required"));
  EXPECT_EQ(RunJson({"add", "--json", "linear_xnnpack.pte", "-o", "out", "k=missing.bin"}, {.directory = dir_.path()})["error"]["code"],
            "not_found");
}

}  // namespace
}  // namespace pte::test
