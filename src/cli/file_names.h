// File names for what a container holds. A name from a file is never a path.
#ifndef PTE_SRC_CLI_FILE_NAMES_H_
#define PTE_SRC_CLI_FILE_NAMES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace pte::cli {

// `text` as a file name: bytes other than [A-Za-z0-9_-] and inner dots are %XX, "" is "%". One that would be longer than 200 characters is
// cut there and goes on with "~" and the first 16 digits of the text's SHA-256.
std::string FileName(std::string_view text);

// Whether FileName, or FileNames, could have made it.
bool IsFileName(std::string_view name);

// Names of one folder: no two are the same, even where letters of both cases are.
class FileNames {
 public:
  // FileName(text), with "~2", "~3", ... behind it where it is taken.
  std::string Make(std::string_view text);

 private:
  std::map<std::string, uint64_t> taken_;
};

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_FILE_NAMES_H_
