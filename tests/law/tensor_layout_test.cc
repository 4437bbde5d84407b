// Tensor layouts are checked when they enter a store, and come out of a .ptd as they went in.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/contents.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

struct LayoutCase {
  fb::ScalarType type;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  size_t bytes;

  TensorLayout layout() const { return {type, sizes, dim_order}; }
};

constexpr fb::ScalarType kFloat = fb::ScalarType::FLOAT;

TEST(TensorLayoutTest, SoundLayoutsAreTakenAndComeBackAsTheyWere) {
  const LayoutCase cases[] = {
      {kFloat, {2, 2}, {0, 1}, 16},
      {kFloat, {1, 2, 2, 2}, {0, 2, 3, 1}, 32},
      {kFloat, {}, {}, 4},
      {kFloat, {0, 3}, {1, 0}, 0},
      {kFloat, {INT32_MAX, INT32_MAX, INT32_MAX, 0}, {0, 1, 2, 3}, 0},
      {fb::ScalarType::BYTE, {5}, {0}, 5},
      {fb::ScalarType::BFLOAT16, {3}, {0}, 6},
      {fb::ScalarType::DOUBLE, {3}, {0}, 24},
      {fb::ScalarType::BOOL, {7}, {0}, 7},
      // Elements of these share bytes: how many there are is the backend's matter.
      {fb::ScalarType::QUINT4X2, {3}, {0}, 2},
      {fb::ScalarType::QUINT2X4, {9}, {0}, 3},
  };
  for (const LayoutCase& c : cases) {
    PtdContents contents;
    ASSERT_THAT(contents.named_data.Add("t", Copy(Bytewise(c.bytes)), {.tensor_layout = c.layout()}), IsOk());
    ASSERT_THAT(contents.named_data.Add("opaque", Copy("x")), IsOk());
    const PtdFile file = OpenPtd(Written(contents));
    const PtdEntry* entry = file.FindEntry("t");
    ASSERT_TRUE(entry != nullptr && entry->tensor_layout);
    EXPECT_EQ(entry->tensor_layout->scalar_type, c.type);
    EXPECT_THAT(entry->tensor_layout->sizes, testing::ElementsAreArray(c.sizes));
    EXPECT_THAT(entry->tensor_layout->dim_order, testing::ElementsAreArray(c.dim_order));
    EXPECT_EQ(TextOf(file.Find("t")), Bytewise(c.bytes));
    EXPECT_FALSE(file.FindEntry("opaque")->tensor_layout);
  }
}

TEST(TensorLayoutTest, ContradictionsAreRefusedByName) {
  const struct {
    LayoutCase layout;
    std::string what;
  } cases[] = {
      {{static_cast<fb::ScalarType>(23 + 50), {1}, {0}, 4}, "no such element type"},
      {{static_cast<fb::ScalarType>(-1), {1}, {0}, 4}, "no such element type"},
      {{static_cast<fb::ScalarType>(18), {1}, {0}, 4}, "no such element type"},
      {{kFloat, {-1}, {0}, 4}, "negative"},
      {{kFloat, {0, -2}, {0, 1}, 0}, "negative"},
      {{kFloat, {INT32_MIN, INT32_MIN}, {0, 1}, 0}, "negative"},
      {{kFloat, {2, 2}, {0}, 16}, "no permutation"},
      {{kFloat, {2, 2}, {0, 1, 2}, 16}, "no permutation"},
      {{kFloat, {2, 2}, {0, 0}, 16}, "no permutation"},
      {{kFloat, {2, 2}, {1, 2}, 16}, "no permutation"},
      {{kFloat, {2, 2}, {0, 255}, 16}, "no permutation"},
      {{kFloat, {}, {0}, 4}, "no permutation"},
      {{kFloat, {2, 2}, {0, 1}, 15}, "wanted 16 (0x10) bytes, found 15 (0xf) bytes"},
      {{kFloat, {2, 2}, {0, 1}, 17}, "wanted 16 (0x10) bytes, found 17 (0x11) bytes"},
      {{kFloat, {2, 2}, {0, 1}, 0}, "wanted 16 (0x10) bytes, found 0 bytes"},
      {{kFloat, {0}, {0}, 4}, "0 bytes, found 4 bytes"},
      {{kFloat, {}, {}, 0}, "4 bytes, found 0 bytes"},
      // 4 * 2^62 wraps to 0.
      {{kFloat, {1 << 30, 1 << 30, 4}, {0, 1, 2}, 0}, "the payload's"},
      {{kFloat, {INT32_MAX, INT32_MAX, INT32_MAX}, {0, 1, 2}, 4}, "the payload's"},
  };
  for (const auto& c : cases) {
    NamedDataStore store;
    EXPECT_THAT(store.Add("key", Copy(Bytewise(c.layout.bytes)), {.tensor_layout = c.layout.layout()}),
                testing::AllOf(HasCodeAndMessage(StatusCode::kInvalidArgument, c.what),
                               HasCodeAndMessage(StatusCode::kInvalidArgument, "\"key\"")));
    EXPECT_TRUE(store.empty());
  }
}

TEST(TensorLayoutTest, LayoutsAreCopied) {
  NamedDataStore store;
  std::vector<int32_t> sizes = {2, 2};
  std::vector<uint8_t> dim_order = {1, 0};
  ASSERT_THAT(store.Add("key", Copy(Bytewise(16)), {.tensor_layout = TensorLayout{kFloat, sizes, dim_order}}), IsOk());
  sizes = {7, 7};
  dim_order = {9, 9};
  const NamedDataStore copy = store;
  ASSERT_THAT(store.Remove("key"), IsOk());
  EXPECT_THAT(copy.Find("key")->tensor_layout()->sizes, testing::ElementsAre(2, 2));
  EXPECT_THAT(copy.Find("key")->tensor_layout()->dim_order, testing::ElementsAre(1, 0));
}

TEST(TensorLayoutTest, OneBytesMayHaveSeveralLayouts) {
  PtdContents contents;
  const std::vector<int32_t> flat = {4};
  const std::vector<int32_t> square = {2, 2};
  const std::vector<uint8_t> order = {0, 1};
  ASSERT_THAT(contents.named_data.Add("flat", Copy(Bytewise(16)), {.tensor_layout = TensorLayout{kFloat, flat, std::span(order).first(1)}}),
              IsOk());
  ASSERT_THAT(contents.named_data.Add("square", Copy(Bytewise(16)), {.tensor_layout = TensorLayout{kFloat, square, order}}), IsOk());
  const PtdFile file = OpenPtd(Written(contents));
  EXPECT_EQ(file.segments().size(), 1u);
  EXPECT_THAT(file.FindEntry("flat")->tensor_layout->sizes, testing::ElementsAre(4));
  EXPECT_THAT(file.FindEntry("square")->tensor_layout->sizes, testing::ElementsAre(2, 2));
}

}  // namespace
}  // namespace pte::test
