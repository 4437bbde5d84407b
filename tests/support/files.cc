#include "tests/support/files.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "gtest/gtest.h"

namespace pte::test {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void WriteFile(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  EXPECT_TRUE(out.good()) << "cannot write " << path;
}

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "pte-test-XXXXXX").string();
  EXPECT_NE(::mkdtemp(name.data()), nullptr) << name;
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace pte::test
