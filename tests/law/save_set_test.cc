// SaveProgramAndData: the program first, then its data, then the rest; what can be known beforehand stops it beforehand.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/contents.h"
#include "tests/support/files.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// All names in a folder, sorted; the hidden ones too.
std::vector<std::string> NamesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

PteContents Tagged(const std::vector<std::string>& tags) {
  PteContents contents;
  contents.program = OneMethod();
  EXPECT_THAT(contents.named_data.Add("inside", Copy("inside")), IsOk());
  for (size_t i = 0; i < tags.size(); ++i) {
    EXPECT_THAT(contents.named_data.Add(std::to_string(i), Copy("payload " + std::to_string(i)), {.external_tag = tags[i]}), IsOk());
  }
  return contents;
}

class SaveSetTest : public testing::Test {
 protected:
  const TempDir folder_;
  const std::filesystem::path program_ = folder_ / "model.pte";
};

TEST_F(SaveSetTest, FilesAreSavedInTheirOrder) {
  const PteContents contents = Tagged({"zebra", "apple", "zebra"});
  ASSERT_OK_AND_ASSIGN(const SaveSetReport report,
                       SaveProgramAndData(contents, program_, {}, {}, {{"debug.json", Copy("{}")}, {"a.txt", Copy("text")}}));
  std::vector<std::filesystem::path> paths;
  for (const SaveReport& file : report.files) {
    paths.push_back(file.path);
    EXPECT_EQ(file.file_size, std::filesystem::file_size(file.path));
  }
  EXPECT_THAT(paths, ElementsAre(program_, folder_ / "zebra.ptd", folder_ / "apple.ptd", folder_ / "debug.json", folder_ / "a.txt"));
  ASSERT_OK_AND_ASSIGN(const PteFile program, PteFile::Open(program_));
  EXPECT_EQ(program.named_data().size(), 1u);
  ASSERT_OK_AND_ASSIGN(const PtdFile zebra, PtdFile::Open(folder_ / "zebra.ptd"));
  EXPECT_EQ(zebra.entries().size(), 2u);
  EXPECT_EQ(TextOf(zebra.Find("2")), "payload 2");
  ASSERT_OK_AND_ASSIGN(const PtdFile apple, PtdFile::Open(folder_ / "apple.ptd"));
  EXPECT_EQ(TextOf(apple.Find("1")), "payload 1");
  EXPECT_EQ(ReadFile(folder_ / "debug.json"), "{}");
  EXPECT_EQ(NamesIn(folder_.path()).size(), 5u);
}

TEST_F(SaveSetTest, APathWithoutAFolderIsTheCurrentOne) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_THAT(SaveProgramAndData(Tagged({"tag"}), "model.pte"), IsOk());
  std::filesystem::current_path(before);
  EXPECT_THAT(NamesIn(folder_.path()), ElementsAre("model.pte", "tag.ptd"));
}

TEST_F(SaveSetTest, SavedTwiceIsTheSame) {
  const PteContents contents = Tagged({"tag"});
  ASSERT_THAT(SaveProgramAndData(contents, program_), IsOk());
  const std::string program = ReadFile(program_);
  const std::string data = ReadFile(folder_ / "tag.ptd");
  ASSERT_THAT(SaveProgramAndData(contents, program_), IsOk());
  EXPECT_EQ(ReadFile(program_), program);
  EXPECT_EQ(ReadFile(folder_ / "tag.ptd"), data);
}

TEST_F(SaveSetTest, TagsThatAreNoFileNamesAreRefusedBeforeAnythingIsWritten) {
  for (const std::string& tag :
       {std::string("a/b"), std::string(".."), std::string("."), std::string("../up"), std::string("/abs"), std::string("nul\0", 4)}) {
    EXPECT_THAT(SaveProgramAndData(Tagged({"good", tag}), program_), HasCode(StatusCode::kInvalidArgument)) << tag;
    EXPECT_THAT(SaveProgramAndData(Tagged({"good"}), program_, {}, {}, {{tag, Copy("x")}}), HasCode(StatusCode::kInvalidArgument)) << tag;
  }
  EXPECT_THAT(SaveProgramAndData(Tagged({}), program_, {}, {}, {{"", Copy("x")}}), HasCode(StatusCode::kInvalidArgument));
  EXPECT_THAT(SaveProgramAndData(Tagged({}), folder_.path() / ""), Not(IsOk()));
  EXPECT_THAT(NamesIn(folder_.path()), IsEmpty());
}

TEST_F(SaveSetTest, TwoFilesOfOneNameAreRefusedBeforeAnythingIsWritten) {
  const std::vector<std::vector<SideArtefact>> cases = {
      {{"model.pte", Copy("x")}}, {{"tag.ptd", Copy("x")}}, {{"twice", Copy("x")}, {"twice", Copy("y")}}};
  for (const std::vector<SideArtefact>& sides : cases) {
    EXPECT_THAT(SaveProgramAndData(Tagged({"tag"}), program_, {}, {}, sides),
                HasCodeAndMessage(StatusCode::kInvalidArgument, sides[0].file_name));
  }
  EXPECT_THAT(SaveProgramAndData(Tagged({"tag"}), folder_ / "tag.ptd"), HasCodeAndMessage(StatusCode::kInvalidArgument, "tag.ptd"));
  EXPECT_THAT(NamesIn(folder_.path()), IsEmpty());
}

TEST_F(SaveSetTest, TwoNamesOfOneFileAreRefusedBeforeAnythingIsWritten) {
  WriteFile(folder_ / "real", "old");
  std::filesystem::create_symlink("real", folder_ / "one.ptd");
  std::filesystem::create_symlink(folder_ / "real", folder_ / "two.ptd");
  EXPECT_THAT(SaveProgramAndData(Tagged({"one", "two"}), program_), HasCodeAndMessage(StatusCode::kInvalidArgument, "two.ptd"));
  EXPECT_EQ(ReadFile(folder_ / "real"), "old");
  EXPECT_FALSE(std::filesystem::exists(program_));
  // A link that leads nowhere yet.
  std::filesystem::remove(folder_ / "real");
  EXPECT_THAT(SaveProgramAndData(Tagged({"one", "two"}), program_), HasCodeAndMessage(StatusCode::kInvalidArgument, "two.ptd"));
  EXPECT_THAT(SaveProgramAndData(Tagged({"one"}), folder_ / "real"), HasCodeAndMessage(StatusCode::kInvalidArgument, "one.ptd"));
  EXPECT_THAT(SaveProgramAndData(Tagged({"one"}), program_), IsOk());
}

TEST_F(SaveSetTest, AnyFileThatIsThereStopsASaveThatMayNotReplace) {
  SaveOptions options;
  options.if_exists = IfExists::kFail;
  for (const char* name : {"model.pte", "first.ptd", "second.ptd", "side"}) {
    WriteFile(folder_ / name, "old");
    EXPECT_THAT(SaveProgramAndData(Tagged({"first", "second"}), program_, {}, options, {{"side", Copy("x")}}),
                HasCodeAndMessage(StatusCode::kAlreadyExists, name));
    EXPECT_THAT(NamesIn(folder_.path()), ElementsAre(name));
    EXPECT_EQ(ReadFile(folder_ / name), "old");
    std::filesystem::remove(folder_ / name);
  }
  EXPECT_THAT(SaveProgramAndData(Tagged({"first", "second"}), program_, {}, options, {{"side", Copy("x")}}), IsOk());
}

TEST_F(SaveSetTest, AFolderUnderAFilesNameIsFoundBeforeAnythingIsWritten) {
  for (const char* name : {"model.pte", "first.ptd", "second.ptd", "side"}) {
    std::filesystem::create_directory(folder_ / name);
    EXPECT_THAT(SaveProgramAndData(Tagged({"first", "second"}), program_, {}, {}, {{"side", Copy("x")}}), Not(IsOk())) << name;
    EXPECT_THAT(NamesIn(folder_.path()), ElementsAre(name));
    std::filesystem::remove(folder_ / name);
  }
}

// Calls `act` when the nth file of a set begins.
SaveOptions WhenFileBegins(int nth, std::function<bool()> act) {
  SaveOptions options;
  options.progress = [nth, files = 0, act = std::move(act)](const Progress& progress) mutable {
    if (progress.done == 0) ++files;
    return progress.done != 0 || files != nth || act();
  };
  return options;
}

TEST_F(SaveSetTest, ALaterFailureKeepsWhatStandsAndSaysSo) {
  const SaveOptions options = WhenFileBegins(2, [&] { return std::filesystem::create_directory(folder_ / "second.ptd"); });
  const auto saved = SaveProgramAndData(Tagged({"first", "second"}), program_, {}, options, {{"side", Copy("x")}});
  EXPECT_THAT(saved, AllOf(Not(IsOk()), HasCodeAndMessage(saved.status().code(), "saved and complete: " + program_.string())));
  EXPECT_THAT(saved, HasCodeAndMessage(saved.status().code(), (folder_ / "first.ptd").string() + "; not saved"));
  EXPECT_THAT(NamesIn(folder_.path()), ElementsAre("first.ptd", "model.pte", "second.ptd"));
  EXPECT_THAT(PteFile::Open(program_), IsOk());
  EXPECT_THAT(PtdFile::Open(folder_ / "first.ptd"), IsOk());
}

TEST_F(SaveSetTest, AFailureOfTheFirstFileSaysThatNothingStands) {
  const SaveOptions options = WhenFileBegins(1, [] { return false; });
  EXPECT_THAT(SaveProgramAndData(Tagged({"tag"}), program_, {}, options), HasCodeAndMessage(StatusCode::kCancelled, "nothing was saved"));
  EXPECT_THAT(NamesIn(folder_.path()), IsEmpty());
}

TEST_F(SaveSetTest, CancellingInTheMiddleKeepsWhatStands) {
  const SaveOptions options = WhenFileBegins(2, [] { return false; });
  EXPECT_THAT(SaveProgramAndData(Tagged({"tag"}), program_, {}, options),
              HasCodeAndMessage(StatusCode::kCancelled, "saved and complete: " + program_.string()));
  EXPECT_THAT(NamesIn(folder_.path()), ElementsAre("model.pte"));
}

TEST_F(SaveSetTest, ASideArtefactThatFailsKeepsTheContainers) {
  EXPECT_THAT(SaveProgramAndData(Tagged({"tag"}), program_, {}, {}, {{"bad", Whole(Unreadable(5))}, {"side", Copy("x")}}),
              HasCodeAndMessage(StatusCode::kDataLoss, "tag.ptd; not saved"));
  EXPECT_THAT(NamesIn(folder_.path()), ElementsAre("model.pte", "tag.ptd"));
}

TEST_F(SaveSetTest, ALentFileThatIsGoneIsFoundBeforeAnythingIsWritten) {
  WriteFile(folder_ / "lent", "lent");
  ASSERT_OK_AND_ASSIGN(const FileBackedData lent, FileBackedData::Lend(folder_ / "lent"));
  std::filesystem::remove(folder_ / "lent");
  EXPECT_THAT(SaveProgramAndData(Tagged({"tag"}), program_, {}, {}, {{"bad", lent}}), HasCode(StatusCode::kNotFound));
  PteContents contents = Tagged({"tag"});
  ASSERT_THAT(contents.named_data.Add("lent", lent, {.external_tag = "tag"}), IsOk());
  EXPECT_THAT(SaveProgramAndData(contents, program_), HasCode(StatusCode::kNotFound));
  EXPECT_THAT(NamesIn(folder_.path()), IsEmpty());
}

// A file by its name would be gone by the time that the second file is written.
TEST_F(SaveSetTest, ALentFileThatAnEarlierFileReplacesIsFoundBeforeAnythingIsWritten) {
  WriteFile(program_, "the only copy of the weights");
  PteContents contents = Tagged({});
  ASSERT_THAT(contents.named_data.Add("weights", *FileBackedData::Lend(program_, 17, 11), {.external_tag = "tag"}), IsOk());
  EXPECT_THAT(SaveProgramAndData(contents, program_), HasCodeAndMessage(StatusCode::kInvalidArgument, program_.string()));
  EXPECT_EQ(ReadFile(program_), "the only copy of the weights");
  EXPECT_THAT(NamesIn(folder_.path()), ElementsAre("model.pte"));
  // In the program itself it is copied before it goes, and so is what an open file gives.
  PteContents inside = Tagged({});
  ASSERT_THAT(inside.named_data.Add("weights", *FileBackedData::Lend(program_, 17, 7)), IsOk());
  Rope open;
  ASSERT_THAT(open.Append(*OpenFileSource(program_), 4, 10), IsOk());
  ASSERT_THAT(inside.named_data.Add("open", open, {.external_tag = "tag"}), IsOk());
  ASSERT_THAT(SaveProgramAndData(inside, program_), IsOk());
  ASSERT_OK_AND_ASSIGN(const PtdFile data, PtdFile::Open(folder_ / "tag.ptd"));
  EXPECT_EQ(TextOf(data.Find("open")), "only copy ");
}

}  // namespace
}  // namespace pte::test
