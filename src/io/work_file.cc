#include "src/io/work_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "src/base/text.h"
#include "src/io/hidden_names.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

constexpr size_t kRandomDigits = 16;     // of the number in a work file's name
constexpr uint32_t kNewFileMode = 0666;  // before the process's umask

// PREFIX + random number + suffix, and nothing else: another target's hidden names may begin and end alike.
bool IsWorkName(absl::string_view name, const std::string& prefix) {
  if (!absl::ConsumePrefix(&name, prefix) || !absl::ConsumeSuffix(&name, ToAbsl(kWorkSuffix))) return false;
  return name.size() == kRandomDigits && std::all_of(name.begin(), name.end(), absl::ascii_isxdigit);
}

}  // namespace

absl::StatusOr<WorkFile> CreateWorkFile(const Target& target) {
  constexpr int kTries = 100;
  const uint32_t mode = target.old_file ? target.old_file->mode & kNewFileMode : kNewFileMode;
  for (uint64_t i = 0; i < kTries; ++i) {
    std::string path = target.Hidden(absl::StrCat("-", absl::Hex(sys::Random() + i, absl::kZeroPad16), ToAbsl(kWorkSuffix)));
    Descriptor fd(Uninterrupted([&] { return sys::CreateNew(path.c_str(), mode); }));
    if (fd.is_open()) return WorkFile{std::move(fd), std::move(path)};
    if (errno != EEXIST) return FromErrno(errno, target.path, "creating a file beside it");
  }
  return FromErrno(EEXIST, target.path, "creating a file beside it");
}

void RemoveLeftovers(const Target& target) {
  std::vector<std::string> names;
  if (sys::ListFolder(target.folder.c_str(), names) != 0) return;
  const std::string prefix = HiddenName(target.name, "-");
  const std::string new_journal = HiddenName(target.name, kNewJournalSuffix);
  for (const std::string& name : names) {
    if (IsWorkName(name, prefix) || name == new_journal) RemoveOwn(target.InFolder(name));
  }
}

}  // namespace pte
