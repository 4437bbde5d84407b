// The tree keeps its own rules: who may include whom, where magics and system calls live, how long files are.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"
#include "tests/support/pattern.h"

namespace pte::test {
namespace {

using testing::IsEmpty;

const std::filesystem::path kRoot = PTE_SOURCE_DIR;

// The room of src/ on the left may include itself and the rooms on the right. The tool is a user: it has the public headers only.
const std::map<std::string, std::set<std::string>> kRooms = {
    {"base", {}},
    {"io", {"base"}},
    {"format", {"base"}},
    {"flatbuffer", {"base", "format"}},
    {"container", {"base", "io", "format", "flatbuffer"}},
    {"verify", {"base", "io", "format", "flatbuffer", "container"}},
    {"payload", {"base", "io"}},
    {"cli", {}},
};

// All files below the folders, as paths from the root, sorted. A folder that is not there has none.
std::vector<std::string> FilesBelow(const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(kRoot / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
      if (entry.is_regular_file()) files.push_back(std::filesystem::relative(entry.path(), kRoot).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> SourcesBelow(const std::vector<std::string>& folders) {
  std::vector<std::string> sources;
  for (const std::string& file : FilesBelow(folders)) {
    if (absl::EndsWith(file, ".h") || absl::EndsWith(file, ".cc")) sources.push_back(file);
  }
  return sources;
}

std::vector<std::string> Lines(const std::string& file) { return absl::StrSplit(ReadFile(kRoot / file), '\n'); }

std::string WithoutComment(const std::string& line) { return line.substr(0, line.find("//")); }

// What stands in the include directives, angle brackets and quotes included.
std::vector<std::string> Includes(const std::string& file) {
  static const Pattern kInclude(R"(^\s*#\s*include\s*([<"][^>"]+[>"]))");
  std::vector<std::string> includes;
  for (const std::string& line : Lines(file)) {
    for (const std::string& include : kInclude.FirstGroups(line)) includes.push_back(include);
  }
  return includes;
}

// "flatbuffer" of "src/flatbuffer/verify.h", and of the same as an include directive; "" of anything else.
std::string RoomOf(std::string_view path) {
  const size_t begin = path.starts_with('"') ? 1 : 0;
  if (!path.substr(begin).starts_with("src/")) return "";
  const std::string_view rest = path.substr(begin + 4);
  const size_t end = rest.find('/');
  return end == std::string_view::npos ? "src itself" : std::string(rest.substr(0, end));
}

bool MayInclude(const std::string& room, const std::string& other) {
  if (other.empty() || other == room) return true;
  const auto allowed = kRooms.find(room);
  return allowed != kRooms.end() && allowed->second.contains(other);
}

TEST(LayeringTest, RoomsIncludeOnlyRoomsBelow) {
  for (const std::string& file : SourcesBelow({"src"})) {
    EXPECT_TRUE(kRooms.contains(RoomOf(file))) << file << " stands in no room";
    for (const std::string& include : Includes(file))
      EXPECT_TRUE(MayInclude(RoomOf(file), RoomOf(include))) << file << " includes " << include;
  }
}

TEST(LayeringTest, PublicHeadersIncludeOnlyWhatUsersHave) {
  // Of the standard library no header ends in ".h".
  static const Pattern kAllowed(R"re(<[a-z_]+>|"pte/\w+\.h"|"pte/fb/\w+\.h"|"absl/status/status(or)?\.h")re");
  const std::vector<std::string> headers = SourcesBelow({"include"});
  EXPECT_FALSE(headers.empty());
  for (const std::string& file : headers) {
    for (const std::string& include : Includes(file)) EXPECT_TRUE(kAllowed.MatchesAll(include)) << file << " includes " << include;
  }
}

TEST(LayeringTest, LawsDataTestsAndBenchesUseThePublicFace) {
  for (const std::string& file : SourcesBelow({"tests/law", "tests/data", "tests/interop", "tests/install", "bench"})) {
    for (const std::string& include : Includes(file)) EXPECT_EQ(RoomOf(include), "") << file << " includes " << include;
  }
}

TEST(LayeringTest, MagicsAreSpelledInOnePlace) {
  for (const std::string& file : SourcesBelow({"include", "src", "bench"})) {
    if (file == "src/format/wire.h") continue;
    for (const std::string& line : Lines(file)) {
      for (const char* magic : {"eh00", "FH01", "ET12", "FT01", "BP08"})
        EXPECT_FALSE(absl::StrContains(WithoutComment(line), magic)) << file << ": " << line;
    }
  }
}

TEST(LayeringTest, SchemasSpellOnlyTheirIdentifier) {
  for (const std::string& file : FilesBelow({"schema"})) {
    if (!absl::EndsWith(file, ".fbs")) continue;
    for (const std::string& line : Lines(file)) {
      if (absl::StartsWith(line, "file_identifier ")) continue;
      for (const char* magic : {"eh00", "FH01", "ET12", "FT01", "BP08"})
        EXPECT_FALSE(absl::StrContains(WithoutComment(line), magic)) << file << ": " << line;
    }
  }
}

// Sources that must reach the system through src/io/syscalls.h. The tool talks to a terminal of its own.
std::vector<std::string> SourcesWithoutSystemCalls() {
  std::vector<std::string> sources;
  for (const std::string& file : SourcesBelow({"src"})) {
    if (file != "src/io/syscalls.cc" && RoomOf(file) != "cli") sources.push_back(file);
  }
  return sources;
}

TEST(LayeringTest, OneFileIncludesHeadersOfTheSystem) {
  static const Pattern kAllowed(R"re(<[a-z_]+>|<xxhash\.h>|<openssl/\w+\.h>|".*")re");
  for (const std::string& file : SourcesWithoutSystemCalls()) {
    for (const std::string& include : Includes(file)) {
      EXPECT_TRUE(kAllowed.MatchesAll(include)) << file << " includes " << include;
      EXPECT_NE(include, "<fstream>") << file;
    }
  }
}

TEST(LayeringTest, OneFileMakesSystemCalls) {
  // A call of anything in the global namespace; "::new" calls nothing of the system. Of bare names only those that nobody gives to a
  // function of ours; the others ("open", "read") are not declared without a header of the system.
  static const Pattern kQualified(R"((^|[^\w>:])::\s*(?!new\b|delete\b)\w+\s*\()");
  static const Pattern kBare(R"((^|[^\w.>:])(openat|fcntl|ioctl|pread|preadv|pwrite|pwritev|lseek|fstat|lstat|fstatat|statx|mmap|munmap|)"
                             R"(mremap|madvise|msync|fsync|fdatasync|syncfs|ftruncate|fallocate|posix_fallocate|posix_fadvise|renameat|)"
                             R"(renameat2|linkat|unlink|unlinkat|mkstemp|mkdtemp|flock|sendfile|copy_file_range|getrandom|sysconf|)"
                             R"(syscall)\s*\()");
  for (const std::string& file : SourcesWithoutSystemCalls()) {
    for (const std::string& line : Lines(file)) {
      const std::string code = WithoutComment(line);
      EXPECT_FALSE(kQualified.IsIn(code)) << file << ": " << line;
      EXPECT_FALSE(kBare.IsIn(code)) << file << ": " << line;
    }
  }
}

TEST(TreeTest, NothingIsLeftForLater) {
  // In pieces, or this file would name them.
  const Pattern marks(absl::StrCat(R"(\b()", "TO", "DO|FIX", "ME|XX", "X|HA", "CK", R"()\b)"));
  std::vector<std::string> files = FilesBelow({"include", "src", "schema", "tests", "bench", "cmake"});
  files.push_back("CMakeLists.txt");
  for (const std::string& file : files) {
    if (absl::StartsWith(file, "tests/data/")) continue;
    for (const std::string& line : Lines(file)) EXPECT_FALSE(marks.IsIn(line)) << file << ": " << line;
  }
}

TEST(TreeTest, FilesAreShort) {
  for (const std::string& file : SourcesBelow({"include", "src", "tests", "bench"})) {
    const std::string text = ReadFile(kRoot / file);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 450) << file;
  }
}

TEST(TreeTest, TopLevelHoldsOnlyItsFolders) {
  const std::set<std::string> known = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "bench",
                                       "cmake",          "include",           "schema",  "src",       "tests"};
  // What .gitignore keeps out of the tree.
  const std::set<std::string> ignored = {"CMakeUserPresets.json"};
  std::vector<std::string> unknown;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot)) {
    const std::string name = entry.path().filename();
    const bool is_build = entry.is_directory() && absl::StartsWith(name, "build");
    if (!known.contains(name) && !ignored.contains(name) && !is_build && name.front() != '.') unknown.push_back(name);
  }
  EXPECT_THAT(unknown, IsEmpty());
}

// A test in a folder that tests/CMakeLists.txt does not name would never run.
TEST(TreeTest, EveryTestBelongsToAProgram) {
  const std::string lists = ReadFile(kRoot / "tests/CMakeLists.txt");
  for (const std::string& file : SourcesBelow({"tests"})) {
    if (!absl::EndsWith(file, "_test.cc")) continue;
    const std::vector<std::string> parts = absl::StrSplit(file, '/');
    ASSERT_EQ(parts.size(), 3u) << file;
    EXPECT_THAT(lists, testing::ContainsRegex(absl::StrCat("pte_tests\\(", parts[1], "[ )]"))) << file;
  }
}

}  // namespace
}  // namespace pte::test
