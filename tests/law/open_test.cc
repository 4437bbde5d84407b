// What opening a container refuses beyond its head, from every kind of source: code, rule and offset.
#include <algorithm>
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
#include "pte/verify.h"
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

// Pokes a field of segment `i`; `reported` is the field that must be named.
auto SegmentField(uint32_t i, flatbuffers::voffset_t field, uint64_t value, flatbuffers::voffset_t reported = fb::DataSegment::VT_SIZE) {
  return [=](Editor& editor) {
    Poke64(editor.file(), editor.At(SegmentAt(editor, i), field), value);
    return std::optional<uint64_t>(editor.At(SegmentAt(editor, i), reported));
  };
}

constexpr uint64_t kMax = UINT64_MAX;

std::vector<OpenCase> SegmentCases() {
  const uint64_t base = Peek64(Build(BaseA()), 24);
  std::vector<OpenCase> cases = {
      Changed("OffsetPlusSizeWraps", BaseA(), StatusCode::kDataLoss, "S4", SegmentField(1, fb::DataSegment::VT_SIZE, kMax - 8)),
      Changed("OffsetNearMaxWraps", BaseA(), StatusCode::kDataLoss, "S4", SegmentField(1, fb::DataSegment::VT_OFFSET, kMax - 7)),
      Changed("BasePlusOffsetWraps", BaseA(), StatusCode::kDataLoss, "S5",
              SegmentField(1, fb::DataSegment::VT_OFFSET, kMax - 127, fb::DataSegment::VT_OFFSET)),
      Changed("EndsOneByteBeyondTheFile", BaseA(), StatusCode::kDataLoss, "S6", SegmentField(1, fb::DataSegment::VT_SIZE, 100)),
      Changed("BeginsBeyondTheFile", BaseA(), StatusCode::kDataLoss, "S6", SegmentField(1, fb::DataSegment::VT_OFFSET, base + 4096)),
      Changed("DeclaredOneByteTooLittle", BaseA(), StatusCode::kDataLoss, "H16",
              [](Editor& editor) {
                Poke64(editor.file(), 32, 226);
                return std::optional<uint64_t>(editor.At(SegmentAt(editor, 1), fb::DataSegment::VT_SIZE));
              }),
      Changed("DeclaredOneByteInAll", BaseA(), StatusCode::kDataLoss, "H16",
              [](Editor& editor) {
                Poke64(editor.file(), 32, 1);
                return std::optional<uint64_t>(editor.At(SegmentAt(editor, 0), fb::DataSegment::VT_SIZE));
              }),
      Changed("NoBaseInTheHeader", BaseA(), StatusCode::kDataLoss, "H12",
              [](Editor& editor) {
                Poke64(editor.file(), 24, 0);
                Poke64(editor.file(), 32, 0);
                return std::optional<uint64_t>(editor.At(SegmentAt(editor, 0), fb::DataSegment::VT_SIZE));
              }),
      Changed("MagicOneBitOff", BaseA(), StatusCode::kDataLoss, "H3",
              [](Editor& editor) {
                editor.file()[11] = '1';
                return std::optional<uint64_t>(editor.At(SegmentAt(editor, 0), fb::DataSegment::VT_SIZE));
              }),
      Changed("UndeclaredAndTheFileCut", BaseA(), StatusCode::kOutOfRange, "H19", [](Editor& editor) {
        Poke32(editor.file(), 12, 24);
        editor.file().pop_back();
        return std::optional<uint64_t>(editor.At(SegmentAt(editor, 1), fb::DataSegment::VT_SIZE));
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
      return std::optional<uint64_t>(editor.At(root(editor).segments()->Get(1), fb::flat_tensor::DataSegment::VT_SIZE));
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
                return std::optional<uint64_t>(editor.At(root(editor).segments()->Get(2), Segment::VT_SIZE));
              }),
      Changed("PtdDeclaredNothing", BaseP(), StatusCode::kDataLoss, "D7",
              [=](Editor& editor) {
                Poke64(editor.file(), 40, 0);
                return std::optional<uint64_t>(editor.At(root(editor).segments()->Get(0), Segment::VT_SIZE));
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

TEST(OpenTest, NoSourceIsTheCallersFault) {
  EXPECT_THAT(PteFile::Open(std::shared_ptr<const ByteSource>()), HasCode(StatusCode::kInvalidArgument));
}

// The older schema takes a current file's segments for a number, so it must not be what judges a damaged one.
TEST(OpenTest, ADamagedDirectoryIsNotCalledOld) {
  Editor editor(Build(BaseP()));
  const size_t row = editor.At(editor.root<fb::FlatTensor>().segments()->Get(1));
  Poke32(editor.file(), row, 0x7fff0000);
  EXPECT_THAT(PtdFile::Open(MakeSource(SourceKind::kMemory, editor.file())), IsFault(StatusCode::kDataLoss, "D10", row));
}

TEST(OpenTest, ASegmentThatIsNamedButNotListedIsMissing) {
  Editor editor(Build(BaseC()));
  editor.Drop(&Root(editor), fb::Program::VT_SEGMENTS);
  const uint64_t at = editor.At(Root(editor).constant_segment());
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, editor.file())), IsFault(StatusCode::kDataLoss, "S3", at));
}

TEST(OpenTest, BytesAfterTheLastSegmentAreNotedWhateverTheHeaderDeclares) {
  std::string undeclared = Build(BaseA());
  Poke64(undeclared, 32, 0);
  for (const std::string& bytes : {Build(BaseA()), Build(BaseA(), 24), undeclared}) {
    ASSERT_OK_AND_ASSIGN(const PteFile file, PteFile::Open(MakeSource(SourceKind::kMemory, bytes + "junk")));
    const auto notes = file.notes();
    EXPECT_TRUE(
        std::any_of(notes.begin(), notes.end(), [&](const Finding& f) { return f.rule == "H20" && f.file_offset == bytes.size(); }));
    ASSERT_OK_AND_ASSIGN(const PteFile whole, PteFile::Open(MakeSource(SourceKind::kMemory, bytes)));
    const auto none = whole.notes();
    EXPECT_FALSE(std::any_of(none.begin(), none.end(), [](const Finding& f) { return f.rule == "H20"; }));
  }
}

TEST(VerifyTest, AFileThatDoesNotOpenKeepsItsKindAndItsNotes) {
  std::string bytes = Build(BaseA());
  bytes[11] = '1';
  ASSERT_OK_AND_ASSIGN(const VerifyReport report, Verify(*MakeSource(SourceKind::kMemory, bytes)));
  EXPECT_EQ(report.kind, ContainerKind::kPte);
  EXPECT_EQ(report.verdict, Verdict::kError);
  const auto is_here = [&](std::string_view rule, Severity severity, std::optional<uint64_t> offset) {
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return finding.rule == rule && finding.severity == severity && (!offset || finding.file_offset == offset);
    });
  };
  EXPECT_TRUE(is_here("H3", Severity::kWarning, 8));  // the magic that is almost one
  EXPECT_TRUE(is_here("H3", Severity::kError, std::nullopt));
  ASSERT_OK_AND_ASSIGN(const VerifyReport cut, Verify(*MakeSource(SourceKind::kMemory, Build(BaseP()).substr(0, 300))));
  EXPECT_EQ(cut.kind, ContainerKind::kPtd);
}

TEST(OpenTest, TheMessageNamesTheInnermostField) {
  const OpenCase broken = FlatbufferCases()[0];
  EXPECT_THAT(PteFile::Open(MakeSource(SourceKind::kMemory, broken.bytes)).status().message(), testing::HasSubstr("named_data[1].key"));
}

}  // namespace
}  // namespace pte::test
