// Files for tests: whole contents in and out, and a folder that goes away.
#ifndef PTE_TESTS_SUPPORT_FILES_H_
#define PTE_TESTS_SUPPORT_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>

namespace pte::test {

// Fail the test where the file cannot be read or written.
std::string ReadFile(const std::filesystem::path& path);
void WriteFile(const std::filesystem::path& path, std::string_view bytes);

// A new empty folder, removed with everything in it.
class TempDir {
 public:
  TempDir();
  explicit TempDir(const std::filesystem::path& parent);
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// A parent for folders whose files never reach a disk, for tests that would wait for it a thousand times; the usual one where there is
// none.
std::filesystem::path FolderInMemory();

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_FILES_H_
