// What opening a container refuses beyond its head, from every kind of source: code, rule and offset.
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "pte/bpte_file.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "tests/support/build_file.h"
#include "tests/support/sources.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using absl::StatusCode;
using fb::BackendDelegateDataReference;

// One damaged file and how it must be refused.
struct OpenCase {
  std::string name;
  std::string bytes;
  StatusCode code;
  std::string rule;
  std::optional<uint64_t> offset;
};

void PrintTo(const OpenCase& c, std::ostream* out) { *out << c.name; }

// A file made from `base` after `change`, which returns where the fault must be reported.
template <class Base, class Change>
OpenCase Changed(std::string name, Base base, StatusCode code, std::string rule, Change change) {
  Editor editor(Build(base));
  const std::optional<uint64_t> offset = change(editor);
  return {std::move(name), editor.file(), code, std::move(rule), offset};
}

// The same for a scalar field of a table: sets its stored bytes, reports at `report` or at the field itself.
template <class Scalar>
void Set(Editor& editor, size_t at, Scalar value) {
  if constexpr (sizeof(Scalar) == sizeof(uint64_t)) {
    Poke64(editor.file(), at, value);
  } else if constexpr (sizeof(Scalar) == sizeof(uint32_t)) {
    Poke32(editor.file(), at, value);
  } else {
    editor.file().at(at) = static_cast<char>(value);
  }
}

const fb::Program& Root(const Editor& editor) { return editor.root<fb::Program>(); }
const fb::DataSegment* SegmentAt(const Editor& editor, uint32_t i) { return Root(editor).segments()->Get(i); }
const BackendDelegateDataReference* Reference(const Editor& editor) {
  return Root(editor).execution_plan()->Get(0)->delegates()->Get(0)->processed();
}

// Pokes a field of segment `i`; the row's place is what must be reported.
auto SegmentField(uint32_t i, flatbuffers::voffset_t field, uint64_t value) {
  return [=](Editor& editor) {
    Poke64(editor.file(), editor.At(SegmentAt(editor, i), field), value);
    return std::optional<uint64_t>(editor.At(SegmentAt(editor, i)));
  };
}

constexpr uint64_t kMax = UINT64_MAX;

std::vector<OpenCase> SegmentCases() {
  const uint64_t base = Peek64(Build(BaseA()), 24);
  std::vector<OpenCase> cases = {
      Changed("OffsetPlusSizeWraps", BaseA(), StatusCode::kDataLoss, "S4", SegmentField(1, fb::DataSegment::VT_SIZE, kMax - 8)),
      Changed("OffsetNearMaxWraps", BaseA(), StatusCode::kDataLoss, "S4", SegmentField(1, fb::DataSegment::VT_OFFSET, kMax - 7)),
      Changed("BasePlusOffsetWraps", BaseA(), StatusCode::kDataLoss, "S5", SegmentField(1, fb::DataSegment::VT_OFFSET, kMax - 127)),
      Changed("EndsOneByteBeyondTheFile", BaseA(), StatusCode::kDataLoss, "S6", SegmentField(1, fb::DataSegment::VT_SIZE, 100)),
      Changed("BeginsBeyondTheFile", BaseA(), StatusCode::kDataLoss, "S6", SegmentField(1, fb::DataSegment::VT_OFFSET, base + 4096)),
      Changed("DeclaredOneByteTooLittle", BaseA(), StatusCode::kDataLoss, "H16",
              [](Editor& editor) {
                Poke64(editor.file(), 32, 226);
                return std::optional<uint64_t>(editor.At(SegmentAt(editor, 1)));
              }),
      Changed("DeclaredOneByteInAll", BaseA(), StatusCode::kDataLoss, "H16",
              [](Editor& editor) {
                Poke64(editor.file(), 32, 1);
                return std::optional<uint64_t>(editor.At(SegmentAt(editor, 0)));
              }),
      Changed("NoBaseInTheHeader", BaseA(), StatusCode::kDataLoss, "H12",
              [](Editor& editor) {
                Poke64(editor.file(), 24, 0);
                Poke64(editor.file(), 32, 0);
                return std::optional<uint64_t>(editor.At(SegmentAt(editor, 0)));
              }),
      Changed("MagicOneBitOff", BaseA(), StatusCode::kDataLoss, "H3",
              [](Editor& editor) {
                editor.file()[11] = '1';
                return std::optional<uint64_t>(editor.At(SegmentAt(editor, 0)));
              }),
      Changed("UndeclaredAndTheFileCut", BaseA(), StatusCode::kOutOfRange, "H19", [](Editor& editor) {
        Poke32(editor.file(), 12, 24);
        editor.file().pop_back();
        return std::optional<uint64_t>(editor.At(SegmentAt(editor, 1)));
      })};
  return cases;
}

std::vector<OpenCase> ConstantCases() {
  const auto offset_at = [](Editor& editor, uint32_t i) {
    return editor.At(Root(editor).constant_segment()->offsets()->Data() + size_t{i} * 8);
  };
  const auto set_offset = [=](uint32_t i, uint64_t value) {
    return [=](Editor& editor) {
      Poke64(editor.file(), offset_at(editor, i), value);
      return std::optional<uint64_t>(offset_at(editor, i));
    };
  };
  std::vector<OpenCase> cases = {Changed("ConstantBeyondSegment", BaseA(), StatusCode::kDataLoss, "S16", set_offset(2, 33)),
                                 Changed("ConstantFarBeyondSegment", BaseA(), StatusCode::kDataLoss, "S16", set_offset(1, kMax - 7)),
                                 Changed("ConstantsDecrease", BaseA(), StatusCode::kDataLoss, "S15",
                                         [=](Editor& editor) {
                                           Poke64(editor.file(), offset_at(editor, 1), 17);
                                           return std::optional<uint64_t>(offset_at(editor, 2));
                                         }),
                                 Changed("MutableBeyondSegment", BaseB(), StatusCode::kDataLoss, "S21", [](Editor& editor) {
                                   const size_t at = editor.At(Root(editor).mutable_data_segments()->Get(0)->offsets()->Data() + 16);
                                   Poke64(editor.file(), at, 21);
                                   return std::optional<uint64_t>(at);
                                 })};
  BaseProgram elsewhere = BaseA();
  elsewhere.program.constant_segment->segment_index = 2;
  cases.push_back(Changed("ConstantSegmentDoesNotExist", std::move(elsewhere), StatusCode::kDataLoss, "S13", [](Editor& editor) {
    return std::optional<uint64_t>(editor.At(Root(editor).constant_segment(), fb::SubsegmentOffsets::VT_SEGMENT_INDEX));
  }));
  BaseProgram mutable_elsewhere = BaseB();
  mutable_elsewhere.program.mutable_data_segments[0]->segment_index = 3;
  cases.push_back(Changed("MutableSegmentDoesNotExist", std::move(mutable_elsewhere), StatusCode::kDataLoss, "S21", [](Editor& editor) {
    return std::optional<uint64_t>(editor.At(Root(editor).mutable_data_segments()->Get(0), fb::SubsegmentOffsets::VT_SEGMENT_INDEX));
  }));
  BaseProgram both = BaseA();
  both.program.constant_buffer.push_back(std::make_unique<fb::BufferT>());
  cases.push_back(Changed("ConstantsInBothPlaces", std::move(both), StatusCode::kDataLoss, "S19",
                          [](Editor& editor) { return std::optional<uint64_t>(editor.At(Root(editor).constant_buffer())); }));
  return cases;
}

std::vector<OpenCase> KeyCases() {
  std::vector<OpenCase> cases = {Changed("KeyMissing", BaseC(), StatusCode::kDataLoss, "S23", [](Editor& editor) {
    editor.Drop(Root(editor).named_data()->Get(0), fb::NamedData::VT_KEY);
    return std::optional<uint64_t>(editor.At(Root(editor).named_data()->Get(0)));
  })};
  BaseProgram no_segment = BaseC();
  no_segment.program.named_data[1]->segment_index = 3;
  cases.push_back(Changed("KeySegmentDoesNotExist", std::move(no_segment), StatusCode::kDataLoss, "S26", [](Editor& editor) {
    return std::optional<uint64_t>(editor.At(Root(editor).named_data()->Get(1), fb::NamedData::VT_SEGMENT_INDEX));
  }));
  BaseProgram twice = BaseC();
  twice.program.named_data[1]->key = "alpha";
  cases.push_back(Changed("KeyTwice", std::move(twice), StatusCode::kDataLoss, "S24", [](Editor& editor) {
    return std::optional<uint64_t>(editor.At(Root(editor).named_data()->Get(1)->key()->c_str()));
  }));
  BaseDirectory ptd_twice = BaseP();
  ptd_twice.directory.named_data[2]->key = "weight";
  cases.push_back(Changed("PtdKeyTwice", std::move(ptd_twice), StatusCode::kDataLoss, "D13", [](Editor& editor) {
    return std::optional<uint64_t>(editor.At(editor.root<fb::FlatTensor>().named_data()->Get(2)->key()->c_str()));
  }));
  return cases;
}

std::vector<OpenCase> DelegateCases() {
  std::vector<OpenCase> cases = {Changed("DelegateWithoutReference", BaseA(), StatusCode::kDataLoss, "P13",
                                         [](Editor& editor) {
                                           const auto* delegate = Root(editor).execution_plan()->Get(0)->delegates()->Get(0);
                                           editor.Drop(delegate, fb::BackendDelegate::VT_PROCESSED);
                                           return std::optional<uint64_t>(editor.At(delegate));
                                         }),
                                 Changed("DelegateSegmentDoesNotExist", BaseA(), StatusCode::kDataLoss, "P17",
                                         [](Editor& editor) {
                                           const size_t at = editor.At(Reference(editor), BackendDelegateDataReference::VT_INDEX);
                                           Set(editor, at, uint32_t{2});
                                           return std::optional<uint64_t>(at);
                                         }),
                                 Changed("DelegateLocationUnknown", BaseA(), StatusCode::kDataLoss, "P17",
                                         [](Editor& editor) {
                                           const size_t at = editor.At(Reference(editor), BackendDelegateDataReference::VT_LOCATION);
                                           Set(editor, at, uint8_t{7});
                                           return std::optional<uint64_t>(at);
                                         }),
                                 Changed("InlineDelegateDoesNotExist", BaseA(), StatusCode::kDataLoss, "P16", [](Editor& editor) {
                                   Set(editor, editor.At(Reference(editor), BackendDelegateDataReference::VT_LOCATION), uint8_t{0});
                                   return std::optional<uint64_t>(editor.At(Reference(editor), BackendDelegateDataReference::VT_INDEX));
                                 })};
  return cases;
}

std::vector<OpenCase> DirectoryCases() {
  const auto root = [](const Editor& editor) -> const fb::FlatTensor& { return editor.root<fb::FlatTensor>(); };
  const auto segment_field = [=](flatbuffers::voffset_t field, uint64_t value) {
    return [=](Editor& editor) {
      Poke64(editor.file(), editor.At(root(editor).segments()->Get(1), field), value);
      return std::optional<uint64_t>(editor.At(root(editor).segments()->Get(1)));
    };
  };
  const auto without = [=](flatbuffers::voffset_t field) {
    return [=](Editor& editor) {
      editor.Drop(&root(editor), field);
      return std::optional<uint64_t>(editor.At(&root(editor)));
    };
  };
  using Segment = fb::flat_tensor::DataSegment;
  std::vector<OpenCase> cases = {
      Changed("PtdWithoutSegments", BaseP(), StatusCode::kDataLoss, "D11", without(fb::FlatTensor::VT_SEGMENTS)),
      Changed("PtdWithoutNamedData", BaseP(), StatusCode::kDataLoss, "D11", without(fb::FlatTensor::VT_NAMED_DATA)),
      Changed("PtdSegmentWraps", BaseP(), StatusCode::kDataLoss, "D15", segment_field(Segment::VT_OFFSET, kMax - 7)),
      // Inside base + data size, which the reference compares with, but not inside the data.
      Changed("PtdSegmentBeyondDataInsideBasePlusData", BaseP(), StatusCode::kDataLoss, "D16",
              segment_field(Segment::VT_SIZE, 261 + 100 - 128)),
      Changed("PtdDeclaredTooLittle", BaseP(), StatusCode::kDataLoss, "D7",
              [=](Editor& editor) {
                Poke64(editor.file(), 40, 260);
                return std::optional<uint64_t>(editor.At(root(editor).segments()->Get(2)));
              }),
      Changed("PtdDeclaredNothing", BaseP(), StatusCode::kDataLoss, "D7",
              [=](Editor& editor) {
                Poke64(editor.file(), 40, 0);
                return std::optional<uint64_t>(editor.At(root(editor).segments()->Get(0)));
              }),
      Changed("PtdKeyMissing", BaseP(), StatusCode::kDataLoss, "D12", [=](Editor& editor) {
        editor.Drop(root(editor).named_data()->Get(0), fb::flat_tensor::NamedData::VT_KEY);
        return std::optional<uint64_t>(editor.At(root(editor).named_data()->Get(0)));
      })};
  BaseDirectory no_segment = BaseP();
  no_segment.directory.named_data[1]->segment_index = 3;
  cases.push_back(Changed("PtdKeySegmentDoesNotExist", std::move(no_segment), StatusCode::kDataLoss, "D14", [=](Editor& editor) {
    return std::optional<uint64_t>(editor.At(root(editor).named_data()->Get(1), fb::flat_tensor::NamedData::VT_SEGMENT_INDEX));
  }));
  return cases;
}

std::vector<OpenCase> VersionCases() {
  BaseProgram program = BaseA();
  program.program.version = 1;
  BaseDirectory directory = BaseP();
  directory.directory.version = 77;
  return {Changed("NewerProgram", std::move(program), StatusCode::kUnimplemented, "S2",
                  [](Editor& editor) { return std::optional<uint64_t>(editor.At(&Root(editor), fb::Program::VT_VERSION)); }),
          Changed("NewerDirectory", std::move(directory), StatusCode::kUnimplemented, "D24", [](Editor& editor) {
            return std::optional<uint64_t>(editor.At(&editor.root<fb::FlatTensor>(), fb::FlatTensor::VT_VERSION));
          })};
}

// The first table or vector inside the flatbuffer that is broken must be named, not the root.
std::vector<OpenCase> FlatbufferCases() {
  return {Changed("KeyWithoutTerminator", BaseC(), StatusCode::kDataLoss, "F1",
                  [](Editor& editor) {
                    const auto* key = Root(editor).named_data()->Get(1)->key();
                    editor.file()[editor.At(key->c_str()) + key->size()] = 'x';
                    return std::optional<uint64_t>(editor.At(key));
                  }),
          Changed("VectorOfHugeLength", BaseC(), StatusCode::kDataLoss, "F1",
                  [](Editor& editor) {
                    const size_t at = editor.At(Root(editor).execution_plan()->Get(0)->values());
                    Poke32(editor.file(), at, 0x40000000);
                    return std::optional<uint64_t>(at);
                  }),
          Changed("OffsetOutOfTheBuffer", BaseC(), StatusCode::kDataLoss, "F1",
                  [](Editor& editor) {
                    const size_t at = editor.At(Root(editor).execution_plan()->Get(0), fb::ExecutionPlan::VT_NAME);
                    Poke32(editor.file(), at, 0x7fffff00);
                    return std::optional<uint64_t>(at);
                  }),
          Changed("TableMisaligned", BaseC(), StatusCode::kDataLoss, "F2",
                  [](Editor& editor) {
                    const auto* chains = Root(editor).execution_plan()->Get(0)->chains();
                    const size_t at = editor.At(chains->Data());
                    Poke32(editor.file(), at, Peek32(editor.file(), at) + 1);
                    return std::optional<uint64_t>(editor.At(chains->Get(0)));
                  }),
          Changed("WideVectorMisaligned", BaseA(), StatusCode::kDataLoss, "F2", [](Editor& editor) {
            // The list of doubles, moved back by four bytes: its length is then the alignment gap before it.
            const auto* list = Root(editor).execution_plan()->Get(0)->values()->Get(8)->val_as_DoubleList();
            const size_t at = editor.At(list, fb::DoubleList::VT_ITEMS);
            Poke32(editor.file(), at, Peek32(editor.file(), at) - 4);
            Poke32(editor.file(), editor.At(list->items()), 1);
            return std::optional<uint64_t>(editor.At(list->items()));
          })};
}

std::vector<OpenCase> AllCases() {
  std::vector<OpenCase> all;
  for (const auto& cases :
       {SegmentCases(), ConstantCases(), KeyCases(), DelegateCases(), DirectoryCases(), VersionCases(), FlatbufferCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

absl::Status Open(const std::shared_ptr<const ByteSource>& source, const OpenOptions& options = {}) {
  const absl::StatusOr<ContainerHeader> header = ReadContainerHeader(*source);
  if (header.ok() && header->kind == ContainerKind::kPtd) return PtdFile::Open(source, options).status();
  if (header.ok() && header->kind == ContainerKind::kBpte) return BpteFile::Open(source, options).status();
  return PteFile::Open(source, options).status();
}

class Opening : public testing::TestWithParam<std::tuple<OpenCase, SourceKind>> {};

TEST_P(Opening, RefusesByItsRule) {
  const auto& [c, kind] = GetParam();
  EXPECT_THAT(Open(MakeSource(kind, c.bytes)), IsFault(c.code, c.rule, c.offset));
}

INSTANTIATE_TEST_SUITE_P(Table, Opening, testing::Combine(testing::ValuesIn(AllCases()), testing::ValuesIn(kSourceKinds)),
                         [](const auto& row) { return std::get<0>(row.param).name + "_" + NameOf(std::get<1>(row.param)); });

TEST(OpenTest, EveryBaseFileOpens) {
  for (const std::string& bytes : {Build(BaseA()), Build(BaseA(), 24), Build(BaseA(), 40), Build(BaseB()), Build(BaseC()), Build(BaseP()),
                                   Pack(BaseQ()), Pack(MinimalProgram())}) {
    EXPECT_THAT(Open(MakeSource(SourceKind::kMemory, bytes)), IsOk());
  }
}

TEST(OpenTest, NewerVersionsOpenWhenAllowed) {
  for (const OpenCase& c : VersionCases()) EXPECT_THAT(Open(MakeSource(SourceKind::kMemory, c.bytes), {.allow_newer = true}), IsOk());
}

TEST(OpenTest, AnotherKindIsNamed) {
  const std::string bundle = Pack(BaseQ());
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, bundle)),
              HasCodeAndMessage(StatusCode::kInvalidArgument, "a bundled program (.bpte)"));
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, Build(BaseP()))),
              HasCodeAndMessage(StatusCode::kInvalidArgument, "tensor data (.ptd)"));
  EXPECT_THAT(BpteFile::Open(MakeSource(SourceKind::kMemory, Build(BaseA()))),
              HasCodeAndMessage(StatusCode::kInvalidArgument, "a program (.pte)"));
  EXPECT_THAT(PtdFile::Open(MakeSource(SourceKind::kMemory, Build(BaseA()))),
              HasCodeAndMessage(StatusCode::kInvalidArgument, "a program (.pte)"));
}

TEST(OpenTest, TheMessageNamesTheInnermostField) {
  const OpenCase broken = FlatbufferCases()[0];
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, broken.bytes)).status().message(), testing::HasSubstr("named_data[1].key"));
}

// --- Bundles.

TEST(BundleTest, WithoutProgramIsRefused) {
  Editor editor(Pack(BaseQ()));
  editor.Drop(&editor.root<fb::BundledProgram>(), fb::BundledProgram::VT_PROGRAM);
  const uint64_t root = editor.At(&editor.root<fb::BundledProgram>());
  EXPECT_THAT(BpteFile::Open(MakeSource(SourceKind::kMemory, editor.file())), IsFault(StatusCode::kDataLoss, "B3", root));
}

TEST(BundleTest, WithEmptyProgramIsRefused) {
  fb::bundled::BundledProgramT bundle = BaseQ();
  bundle.program.clear();
  Editor editor(Pack(bundle));
  const uint64_t vector = editor.At(editor.root<fb::BundledProgram>().program());
  EXPECT_THAT(BpteFile::Open(MakeSource(SourceKind::kMemory, editor.file())), IsFault(StatusCode::kDataLoss, "B3", vector));
}

// Flatbuffers are written back to front: what is written first stands last.
std::string BundleWithTheProgramLast() {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<uint8_t> bytes(128, 0);
  const auto program = builder.CreateVector(bytes);
  const std::vector<flatbuffers::Offset<fb::BundledMethodTestSuite>> suites = {
      fb::bundled::CreateBundledMethodTestSuite(builder, builder.CreateString("forward"))};
  const auto list = builder.CreateVector(suites);
  builder.Finish(fb::bundled::CreateBundledProgram(builder, 2, list, program), fb::bundled::BundledProgramIdentifier());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

TEST(BundleTest, ObjectsInsideTheProgramAreRefused) {
  // The suite's name moved into the program, which opening does not read: it would show as zeros.
  Editor editor(BundleWithTheProgramLast());
  const auto& bundle = editor.root<fb::BundledProgram>();
  const size_t field = editor.At(bundle.method_test_suites()->Get(0), fb::bundled::BundledMethodTestSuite::VT_METHOD_NAME);
  const size_t inside = editor.At(bundle.program()->Data()) + 64;
  ASSERT_GT(inside, field);
  Poke32(editor.file(), field, static_cast<uint32_t>(inside - field));
  EXPECT_THAT(BpteFile::Open(MakeSource(SourceKind::kMemory, editor.file())), IsFault(StatusCode::kDataLoss, "B2", inside));
}

TEST(BundleTest, FaultsOfTheProgramAreReportedAtTheirPlaceInTheBundle) {
  Editor editor(Pack(BaseQ()));
  const size_t program = editor.At(editor.root<fb::BundledProgram>().program()->Data());
  Poke32(editor.file(), program + 12, 23);
  ASSERT_OK_AND_ASSIGN(const BpteFile bundle, BpteFile::Open(MakeSource(SourceKind::kMemory, editor.file())));
  EXPECT_THAT(bundle.program(), IsFault(StatusCode::kDataLoss, "H4", program + 12));
}

TEST(BundleTest, ABundleInsideABundleIsRefused) {
  fb::bundled::BundledProgramT outer = BaseQ();
  const std::string inner = Pack(BaseQ());
  outer.program.assign(inner.begin(), inner.end());
  ASSERT_OK_AND_ASSIGN(const BpteFile bundle, BpteFile::Open(MakeSource(SourceKind::kMemory, Pack(outer))));
  EXPECT_THAT(bundle.program(), HasCode(StatusCode::kInvalidArgument));
}

TEST(BundleTest, OtherVersionIsNoted) {
  fb::bundled::BundledProgramT bundle = BaseQ();
  bundle.version = 3;
  ASSERT_OK_AND_ASSIGN(const BpteFile file, BpteFile::Open(MakeSource(SourceKind::kMemory, Pack(bundle))));
  ASSERT_THAT(file.notes(), testing::SizeIs(1));
  EXPECT_EQ(file.notes()[0].rule, "B10");
}

}  // namespace
}  // namespace pte::test
