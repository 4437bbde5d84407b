// C.3: segments, and the constants and initial states that are cut out of them.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/law/verify_rows.h"

namespace pte::test {
namespace {

constexpr uint64_t kTwoTo63 = uint64_t{1} << 63;
constexpr uint64_t kMax = UINT64_MAX;
constexpr uint64_t kMiB = uint64_t{1} << 20;

// A with a key on a segment that lies there.
Recipe WithSegment(uint64_t offset, uint64_t size) {
  return A().Model([=](BaseProgram& base) { AddKey(base, "key", offset, size); });
}

// A with its second segment moved there.
Recipe SecondSegmentAt(uint64_t offset) {
  return A().Model([=](BaseProgram& base) {
    base.program.segments[1]->offset = offset;
    base.data.insert(128, static_cast<size_t>(offset - 128), '\0');
  });
}

Recipe Swapped() {
  return A().Model([](BaseProgram& base) {
    std::swap(base.program.segments[0], base.program.segments[1]);
    base.program.constant_segment->segment_index = 1;
    base.program.execution_plan[0]->delegates[0]->processed->index = 0;
  });
}

// C, whose keys name the bytes of the delegate by a segment of their own.
Recipe SameRangeTwice() {
  return C().Model([](BaseProgram& base) {
    *base.program.segments[2] = *base.program.segments[1];
    base.data.resize(128 + 99);
  });
}

void AddUnusedSegment(BaseProgram& base) {
  base.program.segments.push_back(SegmentRow(256, 16));
  base.data.resize(256, '\0');
  base.data += std::string(16, 'u');
}

void EmptyDelegateSegment(BaseProgram& base) {
  *base.program.segments[1] = *SegmentRow(32, 0);
  base.data.resize(32);
}

// B, with a key on its initial states.
Recipe KeyOnStates() {
  return B().Model([](BaseProgram& base) {
    AddKey(base, "key", 0, 0);
    base.program.named_data[0]->segment_index = 2;
    base.program.segments.pop_back();
  });
}

std::vector<Row> RangeRows() {
  return {
      Breaks("S4", "HalfAndHalf", kError, WithSegment(kTwoTo63, kTwoTo63), "segments[2].size").Allow({"S6"}),
      Breaks("S4", "SizeNearMax", kError, WithSegment(256, kMax - 7), "segments[2].size")
          .Allow({"S6"})
          .Reference(RuntimeReaction::kRefuses),
      Breaks("S4", "OffsetNearMax", kError, WithSegment(kMax - 15, 64), "segments[2].size").Allow({"S6"}),
      Lacks("S4", "UpToMax", WithSegment(kTwoTo63, kTwoTo63 - 1)),
      Breaks("S5", "BasePlusOffsetWraps", kError, WithSegment(kMax - 127, 64), "segments[2].offset")
          .Allow({"S6"})
          .Reference(RuntimeReaction::kMisreads),
      Lacks("S5", "BasePlusOffsetDoesNotQuiteWrap", WithSegment(kMax - Peek64(WithSegment(0, 0).File(), 24), 64)),
      Breaks("S6", "OneBeyondTheData", kError, A().Set("segments[1].size", 100), "segments[1].size").Reference(RuntimeReaction::kRefuses),
      Breaks("S6", "FarBeyondTheData", kError, WithSegment(4096, 16), "segments[2].size"),
      Keeps("S6", "UpToTheDatasEnd", A()),
  };
}

std::vector<Row> OrderRows() {
  return {
      Breaks("S7", "Swapped", kWarning, Swapped(), "segments[1].offset").Reference(RuntimeReaction::kAccepts),
      Keeps("S7", "Ascending", C()),
      Breaks("S8", "ByTwelveBytes", kError, C().Set("segments[1].size", 140), "segments[2].offset").Reference(RuntimeReaction::kAccepts),
      Breaks("S8", "TheSameRange", kWarning, SameRangeTwice(), "segments[2].offset").Reference(RuntimeReaction::kAccepts),
      Keeps("S8", "Touching", C().Set("segments[1].size", 128)),
      Breaks("S9", "OneByteOff", kWarning, SecondSegmentAt(129), "segments[1].offset").Reference(RuntimeReaction::kAccepts),
      Breaks("S9", "FourBytesOff", kWarning, SecondSegmentAt(132), "segments[1].offset"),
      // Alignments that are smaller than usual are a writer's choice; below 16 they are no power of two that tensors can live with.
      Keeps("S9", "MultipleOf16", SecondSegmentAt(144)),
      // The bytes of a larger gap are not looked at.
      Breaks("S10", "GapLargerThanAnyAlignment", kWarning, SecondSegmentAt(2 * kMiB), "segments[1].offset"),
      Breaks("S10", "NobodyUsesIt", kWarning, A().Model(AddUnusedSegment), "segments[2]").Reference(RuntimeReaction::kAccepts),
      Breaks("S10", "GapBeforeTheBase", kWarning, A().Shift(2 * kMiB), Peek64(A().File(), 16)),
      Keeps("S10", "GapOfOneAlignment", SecondSegmentAt(kMiB)),
  };
}

std::vector<Row> RoleRows() {
  return {
      Breaks("S11", "ConstantsAndKey", kWarning, C().Set("named_data[0].segment_index", 0), "segments[0].offset")
          .Reference(RuntimeReaction::kAccepts),
      Breaks("S11", "DelegateAndKey", kWarning, C().Set("named_data[0].segment_index", 1), "segments[1].offset"),
      Breaks("S11", "StatesAndKey", kError, KeyOnStates(), "segments[2].offset").Reference(RuntimeReaction::kAccepts),
      // What the delegate leaves is used by nobody.
      Breaks("S11", "ConstantsAndDelegate", kWarning, A().Set("execution_plan[0].delegates[0].processed.index", 0), "segments[0].offset")
          .Allow({"S10"}),
      Breaks("S11", "StatesAndDelegate", kError, B().Set("execution_plan[0].delegates[0].processed.index", 2), "segments[2].offset")
          .Allow({"S10"}),
      Keeps("S11", "TwoKeys", C()),
      Breaks("S12", "Delegate", kWarning, A().Model(EmptyDelegateSegment), "segments[1].size").Reference(RuntimeReaction::kAccepts),
      Keeps("S12", "ConstantsPlaceholder", M()),
  };
}

// B without the tensors that have the initial states.
Recipe UnusedStates() {
  return B().Model([](BaseProgram& base) { base.program.execution_plan[0]->values.resize(14); });
}

void AddStatesByte(BaseProgram& base) {
  ++base.program.segments[2]->size;
  base.data += 's';
}

// --- Constants.

Recipe ConstantsAt(std::initializer_list<int64_t> offsets) { return A().Items("constant_segment.offsets", offsets); }

// The same in a segment of 48 bytes.
Recipe WideConstantsAt(std::initializer_list<int64_t> offsets) {
  return ConstantsAt(offsets).Model([](BaseProgram& base) { base.program.segments[0]->size = 48; });
}

Recipe WithoutSegments() {
  return M().Model([](BaseProgram& base) { base.program.segments.clear(); });
}

std::vector<Row> ConstantRows() {
  const auto sizes = [](int value, std::initializer_list<int64_t> numbers) {
    return A().Items("execution_plan[0].values[" + std::to_string(value) + "].val.sizes", numbers);
  };
  return {
      Breaks("S13", "NoSuchSegment", kError, WithoutSegments().Items("constant_segment.offsets", {0, 0}), "constant_segment.segment_index")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("S13", "NoSuchSegmentForThePlaceholder", kWarning, WithoutSegments(), "constant_segment.segment_index")
          .Reference(RuntimeReaction::kAccepts),
      Breaks("S13", "NoSegmentsForThePlaceholder", kWarning, M().Slot("segments"), "constant_segment.segment_index"),
      Keeps("S13", "Placeholder", M()),
      Breaks("S14", "PlaceholderAt16", kWarning, WideConstantsAt({16, 16, 32}), "constant_segment.offsets[0]")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("S14", "PlaceholderAt0", WideConstantsAt({0, 16, 32})),
      Breaks("S15", "Decreasing", kError, ConstantsAt({0, 16, 0}), "constant_segment.offsets[2]").Reference(RuntimeReaction::kAccepts),
      Breaks("S15", "InitialStatesDecreasing", kError, UnusedStates().Items("mutable_data_segments[0].offsets", {0, 16, 4}),
             "mutable_data_segments[0].offsets[2]"),
      Keeps("S15", "EqualNeighbours", ConstantsAt({0, 0, 16, 32, 32})),
      Breaks("S16", "BeyondTheSegment", kError, ConstantsAt({0, 0, 1024}), "constant_segment.offsets[2]"),
      Breaks("S16", "NearMax", kError, ConstantsAt({0, 0, -16}), "constant_segment.offsets[2]").Reference(RuntimeReaction::kRefuses),
      Keeps("S16", "AtTheSegmentsEnd", ConstantsAt({0, 0, 16, 32})),
      Breaks("S17", "NoMultipleOfTheElement", kError, WideConstantsAt({0, 0, 18}), "constant_segment.offsets[2]")
          .Reference(RuntimeReaction::kMisreads),
      Breaks("S17", "NoMultipleOf16", kWarning, WideConstantsAt({0, 0, 20}), "constant_segment.offsets[2]")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("S17", "MultipleOf16", WideConstantsAt({0, 0, 32})),
      Keeps("S17", "InitialStatesAtOddOffsets", B().Items("mutable_data_segments[0].offsets", {0, 0, 5}).Model(AddStatesByte)),
      Breaks("S18", "IntoTheNext", kWarning, sizes(5, {5}), "execution_plan[0].values[5].val.data_buffer_idx")
          .Reference(RuntimeReaction::kMisreads),
      Breaks("S18", "BeyondTheSegment", kError, sizes(6, {2, 3}), "execution_plan[0].values[6].val.data_buffer_idx")
          .Reference(RuntimeReaction::kRefuses),
      Keeps("S18", "Smaller", sizes(5, {3})),
  };
}

std::vector<Row> InlineRows() {
  const auto storage = [](size_t size) {
    return D().Model([=](BaseProgram& base) { base.program.constant_buffer[1]->storage.resize(size, 9); });
  };
  return {
      Breaks("S19", "BothPlaces", kError,
             A().Model([](BaseProgram& base) { base.program.constant_buffer.push_back(std::make_unique<fb::BufferT>()); }),
             "constant_buffer")
          .Reference(RuntimeReaction::kRefuses),
      Keeps("S19", "InlineAlone", D()),
      Breaks("S20", "NoStorage", kError, D().Slot("constant_buffer[1].storage"), "constant_buffer[1]").Reference(RuntimeReaction::kCrashes),
      Breaks("S20", "NoStorageThatAnyTensorUses", kError,
             D().Model([](BaseProgram& base) { base.program.constant_buffer.push_back(std::make_unique<fb::BufferT>()); })
                 .Slot("constant_buffer[2].storage"),
             "constant_buffer[2]")
          .Reference(RuntimeReaction::kAccepts),
      Breaks("S20", "StorageTooShort", kError, storage(15), "execution_plan[0].values[1].val.data_buffer_idx")
          .Reference(RuntimeReaction::kRefuses),
      Keeps("S20", "StorageLonger", storage(32)),
      Keeps("S20", "NoStorageForNoData", D().Slot("constant_buffer[0].storage")),
  };
}

// --- Initial states.

void AddSecondStates(BaseProgram& base) {
  base.program.mutable_data_segments.push_back(std::make_unique<fb::SubsegmentOffsetsT>());
  *base.program.mutable_data_segments[1] = *base.program.mutable_data_segments[0];
}

void DropStatesSegment(BaseProgram& base) {
  base.program.segments.pop_back();
  base.data.resize(128 + 99);
}

std::vector<Row> StateRows() {
  const auto index = [](uint64_t value) {
    return B().Set("execution_plan[0].values[14].val.extra_tensor_info.mutable_data_segments_idx", value);
  };
  constexpr const char* kIndex = "execution_plan[0].values[14].val.extra_tensor_info.mutable_data_segments_idx";
  return {
      Breaks("S21", "SecondEntry", kWarning, B().Model(AddSecondStates), "mutable_data_segments").Reference(RuntimeReaction::kAccepts),
      Breaks("S21", "EmptyList", kError, A().Clear("mutable_data_segments"), "mutable_data_segments"),
      Breaks("S21", "NoOffsets", kError, UnusedStates().Slot("mutable_data_segments[0].offsets"), "mutable_data_segments[0]"),
      Breaks("S21", "NoSuchSegment", kError, UnusedStates().Model(DropStatesSegment), "mutable_data_segments[0].segment_index"),
      // Nothing else is then wrong with the tensors that have them; their bytes are used by nobody.
      Breaks("S21", "NoSuchSegmentForTensors", kError, B().Set("mutable_data_segments[0].segment_index", 9),
             "mutable_data_segments[0].segment_index")
          .Allow({"S10"}),
      // The entry itself is one too many.
      Breaks("S21", "NoSuchSegmentForTheSecondEntry", kWarning,
             B().Model(AddSecondStates).Set("mutable_data_segments[1].segment_index", 77), "mutable_data_segments[1].segment_index")
          .Allow({"S21"})
          .Reference(RuntimeReaction::kAccepts),
      Keeps("S21", "EmptyOffsets", UnusedStates().Clear("mutable_data_segments[0].offsets")),
      Breaks("S21", "OffsetBeyondTheSegment", kError, UnusedStates().Items("mutable_data_segments[0].offsets", {0, 0, 21}),
             "mutable_data_segments[0].offsets[2]"),
      Breaks("S21", "TensorBeyondTheSegment", kError, B().Items("execution_plan[0].values[14].val.sizes", {1, 5}),
             "execution_plan[0].values[14].val.data_buffer_idx")
          .Reference(RuntimeReaction::kRefuses),
      Keeps("S21", "OffsetAtTheSegmentsEnd", UnusedStates().Items("mutable_data_segments[0].offsets", {0, 0, 20})),
      Keeps("S21", "OneEntry", B()),
      Breaks("S22", "NoSuchEntry", kError, index(99), kIndex).Reference(RuntimeReaction::kMisreads),
      Breaks("S22", "NextEntry", kError, index(1), kIndex),
      // The second entry is never used; S21 says so.
      Breaks("S22", "SecondEntry", kWarning, index(1).Model(AddSecondStates), kIndex).Allow({"S21"}).Reference(RuntimeReaction::kMisreads),
      Keeps("S22", "FirstEntry", index(0)),
  };
}

}  // namespace

std::vector<Row> SegmentRows() { return Joined({RangeRows(), OrderRows(), RoleRows(), ConstantRows(), InlineRows(), StateRows()}); }

PTE_TEST_JUDGE_ROWS(VerifySegments, SegmentRows());

}  // namespace pte::test
