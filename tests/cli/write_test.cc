// Where a container is written: files, pipes, devices; what a plan and a report say; what an interrupt leaves.
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "gmock/gmock.h"
#include "tests/cli/tool.h"
#include "tests/support/pattern.h"

namespace pte::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::StartsWith;

// A pipe by name that is open for reading, so that a writer that never comes is an end and no wait.
class NamedPipe {
 public:
  explicit NamedPipe(const std::filesystem::path& path) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    fd_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~NamedPipe() { ::close(fd_); }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;

  // Something of what comes; "" at the end.
  std::string ReadSome() const {
    constexpr int kPatience = 30'000;
    struct pollfd wanted = {fd_, POLLIN, 0};
    EXPECT_EQ(::poll(&wanted, 1, kPatience), 1);
    std::string text(size_t{64} << 10, '\0');
    text.resize(static_cast<size_t>(std::max<ssize_t>(0, ::read(fd_, text.data(), text.size()))));
    return text;
  }

 private:
  int fd_ = -1;
};

class WriteTest : public testing::Test {
 protected:
  WriteTest() {
    WriteFile(dir_ / "small.bin", "12345678");
    WriteFile(dir_ / "large.bin", std::string(kLarge, 'x'));
  }

  // More than any pipe holds.
  static constexpr size_t kLarge = size_t{3} << 20;

  ToolResult Run(const std::vector<std::string>& args, Stdout out = Stdout::kCaught) const { return RunTool(args, {dir_.path(), out}); }
  Json JsonOf(const std::vector<std::string>& args) const { return RunJson(args, {.directory = dir_.path()}); }
  std::vector<std::string> Pack(const std::string& out, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"pack", "-o", out, "small=small.bin", "large=large.bin"});
    return more;
  }

  TempDir dir_;
};

TEST_F(WriteTest, AFileIsReplacedOnlyByForce) {
  WriteFile(dir_ / "x.ptd", "old");
  const ToolResult refused = Run(Pack("x.ptd"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "pte: x.ptd: the file exists; --force replaces it\n");
  EXPECT_EQ(JsonOf(Pack("x.ptd", {"--json"}))["error"]["code"], "already_exists");
  EXPECT_EQ(Run(Pack("x.ptd", {"--dry-run"})).exit_code, 2);
  EXPECT_EQ(ReadFile(dir_ / "x.ptd"), "old");
  EXPECT_EQ(Run(Pack("x.ptd", {"--force"})).exit_code, 0);
  EXPECT_EQ(Run({"cat", "x.ptd", "small"}).out, "12345678");
}

TEST_F(WriteTest, PlacesThatTakeNoFile) {
  std::filesystem::create_directory(dir_ / "folder");
  const ToolResult folder = Run(Pack("folder", {"--force"}));
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_EQ(folder.err, "pte: folder: opening for writing: Is a directory\n");
  const ToolResult missing = Run(Pack("missing/x.ptd"));
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, AllOf(StartsWith("pte: missing/x.ptd: "), EndsWith("No such file or directory\n")));
  EXPECT_THAT(FilesBelow(dir_.path()), ElementsAre(Key("folder"), Key("large.bin"), Key("small.bin")));
}

TEST_F(WriteTest, AReadOnlyFolder) {
  ASSERT_EQ(Run({"pack", "-o", "small.ptd", "small=small.bin"}).exit_code, 0);
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
  ToolOptions options{dir_.path()};
  options.as_nobody = ::geteuid() == 0;
  const ToolResult packed = RunTool(Pack("x.ptd"), options);
  const ToolResult extracted = RunTool({"extract", "small.ptd", "-o", "parts"}, options);
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  if (packed.exit_code == kNotRun) GTEST_SKIP() << "root may write anywhere, and nobody may not run " << PTE_TOOL;
  for (const ToolResult& result : {packed, extracted}) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, EndsWith("Permission denied\n"));
  }
  EXPECT_THAT(FilesBelow(dir_.path()), ElementsAre(Key("large.bin"), Key("small.bin"), Key("small.ptd")));
}

TEST_F(WriteTest, AnInputMayBeReplaced) {
  ASSERT_EQ(Run({"pack", "-o", "small.bin", "--force", "small=small.bin"}).exit_code, 0);
  EXPECT_EQ(Run({"cat", "small.bin", "small"}).out, "12345678");
}

TEST_F(WriteTest, StandardOutputGetsTheSameBytes) {
  ASSERT_EQ(Run(Pack("x.ptd")).exit_code, 0);
  const ToolResult piped = Run(Pack("-", {"-v"}));
  EXPECT_EQ(piped.exit_code, 0);
  EXPECT_EQ(piped.out, ReadFile(dir_ / "x.ptd"));
  EXPECT_THAT(piped.err, StartsWith("standard output: 2 payloads, 3.0 MiB: "));
  const ToolResult json = Run(Pack("-", {"--json"}));
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_EQ(json.err, "pte: --json and -o - both want standard output\n");
}

TEST_F(WriteTest, ClosedPipesAndFullDisks) {
  const ToolResult closed = Run(Pack("-"), Stdout::kClosedPipe);
  EXPECT_EQ(closed.exit_code, 0);
  EXPECT_EQ(closed.err, "");
  const ToolResult full = Run(Pack("-"), Stdout::kFullDisk);
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_EQ(full.err, "pte: standard output: writing: No space left on device\n");
  EXPECT_EQ(Run(Pack("-"), Stdout::kNone).exit_code, 2);
}

TEST_F(WriteTest, DevicesAndPipesAreWrittenThroughTo) {
  const ToolResult full = Run(Pack("/dev/full"));
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_EQ(full.err, "pte: /dev/full: writing: No space left on device\n");
  EXPECT_EQ(Run(Pack("/dev/null")).exit_code, 0);
  ASSERT_EQ(Run(Pack("x.ptd")).exit_code, 0);
  const NamedPipe pipe(dir_ / "pipe");
  RunningTool tool(Pack("pipe"), {.directory = dir_.path()});
  std::string all;
  for (std::string some = pipe.ReadSome(); !some.empty(); some = pipe.ReadSome()) all += some;
  EXPECT_EQ(all, ReadFile(dir_ / "x.ptd"));
  EXPECT_EQ(tool.Wait().exit_code, 0);
}

TEST_F(WriteTest, AReportAddsUpAndIsWhatWasWritten) {
  ASSERT_EQ(Run(Pack("x.ptd")).exit_code, 0);
  const Json report = JsonOf({"add", "x.ptd", "-o", "y.ptd", "more=small.bin", "--json"});
  EXPECT_EQ(report.begin().key(), "pte_json");
  EXPECT_EQ(report["file"], "y.ptd");
  EXPECT_EQ(report["size"], std::filesystem::file_size(dir_ / "y.ptd"));
  uint64_t sum = 0;
  for (const char* part : {"bytes_written", "bytes_copied", "bytes_cloned", "bytes_moved"}) sum += report[part].get<uint64_t>();
  EXPECT_EQ(sum, report["size"]);
  const Json entries = Entries({"y.ptd"}, {.directory = dir_.path()});
  ASSERT_EQ(report["payloads"].size(), entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    for (const char* member : {"role", "key", "offset", "size"}) EXPECT_EQ(report["payloads"][i][member], entries[i][member]);
  }
}

TEST_F(WriteTest, APlanIsWhatIsWritten) {
  for (const char* file : {"partially_delegated.pte", "mutable_buffer_init.pte", "flat_tensor_shared.ptd", "delegate_inline.pte"}) {
    const std::string input = Fixtures() / file;
    const std::vector<std::string> plan_args = {"add", input, "-o", "y", "more=small.bin", "--dry-run", "--json"};
    const Json plan = JsonOf(plan_args);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "y"));
    const Json report = JsonOf({"add", input, "-o", "y", "more=small.bin", "--json"});
    EXPECT_EQ(plan["size"], report["size"]) << file;
    EXPECT_EQ(plan["extra_disk"], report["size"]) << file;
    ASSERT_EQ(plan["payloads"].size(), report["payloads"].size()) << file;
    for (size_t i = 0; i < report["payloads"].size(); ++i) {
      for (const char* member : {"role", "key", "offset", "size"}) EXPECT_EQ(plan["payloads"][i][member], report["payloads"][i][member]);
    }
    std::filesystem::remove(dir_ / "y");
  }
}

TEST_F(WriteTest, ASummaryWhereAsked) {
  const ToolResult result = Run(Pack("x.ptd", {"-v", "--bytes"}));
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, testing::MatchesRegex("x.ptd: 2 payloads, [0-9]+: [0-9]+ written, [0-9]+ copied, [0-9]+ cloned, [0-9]+ moved\n"));
}

TEST_F(WriteTest, BeyondTheLimitForFileSizesNothingIsLeft) {
  const ToolResult packed = RunTool(Pack("x.ptd"), {.directory = dir_.path(), .file_size_limit = 1 << 20});
  EXPECT_EQ(packed.exit_code, 2);
  EXPECT_THAT(packed.err, StartsWith("pte: x.ptd: larger than this process may write into a file; wanted "));
  EXPECT_THAT(FilesBelow(dir_.path()), ElementsAre(Key("large.bin"), Key("small.bin")));
  ASSERT_EQ(Run(Pack("x.ptd")).exit_code, 0);
  const ToolResult extracted = RunTool({"extract", "x.ptd", "-o", "parts"}, {.directory = dir_.path(), .file_size_limit = 1 << 20});
  EXPECT_EQ(extracted.exit_code, 2);
  EXPECT_THAT(extracted.err, StartsWith("pte: parts/named/large: "));
  EXPECT_THAT(FilesBelow(dir_.path()), ElementsAre(Key("large.bin"), Key("small.bin"), Key("x.ptd")));
}

TEST_F(WriteTest, ATerminalSeesTheProgressAndIsLeftClean) {
  const std::string key = "large\x1b[31m\nkey";
  ToolOptions options{dir_.path()};
  options.standard_error = Stderr::kTerminal;
  const ToolResult result = RunTool({"pack", "-o", "x.ptd", key + "=large.bin"}, options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, StartsWith("\rx.ptd: 0% of 3.0 MiB  "));
  EXPECT_THAT(result.err, testing::ContainsRegex("\r +\r$"));
  EXPECT_THAT(result.err, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n"))));
}

// Waits until the tool notes signals instead of ending by them; false where it never does.
bool WaitUntilGuarded(pid_t pid, int signal) {
  constexpr int kPatience = 30'000;
  const Pattern caught("SigCgt:\\s*([0-9a-f]+)");
  for (int i = 0; i < kPatience; ++i) {
    const std::vector<std::string> masks = caught.FirstGroups(ReadFile("/proc/" + std::to_string(pid) + "/status"));
    if (!masks.empty() && ((std::stoull(masks.front(), nullptr, 16) >> (signal - 1)) & 1) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// A file as a disk; "" where there can be none.
class LoopDevice {
 public:
  explicit LoopDevice(const std::filesystem::path& image) {
    std::array<char, 256> line{};
    FILE* out = ::popen((kLosetup + "-f --show " + image.string() + " 2>/dev/null").c_str(), "r");
    if (out == nullptr) return;
    if (std::fgets(line.data(), line.size(), out) != nullptr) path_ = line.data();
    ::pclose(out);
    path_.erase(std::min(path_.find('\n'), path_.size()));
  }
  ~LoopDevice() {
    if (path_.empty()) return;
    EXPECT_EQ(std::system((kLosetup + "-d " + path_).c_str()), 0);
  }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;

  const std::string& path() const { return path_; }

 private:
  const std::string kLosetup = "PATH=$PATH:/usr/sbin:/sbin losetup ";
  std::string path_;
};

TEST_F(WriteTest, ADiskIsNotWrittenTo) {
  const std::string bytes(size_t{1} << 20, 'd');
  WriteFile(dir_ / "image", bytes);
  {
    const LoopDevice device(dir_ / "image");
    if (device.path().empty()) GTEST_SKIP() << "no loop devices here";
    for (const bool force : {false, true}) {
      std::vector<std::string> line = Pack(device.path());
      if (force) line.emplace_back("--force");
      const ToolResult result = Run(line);
      EXPECT_EQ(result.exit_code, 2);
      EXPECT_THAT(result.err, HasSubstr("this is a disk"));
    }
  }
  EXPECT_EQ(ReadFile(dir_ / "image"), bytes);
}

// The terminal holds the tool where it first shows its progress, so that the signal always meets it at work.
TEST_F(WriteTest, AnInterruptLeavesNothing) {
  ASSERT_EQ(Run(Pack("x.ptd")).exit_code, 0);
  const std::map<std::string, std::string> before = FilesBelow(dir_.path());
  const std::vector<std::vector<std::string>> lines = {Pack("y.ptd"),
                                                       {"add", "x.ptd", "--in-place", "more=small.bin"},
                                                       {"rm", "x.ptd", "-o", "y.ptd", "small"},
                                                       {"extract", "x.ptd", "-o", "parts"}};
  for (const std::vector<std::string>& line : lines) {
    for (const int signal : {SIGINT, SIGTERM}) {
      ToolOptions options{dir_.path()};
      options.standard_error = Stderr::kHeldTerminal;
      RunningTool tool(line, options);
      ASSERT_TRUE(WaitUntilGuarded(tool.pid(), signal));
      ASSERT_EQ(::kill(tool.pid(), signal), 0);
      tool.ReleaseTerminal();
      const ToolResult result = tool.Wait();
      EXPECT_EQ(result.exit_code, 128 + signal) << testing::PrintToString(line);
      EXPECT_THAT(result.err, EndsWith("pte: interrupted; nothing is left of what was being written\r\n"));
      EXPECT_EQ(FilesBelow(dir_.path()), before) << testing::PrintToString(line);
    }
  }
}

// Whether a hidden engine in the folder has begun to shrink: its move is behind its commit point.
bool IsDraining(const std::filesystem::path& folder, uintmax_t size) {
  std::error_code gone;  // names come and go while we look
  for (const auto& file : std::filesystem::directory_iterator(folder, gone)) {
    if (file.path().extension() == ".pte-drain" && std::filesystem::file_size(file.path(), gone) < size) return true;
  }
  return false;
}

// Before its commit point a move is undone; the terminal holds the tool there.
TEST_F(WriteTest, AnInterruptedMoveLeavesTheEngine) {
  const TempDir dir(FolderInMemory());
  const std::string engine(size_t{16} << 20, 'e');
  WriteFile(dir / "engine", engine);
  ToolOptions options{dir.path()};
  options.standard_error = Stderr::kHeldTerminal;
  RunningTool tool({"pack", "-o", "new.ptd", "--move", "e=engine"}, options);
  ASSERT_TRUE(WaitUntilGuarded(tool.pid(), SIGINT));
  ASSERT_EQ(::kill(tool.pid(), SIGINT), 0);
  tool.ReleaseTerminal();
  EXPECT_EQ(tool.Wait().exit_code, 128 + SIGINT);
  EXPECT_THAT(FilesBelow(dir.path()), ElementsAre(testing::Pair("engine", engine)));
}

// Behind it the move is finished, and said to be. The signal may also come when all is done, and ends the tool: so some tries.
TEST_F(WriteTest, AnInterruptThatComesTooLateIsSaidToBe) {
  constexpr uintmax_t kSize = uintmax_t{128} << 20;
  bool is_said = false;
  bool was_draining = false;
  for (int i = 0; i < 20 && !is_said; ++i) {
    const TempDir dir(FolderInMemory());
    WriteFile(dir / "engine", "e");
    std::filesystem::resize_file(dir / "engine", kSize);
    RunningTool tool({"pack", "-o", "new.ptd", "--move", "e=engine"}, {.directory = dir.path()});
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    bool is_draining = false;
    while (!is_draining && !std::filesystem::exists(dir / "new.ptd") && std::chrono::steady_clock::now() < patience) {
      is_draining = IsDraining(dir.path(), kSize);
    }
    was_draining = was_draining || is_draining;
    ::kill(tool.pid(), SIGINT);
    const ToolResult result = tool.Wait();
    EXPECT_TRUE(std::filesystem::exists(dir / "new.ptd"));
    EXPECT_FALSE(std::filesystem::exists(dir / "engine"));
    is_said = result.exit_code == 0 && result.err == "pte: new.ptd: complete; the interruption came too late to stop it\n";
    EXPECT_TRUE(is_said || result.exit_code == 0 || result.exit_code == 128 + SIGINT) << result.err;
  }
  if (!was_draining) GTEST_SKIP() << "no file system in memory here";
  EXPECT_TRUE(is_said);
}

TEST_F(WriteTest, AnInterruptEndsWaitingForAReader) {
  const NamedPipe pipe(dir_ / "pipe");
  RunningTool tool(Pack("pipe"), {.directory = dir_.path()});
  EXPECT_NE(pipe.ReadSome(), "");
  ASSERT_EQ(::kill(tool.pid(), SIGINT), 0);
  EXPECT_EQ(tool.Wait().exit_code, 128 + SIGINT);
}

}  // namespace
}  // namespace pte::test
