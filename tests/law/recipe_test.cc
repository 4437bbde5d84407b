// The generator of the rules' files by itself: its base files open, and its edits land where they should.
#include <stdexcept>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/bpte_file.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "tests/support/recipe.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

const fb::Program& RootOf(const FlatImage& image) { return *flatbuffers::GetRoot<fb::Program>(image.bytes.data()); }
const fb::ExecutionPlan& PlanOf(const FlatImage& image) { return *RootOf(image).execution_plan()->Get(0); }
size_t OffsetIn(const FlatImage& image, const void* address) {
  return static_cast<size_t>(static_cast<const char*>(address) - image.bytes.data());
}

TEST(RecipeTest, BaseProgramsOpenWithoutNotes) {
  for (const Recipe& recipe : {A(), B(), C(), D(), E(), M(), X()}) {
    ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(MakeSource(SourceKind::kMemory, recipe.File())));
    EXPECT_THAT(file.notes(), testing::IsEmpty());
  }
}

TEST(RecipeTest, OtherBaseFilesOpenWithoutNotes) {
  ASSERT_OK_AND_ASSIGN(const PtdFile directory, PtdFile::Open(MakeSource(SourceKind::kMemory, P().File())));
  EXPECT_THAT(directory.notes(), testing::IsEmpty());
  ASSERT_OK_AND_ASSIGN(const BpteFile bundle, BpteFile::Open(MakeSource(SourceKind::kMemory, Q().File())));
  EXPECT_THAT(bundle.notes(), testing::IsEmpty());
  EXPECT_THAT(bundle.program(), IsOk());
}

// What differs from base to base.
TEST(RecipeTest, BasesAreWhatTheyClaimToBe) {
  EXPECT_EQ(Peek32(A().File(), 12), 32U);
  EXPECT_EQ(Peek32(E().File(), 12), 24U);
  EXPECT_EQ(Peek32(A().Header(40).File(), 12), 40U);
  EXPECT_NE(D().File().substr(8, 4), "eh00");
  EXPECT_EQ(RootOf(A().Build()).named_data(), nullptr);
  EXPECT_EQ(RootOf(C().Build()).named_data()->size(), 2U);
  EXPECT_EQ(RootOf(A().Build()).mutable_data_segments(), nullptr);
  EXPECT_EQ(RootOf(B().Build()).mutable_data_segments()->size(), 1U);
  EXPECT_EQ(PlanOf(A().Build()).values()->size(), 14U);
  EXPECT_EQ(RootOf(D().Build()).constant_buffer()->Get(1)->storage()->size(), 16U);
}

TEST(RecipeTest, PathsLeadToWhatTheyName) {
  const FlatImage image = A().Build();
  const fb::ExecutionPlan& plan = PlanOf(image);
  const fb::Tensor& tensor = *plan.values()->Get(4)->val_as_Tensor();
  EXPECT_EQ(image.At(""), OffsetIn(image, &RootOf(image)));
  EXPECT_EQ(image.At("execution_plan[0].name"), OffsetIn(image, plan.name()));
  EXPECT_EQ(image.At("execution_plan[0].name[1]"), OffsetIn(image, plan.name()->c_str() + 1));
  const size_t stored = image.StoredAt("execution_plan[0].name");
  EXPECT_EQ(stored + Peek32(image.bytes, stored), image.At("execution_plan[0].name"));
  EXPECT_EQ(image.At("execution_plan[0].values[4].val"), OffsetIn(image, &tensor));
  EXPECT_EQ(image.At("execution_plan[0].values[4].val.sizes[1]"), OffsetIn(image, tensor.sizes()->Data() + 4));
  EXPECT_EQ(image.At("segments[1]"), OffsetIn(image, RootOf(image).segments()->Get(1)));
  EXPECT_EQ(image.VtableAt("segments[1]") + Peek32(image.bytes, image.At("segments[1]")), image.At("segments[1]"));
  // A field that is not there is reported where its table is.
  EXPECT_EQ(image.At("named_data"), image.At(""));
}

TEST(RecipeTest, PathsThatLeadNowhereAreRefused) {
  const FlatImage image = A().Build();
  for (const char* path :
       {"no_such_field", "segments[2]", "segments.offset", "version[0]", "named_data[0]", "execution_plan[0].values[2].val.x"}) {
    EXPECT_THROW((void)image.At(path), std::invalid_argument) << path;
  }
}

TEST(RecipeTest, EveryScalarIsStored) {
  const FlatImage image = A().Build();
  EXPECT_NE(image.At("version"), image.At(""));
  EXPECT_NE(image.At("constant_segment.segment_index"), image.At("constant_segment"));
  EXPECT_EQ(RootOf(A().Set("version", 77).Build()).version(), 77U);
  EXPECT_EQ(PlanOf(A().Set("execution_plan[0].inputs[0]", -1).Build()).inputs()->Get(0), -1);
  EXPECT_EQ(RootOf(A().Set("segments[1].offset", UINT64_MAX - 127).Build()).segments()->Get(1)->offset(), UINT64_MAX - 127);
}

// No other table shares the vtable.
TEST(RecipeTest, AnAbsentFieldIsAbsentFromOneTable) {
  const FlatImage image = A().Slot("execution_plan[0].values[4].val.sizes").Build();
  const auto* values = PlanOf(image).values();
  EXPECT_EQ(values->Get(4)->val_as_Tensor()->sizes(), nullptr);
  EXPECT_NE(values->Get(5)->val_as_Tensor()->sizes(), nullptr);
  EXPECT_NE(values->Get(6)->val_as_Tensor()->sizes(), nullptr);
  EXPECT_LT(image.bytes.size(), A().File().size() + 128);
}

TEST(RecipeTest, AUnionLosesItsValueOrItsType) {
  const FlatImage image = A().Slot("execution_plan[0].values[13].val").Build();
  EXPECT_EQ(PlanOf(image).values()->Get(13)->val_type(), fb::KernelTypes::Double);
  EXPECT_EQ(PlanOf(image).values()->Get(13)->val(), nullptr);
  const FlatImage untyped = A().Set("execution_plan[0].values[13].val_type", 0).Build();
  EXPECT_EQ(PlanOf(untyped).values()->Get(13)->val_type(), fb::KernelTypes::NONE);
}

TEST(RecipeTest, ANullElementIsAnOffsetOfZero) {
  const FlatImage image = A().Elem("execution_plan[0].values[13]").Build();
  EXPECT_EQ(Peek32(image.bytes, image.StoredAt("execution_plan[0].values[13]")), 0U);
  EXPECT_EQ(PlanOf(image).values()->Get(12)->val_as_Bool()->bool_val(), true);
}

TEST(RecipeTest, ListsAreEmptiedAndFilled) {
  const FlatImage image =
      A().Clear("mutable_data_segments").Clear("execution_plan[0].name").Items("execution_plan[0].inputs", {4, -1, 5}).Build();
  EXPECT_EQ(RootOf(image).mutable_data_segments()->size(), 0U);
  EXPECT_EQ(PlanOf(image).name()->size(), 0U);
  ASSERT_EQ(PlanOf(image).inputs()->size(), 3U);
  EXPECT_EQ(PlanOf(image).inputs()->Get(1), -1);
}

TEST(RecipeTest, BytesAreOverwrittenInPlace) {
  const FlatImage image =
      C().Text("named_data[0].key", "al\xff").Vlen("named_data[1].key", 3).Poke32(12, 25).Poke64(16, 99).Put(4, "ET11").Build();
  EXPECT_EQ(RootOf(image).named_data()->Get(0)->key()->string_view(), "al\xffha");
  EXPECT_EQ(RootOf(image).named_data()->Get(1)->key()->string_view(), "bet");
  EXPECT_EQ(Peek32(image.bytes, 12), 25U);
  EXPECT_EQ(Peek64(image.bytes, 16), 99U);
  EXPECT_EQ(image.bytes.substr(4, 4), "ET11");
}

TEST(RecipeTest, TheEndIsCutOrMoved) {
  const std::string file = A().File();
  EXPECT_EQ(A().Cut(7).File(), file.substr(0, 7));
  EXPECT_EQ(A().Append("junk").File(), file + "junk");
  const std::string shifted = A().Shift(1).File();
  EXPECT_EQ(Peek64(shifted, 24), Peek64(file, 24) + 1);
  EXPECT_EQ(shifted.substr(Peek64(shifted, 24)), file.substr(Peek64(file, 24)));
}

TEST(RecipeTest, HiddenBytesAreTheLastOfTheFlatbuffer) {
  const std::string file = A().Hidden("hidden").File();
  EXPECT_EQ(file.substr(Peek64(file, 16) - 6, 6), "hidden");
}

TEST(RecipeTest, ObjectsMoveAndAreShared) {
  const FlatImage moved = A().Vtable("execution_plan[0].values[2].val", 12).Build();
  EXPECT_EQ(moved.VtableAt("execution_plan[0].values[2].val"), 12U);
  const FlatImage shared = A().Items("execution_plan[0].outputs", {4, 4})
                               .Share("execution_plan[0].outputs", "execution_plan[0].chains[0].instructions[0].instr_args.args")
                               .Build();
  EXPECT_EQ(shared.At("execution_plan[0].outputs"), shared.At("execution_plan[0].chains[0].instructions[0].instr_args.args"));
  const FlatImage extended = A().Extra("execution_plan[0]").Build();
  EXPECT_EQ(Peek32(extended.bytes, extended.At("execution_plan[0].?")), 7U);
}

}  // namespace
}  // namespace pte::test
