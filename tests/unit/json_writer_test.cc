// JSON that programs can rely on: exact integers, doubles that are not finite, keys that are not UTF-8, nothing raw.
#include <cmath>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "src/flatbuffer/json_writer.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

template <class Write>
std::string Written(Write write, int indent = 0) {
  std::string out;
  StringSink sink(out);
  JsonWriter writer(sink, indent);
  write(writer);
  EXPECT_THAT(writer.Finish(), IsOk());
  return out;
}

std::string Number(double value) {
  return Written([&](JsonWriter& w) { w.Double(value); });
}
std::string Text(std::string_view value) {
  return Written([&](JsonWriter& w) { w.String(value); });
}

TEST(JsonWriterTest, IntegersAreExact) {
  EXPECT_EQ(Written([](JsonWriter& w) { w.Unsigned(UINT64_MAX); }), "18446744073709551615\n");
  EXPECT_EQ(Written([](JsonWriter& w) { w.Signed(INT64_MIN); }), "-9223372036854775808\n");
}

TEST(JsonWriterTest, DoublesRoundTripAndAreNeverIntegers) {
  EXPECT_EQ(Number(0.5), "0.5\n");
  EXPECT_EQ(Number(5), "5.0\n");
  EXPECT_EQ(Number(-0.0), "-0.0\n");
  EXPECT_EQ(Number(1e300), "1e+300\n");
  for (const double value : {0.1, 1.0 / 3, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()}) {
    EXPECT_EQ(nlohmann::json::parse(Number(value)).get<double>(), value);
  }
}

TEST(JsonWriterTest, WhatIsNotFiniteIsAnObject) {
  EXPECT_EQ(Number(INFINITY), "{\"double\": \"inf\"}\n");
  EXPECT_EQ(Number(-INFINITY), "{\"double\": \"-inf\"}\n");
  EXPECT_EQ(Number(std::bit_cast<double>(uint64_t{0x7ff8000000000001})), "{\"double\": \"nan:0x7ff8000000000001\"}\n");
}

TEST(JsonWriterTest, TextIsEscapedToAscii) {
  EXPECT_EQ(Text("plain"), "\"plain\"\n");
  EXPECT_EQ(Text("\"\\\n\x1b\x7f"), "\"\\\"\\\\\\n\\u001b\\u007f\"\n");
  EXPECT_EQ(Text("\xc3\xa9\xc2\x9b"), "\"\\u00e9\\u009b\"\n");
  EXPECT_EQ(Text(std::string_view("a\0b", 3)), "\"a\\u0000b\"\n");
}

TEST(JsonWriterTest, WhatIsNotUtf8IsBase64) {
  EXPECT_EQ(Text("\xff\xfe"), "{\"base64\": \"//4=\"}\n");
  EXPECT_EQ(Text("\xed\xa0\x80"), "{\"base64\": \"7aCA\"}\n");
}

TEST(JsonWriterTest, LongTextIsCutBetweenCharactersOnly) {
  for (const std::string character : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x99\x82"}) {
    std::string text = "x";
    while (text.size() < 100'000) text += character;
    EXPECT_EQ(nlohmann::json::parse(Text(text)).get<std::string>(), text);
    EXPECT_EQ(Text(text + "\xff").substr(0, 11), "{\"base64\": ");
  }
}

TEST(JsonWriterTest, NegativeIndentIsNone) {
  EXPECT_EQ(Written(
                [](JsonWriter& w) {
                  w.BeginArray();
                  w.Unsigned(1);
                  w.EndArray();
                },
                -1),
            "[1]\n");
}

TEST(JsonWriterTest, LongBase64HasNoPaddingInside) {
  const std::string bytes(200'000, '\xff');
  const std::string text = Written([&](JsonWriter& w) { w.Base64(bytes); });
  EXPECT_EQ(text.find('='), text.size() - 3);
}

TEST(JsonWriterTest, IndentsByLevelAndKeepsFlatArraysOnALine) {
  EXPECT_EQ(Written(
                [](JsonWriter& w) {
                  w.BeginObject();
                  w.Key("a");
                  w.BeginFlatArray();
                  w.Unsigned(1);
                  w.Unsigned(2);
                  w.EndArray();
                  w.Key("b");
                  w.BeginArray();
                  w.Bool(true);
                  w.EndArray();
                  w.Key("c");
                  w.BeginObject();
                  w.EndObject();
                  w.EndObject();
                },
                1),
            "{\n \"a\": [1, 2],\n \"b\": [\n  true\n ],\n \"c\": {}\n}\n");
}

TEST(JsonWriterTest, StopsAtTheFirstErrorOfTheSink) {
  class FullSink final : public ByteSink {
   public:
    absl::Status Append(std::span<const std::byte>) override {
      ++calls;
      return absl::ResourceExhaustedError("full");
    }
    int calls = 0;
  } sink;
  JsonWriter writer(sink, 0);
  writer.BeginArray();
  for (int i = 0; i < 100'000; ++i) writer.Unsigned(12345678);
  writer.EndArray();
  EXPECT_FALSE(writer.ok());
  EXPECT_THAT(writer.Finish(), HasCode(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(sink.calls, 1);
}

}  // namespace
}  // namespace pte::test
