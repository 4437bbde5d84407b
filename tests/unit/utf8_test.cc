// UTF-8 as the JSON library judges it, which is by RFC 3629.
#include "src/base/utf8.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace pte {
namespace {

bool IsUtf8ToJson(const std::string& text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

TEST(Utf8Test, TwoBytesAreJudgedAsTheJsonLibraryDoes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text = {static_cast<char>(a), static_cast<char>(b)};
      EXPECT_EQ(IsUtf8(text), IsUtf8ToJson(text)) << a << " " << b;
    }
  }
}

TEST(Utf8Test, FourBytesAtTheBoundsAreJudgedAsTheJsonLibraryDoes) {
  const std::vector<int> bounds = {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2,
                                   0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf3, 0xf4, 0xf5};
  std::string text(4, '\0');
  for (const int a : bounds) {
    for (const int b : bounds) {
      for (const int c : {0x41, 0x7f, 0x80, 0xbf, 0xc0}) {
        for (const int d : {0x41, 0x7f, 0x80, 0xbf, 0xc0}) {
          text = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c), static_cast<char>(d)};
          EXPECT_EQ(IsUtf8(text), IsUtf8ToJson(text)) << a << " " << b << " " << c << " " << d;
        }
      }
    }
  }
}

TEST(Utf8Test, ACutCharacterIsNone) {
  for (const char* whole : {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x99\x82"}) {
    const std::string text = whole;
    EXPECT_TRUE(IsUtf8("x" + text + "x"));
    for (size_t size = 1; size < text.size(); ++size) EXPECT_FALSE(IsUtf8(text.substr(0, size)));
  }
  EXPECT_TRUE(IsUtf8(""));
}

}  // namespace
}  // namespace pte
