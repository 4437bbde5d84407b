// The dumps of schema/FORMAT.md are the bytes of the files that they name.
#include <filesystem>
#include <sstream>
#include <string>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"

namespace pte::test {
namespace {

std::string Dump(const std::string& bytes) {
  constexpr size_t kShown = 64;
  constexpr size_t kRow = 16;
  std::string out;
  for (size_t row = 0; row < kShown; row += kRow) {
    absl::StrAppendFormat(&out, "%08x:", row);
    for (size_t i = row; i < row + kRow; ++i) absl::StrAppendFormat(&out, " %02x", static_cast<unsigned char>(bytes.at(i)));
    out += "\n";
  }
  return out;
}

TEST(FormatDocTest, DumpsAreTheBytesOfTheirFiles) {
  const std::filesystem::path root = PTE_SOURCE_DIR;
  std::istringstream page(ReadFile(root / "schema" / "FORMAT.md"));
  const std::string fence = "```hex ";
  int dumps = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind(fence, 0) != 0) continue;
    const std::string file = line.substr(fence.size());
    std::string dump;
    while (std::getline(page, line) && line != "```") dump += line + "\n";
    EXPECT_EQ(dump, Dump(ReadFile(root / file))) << file;
    ++dumps;
  }
  EXPECT_EQ(dumps, 4);
}

}  // namespace
}  // namespace pte::test
