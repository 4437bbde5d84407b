// A plan is the file, byte for byte, before a byte is written; and whatever is asked of a place holds in the file.
#include "pte/layout.h"

#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/allocations.h"
#include "tests/support/contents.h"
#include "tests/support/expect_plan.h"
#include "tests/support/files.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;

// Contents of any size and shape, with all that they must give back.
class RandomContents {
 public:
  explicit RandomContents(unsigned seed) : random_(seed) {
    contents.program = OneMethod();
    for (size_t i = Number(4); i > 0; --i) constants.push_back(Payload(Number(70)));
    for (size_t i = Number(4); i > 0; --i) mutable_data.push_back(Payload(Number(40)));
    for (size_t i = Number(4); i > 0; --i) delegates.push_back(Payload(Pick({0, 1, 99, 128, 5000})));
    for (size_t i = Number(6); i > 0; --i) named.push_back(Payload(Pick({0, 1, 127, 128, 129, 4096, 9000})));
    for (const std::string& bytes : constants) contents.constants.push_back(Copy(bytes));
    for (const std::string& bytes : mutable_data) contents.mutable_data.push_back(Copy(bytes));
    AddDelegates();
    for (size_t i = 0; i < named.size(); ++i) {
      EXPECT_THAT(contents.named_data.Add(std::to_string(i), Copy(named[i]), {.alignment = Pick({1, 3, 4, 5, 64, 128, 1024, 4096, 384})}),
                  IsOk());
    }
    layout.segment_alignment = Pick({1, 2, 12, 16, 128, 4096});
    layout.constant_alignment = Pick({1, 8, 16, 64, 1024, 4096});
    layout.delegate_alignment = Pick({1, 4, 16, 128, 1024});
    layout.large_segment_threshold = Pick({0, 100, 4096, 1 << 20});
    layout.large_segment_alignment = Pick({1, 4096, 16384, 6});
    layout.inline_delegates = Number(2) == 0;
  }

  PteContents contents;
  LayoutOptions layout;
  std::vector<std::string> constants;
  std::vector<std::string> mutable_data;
  std::vector<std::string> delegates;
  std::vector<std::string> named;
  std::vector<uint32_t> payload_of_delegate;

 private:
  size_t Number(size_t below) { return random_() % below; }
  size_t Pick(const std::vector<size_t>& from) { return from[Number(from.size())]; }
  // Some are equal, on purpose.
  std::string Payload(size_t size) { return Bytewise(size, static_cast<unsigned>(Number(3))); }

  void AddDelegates() {
    using Placement = DelegatePayload::Placement;
    std::vector<uint32_t> indices;
    for (size_t i = 0; i < delegates.size(); ++i) {
      const Placement placement = std::vector{Placement::kByOptions, Placement::kInline, Placement::kSegment}[Number(3)];
      contents.delegate_payloads.emplace_back(Copy(delegates[i]), placement);
      indices.insert(Number(2) == 0 ? indices.begin() : indices.end(), static_cast<uint32_t>(i));
    }
    contents.program = WithDelegates(indices);
    payload_of_delegate = indices;
  }

  std::mt19937 random_;
};

// `most`: the powers of two up to it hold; all alignments where it is 0.
void ExpectPayloads(const RandomContents& in, const PteFile& file, uint64_t most = 0) {
  ASSERT_EQ(file.constant_count(), in.constants.size() + 1);
  for (size_t i = 0; i < in.constants.size(); ++i) {
    EXPECT_EQ(TextOf(file.Constant(i + 1)).substr(0, in.constants[i].size()), in.constants[i]);
    EXPECT_TRUE(in.constants[i].empty() || file.Constant(i + 1)->file_offset() % in.layout.constant_alignment == 0);
  }
  for (size_t i = 0; i < in.mutable_data.size() && file.mutable_data_count() > 0; ++i) {
    EXPECT_EQ(TextOf(file.MutableData(i + 1)), in.mutable_data[i]);
  }
  for (size_t i = 0; i < in.delegates.size(); ++i) {
    const absl::StatusOr<Payload> payload = file.DelegatePayload(0, i);
    EXPECT_EQ(TextOf(payload), in.delegates[in.payload_of_delegate[i]]);
  }
  for (size_t i = 0; i < in.named.size(); ++i) {
    const std::string key = std::to_string(i);
    EXPECT_EQ(TextOf(file.FindNamedData(key)), in.named[i]);
    const uint64_t alignment = std::gcd(in.contents.named_data.Find(key)->alignment(), most);
    EXPECT_TRUE(in.named[i].empty() || file.FindNamedData(key)->file_offset() % alignment == 0);
  }
}

TEST(LayoutTest, WhateverIsAskedHoldsInTheFile) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const RandomContents in(seed);
    ASSERT_OK_AND_ASSIGN(const LayoutPlan plan, PlanPte(in.contents, in.layout));
    const std::string bytes = Written(in.contents, in.layout);
    ASSERT_NO_FATAL_FAILURE(ExpectPlanIsFile(plan, bytes, in.layout));
    const PteFile file = OpenPte(bytes);
    // A base that is hardly aligned is what was asked for.
    for (const Finding& note : file.notes()) EXPECT_EQ(note.rule, "H22") << note.message;
    ASSERT_NO_FATAL_FAILURE(ExpectPayloads(in, file));
  }
}

TEST(LayoutTest, TheSameHoldsForTensorData) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomContents in(seed);
    PtdContents contents;
    contents.named_data = in.contents.named_data;
    ASSERT_OK_AND_ASSIGN(const LayoutPlan plan, PlanPtd(contents, in.layout));
    const std::string bytes = Written(contents, in.layout);
    ASSERT_NO_FATAL_FAILURE(ExpectPlanIsFile(plan, bytes, in.layout));
    const PtdFile file = OpenPtd(bytes);
    ASSERT_EQ(file.entries().size(), in.named.size());
    for (size_t i = 0; i < in.named.size(); ++i) EXPECT_EQ(TextOf(file.Find(std::to_string(i))), in.named[i]);
  }
}

// Rewriting a file keeps every place, whatever layout it was written in and is saved in.
TEST(LayoutTest, WhatIsRewrittenKeepsItsPlace) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomContents in(seed);
    const std::string bytes = Written(in.contents, in.layout);
    const PteFile file = OpenPte(bytes);
    const PteContents contents = ContentsOf(file);
    const PteFile again = OpenPte(Written(contents));
    ASSERT_NO_FATAL_FAILURE(ExpectPayloads(in, again, 4096));
    ASSERT_EQ(again.segments().size(), file.segments().size());
    const uint64_t base = file.header().segment_base_offset;
    for (size_t i = 0; i < file.segments().size(); ++i) {
      EXPECT_EQ(again.segments()[i].file_offset - again.header().segment_base_offset, file.segments()[i].file_offset - base);
    }
  }
}

TEST(LayoutTest, SavingAndWritingGiveThePlannedFile) {
  const TempDir folder;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomContents in(seed);
    ASSERT_OK_AND_ASSIGN(const LayoutPlan plan, PlanPte(in.contents, in.layout));
    ASSERT_OK_AND_ASSIGN(const SaveReport report, SavePte(in.contents, folder / "a.pte", in.layout));
    EXPECT_EQ(ReadFile(folder / "a.pte"), Written(in.contents, in.layout));
    EXPECT_EQ(report.file_size, plan.file_size);
    EXPECT_EQ(report.bytes_written + report.bytes_copied + report.bytes_cloned + report.bytes_moved, plan.file_size);
    ASSERT_EQ(report.payloads.size(), plan.payloads.size());
    for (size_t i = 0; i < plan.payloads.size(); ++i) {
      EXPECT_EQ(report.payloads[i].role, plan.payloads[i].role);
      EXPECT_EQ(report.payloads[i].key, plan.payloads[i].key);
      EXPECT_EQ(report.payloads[i].file_offset, plan.payloads[i].file_offset);
      EXPECT_EQ(report.payloads[i].size, plan.payloads[i].size);
    }
  }
}

TEST(LayoutTest, APlanReadsNothing) {
  std::vector<std::shared_ptr<CountingSource>> sources;
  const auto next = [&] {
    sources.push_back(Counting(Bytewise(5000 + sources.size())));
    return Whole(sources.back());
  };
  PteContents contents;
  contents.program = WithDelegates({1, 0, 2});
  contents.constants.push_back(next());
  contents.constants.push_back(next());
  contents.mutable_data.push_back(next());
  for (int i = 0; i < 3; ++i) contents.delegate_payloads.emplace_back(next());
  contents.delegate_payloads.emplace_back(next(), DelegatePayload::Placement::kInline);
  for (const char* key : {"a", "b"}) ASSERT_THAT(contents.named_data.Add(key, next(), {.alignment = 4096}), IsOk());
  EXPECT_THAT(PlanPte(contents), IsOk());
  PtdContents data;
  data.named_data = contents.named_data;
  EXPECT_THAT(PlanPtd(data), IsOk());
  for (const auto& source : sources) EXPECT_THAT(source->ranges(), testing::IsEmpty());
}

TEST(LayoutTest, OptionsOutOfRangeAreRefusedByName) {
  const struct {
    uint64_t LayoutOptions::*option;
    std::string name;
    std::vector<uint64_t> bad;
  } cases[] = {{&LayoutOptions::segment_alignment, "segment_alignment", {0, 65537, UINT64_MAX}},
               {&LayoutOptions::large_segment_alignment, "large_segment_alignment", {0, 65537, UINT64_MAX}},
               {&LayoutOptions::constant_alignment, "constant_alignment", {0, 3, 24, 65537, 131072}},
               {&LayoutOptions::delegate_alignment, "delegate_alignment", {0, 3, 24, 65537, 131072}}};
  PteContents contents;
  contents.program = OneMethod();
  const TempDir folder;
  for (const auto& c : cases) {
    for (const uint64_t bad : c.bad) {
      LayoutOptions layout;
      layout.*c.option = bad;
      EXPECT_THAT(PlanPte(contents, layout), HasCodeAndMessage(StatusCode::kInvalidArgument, c.name)) << bad;
      EXPECT_THAT(PlanPtd(PtdContents(), layout), HasCodeAndMessage(StatusCode::kInvalidArgument, c.name)) << bad;
      EXPECT_THAT(SavePte(contents, folder / "a.pte", layout), HasCodeAndMessage(StatusCode::kInvalidArgument, c.name)) << bad;
      EXPECT_THAT(SavePtd(PtdContents(), folder / "a.ptd", layout), HasCodeAndMessage(StatusCode::kInvalidArgument, c.name)) << bad;
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(LayoutTest, AnInlinePayloadBeyondTheFlatbufferIsRefusedAtOnce) {
  constexpr uint64_t kTooLarge = uint64_t{3} << 30;
  constexpr size_t kSmall = size_t{1} << 20;
  for (const bool by_option : {false, true}) {
    Rope zeros;
    ASSERT_THAT(zeros.AppendZeros(kTooLarge), IsOk());
    PteContents contents;
    contents.program = WithDelegates({0, 1});
    contents.delegate_payloads.emplace_back(Copy("small"), DelegatePayload::Placement::kInline);
    contents.delegate_payloads.emplace_back(zeros,
                                            by_option ? DelegatePayload::Placement::kByOptions : DelegatePayload::Placement::kInline);
    LayoutOptions layout;
    layout.inline_delegates = by_option;
    ForgetLargestAllocation();
    EXPECT_THAT(PlanPte(contents, layout), HasCodeAndMessage(StatusCode::kResourceExhausted, "backend_delegate_data[1]"));
    EXPECT_LE(LargestAllocation(), kSmall);
    std::string out;
    StringSink sink(out);
    EXPECT_THAT(WritePte(contents, sink, layout), HasCode(StatusCode::kResourceExhausted));
    EXPECT_TRUE(out.empty());
    // In a segment there is room for it.
    contents.delegate_payloads[1] = DelegatePayload(zeros);
    ASSERT_OK_AND_ASSIGN(const LayoutPlan plan, PlanPte(contents));
    EXPECT_GT(plan.file_size, kTooLarge);
  }
}

TEST(LayoutTest, InlinePayloadsAreSummedUp) {
  PteContents contents;
  contents.program = OneMethod();
  for (int i = 0; i < 3; ++i) {
    Rope zeros;
    ASSERT_THAT(zeros.AppendZeros((uint64_t{1} << 30) - 4096), IsOk());
    contents.delegate_payloads.emplace_back(zeros, DelegatePayload::Placement::kInline);
  }
  EXPECT_THAT(PlanPte(contents), HasCode(StatusCode::kResourceExhausted));
  contents.delegate_payloads.pop_back();
  EXPECT_THAT(PlanPte(contents), IsOk());
}

TEST(LayoutTest, SegmentsBeyondAnyFileAreRefused) {
  PteContents contents;
  contents.program = OneMethod();
  for (const char* key : {"a", "b"}) {
    Rope zeros;
    ASSERT_THAT(zeros.AppendZeros((uint64_t{1} << 63) - static_cast<uint8_t>(key[0])), IsOk());
    ASSERT_THAT(contents.named_data.Add(key, zeros), IsOk());
  }
  EXPECT_THAT(PlanPte(contents), HasCode(StatusCode::kInvalidArgument));
  PtdContents data;
  data.named_data = contents.named_data;
  EXPECT_THAT(PlanPtd(data), HasCode(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace pte::test
