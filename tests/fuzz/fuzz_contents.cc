#include "tests/fuzz/fuzz_contents.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "tests/fuzz/fuzz_program.h"
#include "tests/fuzz/require.h"
#include "tests/support/contents.h"

namespace pte::test {
namespace {

size_t FuzzSize(FuzzInput& input) { return input.Pick<size_t>({5, 0, 1, 15, 16, 17, 64, 100, 128, 255, 1000, 4097}); }

// Two bytes choose it, so that equal ones are common.
std::string FuzzBytes(FuzzInput& input) {
  const size_t size = FuzzSize(input);
  const auto start = static_cast<unsigned>(input.Below(4));
  return start == 3 ? std::string(size, '\0') : Bytewise(size, start);
}

// The same bytes in one piece or several: what is equal must not depend on it.
Rope FuzzRope(FuzzInput& input) {
  const std::string bytes = FuzzBytes(input);
  switch (input.Below(4)) {
    case 0: return InPieces(bytes, {bytes.size() / 3, bytes.size() / 2});
    case 1: return Whole(MemorySource(Bytes::FromString(bytes)));
    default: return Copy(bytes);
  }
}

uint64_t FuzzAlignment(FuzzInput& input) { return input.Pick<uint64_t>({1, 16, 12, 64, 7, 100, 256, 4096, 3}); }

std::string FuzzKey(FuzzInput& input, size_t i) {
  return input.Pick<std::string>({"key", "", "weight",
                                  "gr\xc3\xb6\xc3\x9f"
                                  "e"}) +
         std::to_string(i);
}

// Entries that no store takes are left out: a wrong alignment, or no common one with a shared payload's other keys.
NamedDataStore FuzzStore(FuzzInput& input, bool with_layouts) {
  NamedDataStore store;
  const size_t count = input.Below(6);
  for (size_t i = 0; i < count; ++i) {
    const Rope rope = FuzzRope(input);
    NamedDataOptions options;
    options.alignment = FuzzAlignment(input);
    const std::vector<int32_t> sizes = {static_cast<int32_t>(rope.size())};
    const std::vector<uint8_t> dim_order = {0};
    if (with_layouts && input.Flag()) options.tensor_layout = TensorLayout{fb::ScalarType::BYTE, sizes, dim_order};
    const std::string key = FuzzKey(input, i);
    const absl::Status added = store.Add(key, rope, options);
    Require(added.ok() || absl::IsInvalidArgument(added), "a store takes an entry, or says what is wrong with it");
    Require(added.ok() == (store.Find(key) != nullptr), "a store holds what it took, and nothing else");
  }
  return store;
}

DelegatePayload FuzzDelegate(FuzzInput& input) {
  using Placement = DelegatePayload::Placement;
  const auto placement = input.Pick<Placement>({Placement::kByOptions, Placement::kInline, Placement::kSegment});
  return {FuzzRope(input), placement};
}

std::vector<size_t> SizesOf(const SubsegmentList& list) {
  std::vector<size_t> sizes;
  for (size_t i = 0; i < list.size(); ++i) sizes.push_back(list[i].size());
  return sizes;
}

// States that have no byte between them are left out of the file, and then no tensor can refer to one.
std::vector<size_t> StatesOf(const SubsegmentList& list) {
  std::vector<size_t> sizes = SizesOf(list);
  if (std::ranges::all_of(sizes, [](size_t size) { return size == 0; })) sizes.clear();
  return sizes;
}

void AddNullPlan(PteContents& contents) { contents.program.execution_plan.push_back(nullptr); }

fb::ExecutionPlanT& AddPlan(PteContents& contents) {
  contents.program.execution_plan.push_back(std::make_unique<fb::ExecutionPlanT>());
  return *contents.program.execution_plan.back();
}

void AddDelegateOutOfRange(PteContents& contents) {
  auto delegate = std::make_unique<fb::BackendDelegateT>();
  delegate->processed = std::make_unique<fb::BackendDelegateDataReferenceT>();
  delegate->processed->index = static_cast<uint32_t>(contents.delegate_payloads.size());
  AddPlan(contents).delegates.push_back(std::move(delegate));
}

// A type without its value.
void AddHollowValue(PteContents& contents) {
  auto value = std::make_unique<fb::EValueT>();
  value->val.type = fb::KernelTypes::Tensor;
  AddPlan(contents).values.push_back(std::move(value));
}

}  // namespace

LayoutOptions FuzzLayout(FuzzInput& input) {
  LayoutOptions layout;
  layout.segment_alignment = input.Pick<uint64_t>({128, 1, 12, 16, 64, 7, 4096, 0, 65536, 65537});
  layout.constant_alignment = input.Pick<uint64_t>({16, 1, 8, 64, 1024, 3, 0, 131072});
  layout.delegate_alignment = input.Pick<uint64_t>({16, 1, 4, 128, 1024, 48});
  layout.large_segment_threshold = input.Pick<uint64_t>({1 << 20, 0, 1, 64, 1000});
  layout.large_segment_alignment = input.Pick<uint64_t>({4096, 1, 512, 48, 0});
  layout.inline_delegates = input.Flag();
  return layout;
}

PteContents FuzzPte(FuzzInput& input) {
  PteContents contents;
  for (size_t i = input.Below(5); i > 0; --i) contents.constants.push_back(FuzzRope(input));
  for (size_t i = input.Below(4); i > 0; --i) contents.mutable_data.push_back(FuzzRope(input));
  for (size_t i = input.Below(5); i > 0; --i) contents.delegate_payloads.push_back(FuzzDelegate(input));
  contents.named_data = FuzzStore(input, false);
  contents.program = FuzzProgram(input, {SizesOf(contents.constants), StatesOf(contents.mutable_data), contents.delegate_payloads.size()});
  return contents;
}

PtdContents FuzzPtd(FuzzInput& input) {
  PtdContents contents;
  contents.named_data = FuzzStore(input, true);
  return contents;
}

void Spoil(FuzzInput& input, PteContents& contents) {
  switch (input.Below(8)) {
    case 0: return AddNullPlan(contents);
    case 1: return AddDelegateOutOfRange(contents);
    case 2: return AddHollowValue(contents);
    case 3: return AddPlan(contents).values.push_back(nullptr);
    case 4: return AddPlan(contents).delegates.push_back(std::make_unique<fb::BackendDelegateT>());
    case 5: return contents.program.segments.push_back(std::make_unique<fb::DataSegmentT>());
    case 6: return contents.constants.push_back(Whole(Unreadable(10)));
    default: RequireOk(contents.named_data.Add("external", Copy("bytes"), {.external_tag = "other"}), "a store takes an external entry");
  }
}

}  // namespace pte::test
