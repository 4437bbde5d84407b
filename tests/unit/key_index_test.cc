// Keys are found by all their bytes, however many there are, and equal ones are met.
#include <initializer_list>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/container/key_index.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

// Keys laid out one after the other, as in a flatbuffer.
class Keys {
 public:
  explicit Keys(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) text_.append(key).push_back('\0');
    size_t at = 0;
    for (const std::string& key : keys) {
      views_.emplace_back(text_.data() + at, key.size());
      at += key.size() + 1;
    }
  }
  const char* begin() const { return text_.data(); }
  const std::vector<std::string_view>& views() const { return views_; }

 private:
  std::string text_;
  std::vector<std::string_view> views_;
};

std::optional<KeyIndex::Pair> Build(const Keys& keys, KeyIndex& index) {
  EXPECT_THAT(index.Reserve(keys.views().size(), keys.begin()), IsOk());
  for (size_t i = 0; i < keys.views().size(); ++i) {
    if (const auto pair = index.Add(static_cast<uint32_t>(i), keys.views()[i])) return pair;
  }
  return index.Finish();
}

TEST(KeyIndexTest, FindsEachKeyAtEveryCount) {
  for (const size_t count : std::initializer_list<size_t>{0, 1, 2, 31, 32, 33, 64, 1000, 70000}) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back("key." + std::to_string(i));
    const Keys keys(names);
    KeyIndex index;
    EXPECT_EQ(Build(keys, index), std::nullopt);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(index.Find(names[i]), i);
    EXPECT_EQ(index.Find("key"), std::nullopt);
    EXPECT_EQ(index.Find(""), std::nullopt);
  }
}

TEST(KeyIndexTest, ComparesAllBytesNulIncluded) {
  const Keys keys({std::string("a\0b", 3), std::string("a\0c", 3), "a", "", std::string("\0", 1)});
  KeyIndex index;
  EXPECT_EQ(Build(keys, index), std::nullopt);
  for (size_t i = 0; i < keys.views().size(); ++i) EXPECT_EQ(index.Find(keys.views()[i]), i);
  EXPECT_EQ(index.Find(std::string_view("a\0", 2)), std::nullopt);
}

TEST(KeyIndexTest, MeetsEqualKeysWhereverTheyAre) {
  for (const size_t second : std::initializer_list<size_t>{1, 31, 32, 99}) {
    std::vector<std::string> names;
    for (size_t i = 0; i < 100; ++i) names.push_back(std::to_string(i));
    names[second] = names[0];
    KeyIndex index;
    EXPECT_EQ(Build(Keys(names), index), KeyIndex::Pair(0, static_cast<uint32_t>(second)));
  }
}

}  // namespace
}  // namespace pte::test
