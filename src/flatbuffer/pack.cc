#include "src/flatbuffer/pack.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "src/base/fault.h"
#include "src/base/little_endian.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/format/wire.h"

namespace pte {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// The schema: inline bytes are aligned to the length in front of them at least.
constexpr uint64_t kLengthSize = sizeof(flatbuffers::uoffset_t);

Offset<flatbuffers::String> Text(FlatBufferBuilder& builder, std::string_view text) {
  return text.empty() ? builder.CreateSharedString("", 0) : builder.CreateString(text.data(), text.size());
}

// Five lists and strings are left out when they are empty, as the exporter leaves them out; all others are written, since the runtime
// refuses programs that miss them.
class ProgramPacker {
 public:
  ProgramPacker(FlatBufferBuilder& builder, const PayloadLists& lists) : builder_(builder), lists_(lists) {}

  Offset<fb::Program> Pack(const fb::ProgramT& program) {
    const auto plans = Tables(program.execution_plan, [this](const fb::ExecutionPlanT& plan) { return Plan(plan); });
    const auto constant_buffer = builder_.CreateVector(std::vector<Offset<fb::Buffer>>());
    const auto inline_data = InlineData();
    const auto segments = Rows();
    const auto constants = Cut(lists_.constants);
    Offset<flatbuffers::Vector<Offset<fb::SubsegmentOffsets>>> mutable_data;
    if (lists_.mutable_data) mutable_data = builder_.CreateVector(std::vector{Cut(*lists_.mutable_data)});
    const auto named_data = Named();
    return fb::CreateProgram(builder_, program.version, plans, constant_buffer, inline_data, segments, constants, mutable_data, named_data);
  }

 private:
  // A vector of what `pack` makes of each item.
  template <class Item, class PackItem>
  Offset<flatbuffers::Vector<Offset<typename Item::TableType>>> Tables(const std::vector<std::unique_ptr<Item>>& items, PackItem pack) {
    std::vector<Offset<typename Item::TableType>> tables;
    tables.reserve(items.size());
    for (const auto& item : items) tables.push_back(pack(*item));
    return builder_.CreateVector(tables);
  }
  // The same by generated code.
  template <class Item>
  Offset<flatbuffers::Vector<Offset<typename Item::TableType>>> Generated(const std::vector<std::unique_ptr<Item>>& items) {
    return Tables(items, [this](const Item& item) { return Item::TableType::Pack(builder_, &item); });
  }

  Offset<fb::ExecutionPlan> Plan(const fb::ExecutionPlanT& plan) {
    const auto name = Text(builder_, plan.name);
    const auto container = plan.container_meta_type ? fb::ContainerMetadata::Pack(builder_, plan.container_meta_type.get()) : 0;
    const auto values = Tables(plan.values, [this](const fb::EValueT& value) { return Value(value); });
    const auto inputs = builder_.CreateVector(plan.inputs);
    const auto outputs = builder_.CreateVector(plan.outputs);
    const auto chains = Tables(plan.chains, [this](const fb::ChainT& chain) { return Chain(chain); });
    const auto operators = Generated(plan.operators);
    const auto delegates = Tables(plan.delegates, [this](const fb::BackendDelegateT& delegate) { return Delegate(delegate); });
    const auto sizes = builder_.CreateVector(plan.non_const_buffer_sizes);
    const auto devices = plan.non_const_buffer_device.empty() ? 0 : Generated(plan.non_const_buffer_device);
    return fb::CreateExecutionPlan(builder_, name, container, values, inputs, outputs, chains, operators, delegates, sizes, devices);
  }

  Offset<fb::EValue> Value(const fb::EValueT& value) {
    const fb::TensorT* tensor = value.val.AsTensor();
    const Offset<void> packed = tensor != nullptr ? Tensor(*tensor).Union() : value.val.Pack(builder_);
    return fb::CreateEValue(builder_, value.val.type, packed);
  }

  Offset<fb::Tensor> Tensor(const fb::TensorT& tensor) {
    const auto sizes = builder_.CreateVector(tensor.sizes);
    const auto dim_order = builder_.CreateVector(tensor.dim_order);
    const auto allocation = tensor.allocation_info ? fb::AllocationDetails::Pack(builder_, tensor.allocation_info.get()) : 0;
    const auto extra = tensor.extra_tensor_info ? Extra(*tensor.extra_tensor_info) : 0;
    return fb::CreateTensor(builder_, tensor.scalar_type, tensor.storage_offset, sizes, dim_order, tensor.requires_grad,
                            tensor.data_buffer_idx, allocation, tensor.layout, tensor.shape_dynamism, extra);
  }

  Offset<fb::ExtraTensorInfo> Extra(const fb::ExtraTensorInfoT& extra) {
    const auto name = extra.fully_qualified_name.empty() ? 0 : Text(builder_, extra.fully_qualified_name);
    return fb::CreateExtraTensorInfo(builder_, extra.mutable_data_segments_idx, name, extra.location, extra.device_type,
                                     extra.device_index);
  }

  Offset<fb::Chain> Chain(const fb::ChainT& chain) {
    const auto inputs = builder_.CreateVector(chain.inputs);
    const auto outputs = builder_.CreateVector(chain.outputs);
    const auto instructions = Generated(chain.instructions);
    const auto stacktrace = chain.stacktrace.empty() ? 0 : Generated(chain.stacktrace);
    return fb::CreateChain(builder_, inputs, outputs, instructions, stacktrace);
  }

  Offset<fb::BackendDelegate> Delegate(const fb::BackendDelegateT& delegate) {
    const auto id = Text(builder_, delegate.id);
    const PayloadLists::Reference& reference = lists_.delegates[delegate.processed->index];
    const auto processed = fb::CreateBackendDelegateDataReference(
        builder_, reference.is_inline ? fb::DataLocation::INLINE : fb::DataLocation::SEGMENT, reference.index);
    return fb::CreateBackendDelegate(builder_, id, processed, Generated(delegate.compile_specs));
  }

  // Every entry has the same empty vector for now; PlaceInlineBytes leads those with bytes to their own.
  Offset<flatbuffers::Vector<Offset<fb::BackendDelegateInlineData>>> InlineData() {
    std::vector<Offset<fb::BackendDelegateInlineData>> entries;
    if (!lists_.inline_sizes.empty()) {
      const auto empty = builder_.CreateVector(std::vector<uint8_t>());
      for (size_t i = 0; i < lists_.inline_sizes.size(); ++i) entries.push_back(fb::CreateBackendDelegateInlineData(builder_, empty));
    }
    return builder_.CreateVector(entries);
  }

  Offset<flatbuffers::Vector<Offset<fb::DataSegment>>> Rows() {
    std::vector<Offset<fb::DataSegment>> rows;
    rows.reserve(lists_.segments.size());
    for (const PayloadLists::Row& row : lists_.segments) rows.push_back(fb::CreateDataSegment(builder_, row.offset, row.size));
    return builder_.CreateVector(rows);
  }

  Offset<fb::SubsegmentOffsets> Cut(const PayloadLists::Cut& cut) {
    return fb::CreateSubsegmentOffsets(builder_, cut.segment_index, builder_.CreateVector(cut.offsets));
  }

  Offset<flatbuffers::Vector<Offset<fb::NamedData>>> Named() {
    if (lists_.named_data.empty()) return 0;
    std::vector<Offset<fb::NamedData>> rows;
    rows.reserve(lists_.named_data.size());
    for (const PayloadLists::Named& row : lists_.named_data) {
      rows.push_back(fb::CreateNamedData(builder_, Text(builder_, row.key), row.segment_index));
    }
    return builder_.CreateVector(rows);
  }

  FlatBufferBuilder& builder_;
  const PayloadLists& lists_;
};

Offset<fb::flat_tensor::NamedData> PackRow(FlatBufferBuilder& builder, const PayloadLists::Named& row) {
  const auto key = Text(builder, row.key);
  Offset<fb::flat_tensor::TensorLayout> layout;
  if (row.tensor_layout) {
    const auto sizes = builder.CreateVector(row.tensor_layout->sizes.data(), row.tensor_layout->sizes.size());
    const auto dim_order = builder.CreateVector(row.tensor_layout->dim_order.data(), row.tensor_layout->dim_order.size());
    layout = fb::flat_tensor::CreateTensorLayout(builder, row.tensor_layout->scalar_type, sizes, dim_order);
  }
  return fb::flat_tensor::CreateNamedData(builder, key, row.segment_index, layout);
}

// The finished flatbuffer with the header's slot in it, which moves all but the first eight bytes.
PackedFlatbuffer WithSlot(const FlatBufferBuilder& builder, uint64_t slot) {
  const auto* bytes = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  const size_t size = builder.GetSize();
  PackedFlatbuffer packed;
  packed.head.resize(size + static_cast<size_t>(slot));
  std::copy_n(bytes, wire::kPlainHeadSize, packed.head.data());
  std::copy_n(bytes + wire::kPlainHeadSize, size - wire::kPlainHeadSize, packed.head.data() + wire::kPlainHeadSize + slot);
  packed.root_offset = LoadU32(bytes + wire::kRootOffset) + static_cast<uint32_t>(slot);
  StoreU32(packed.head.data() + wire::kRootOffset, packed.root_offset);
  packed.program_size = packed.head.size();
  return packed;
}

// Gives each entry with bytes a place behind the head, and leads it there.
void PlaceInlineBytes(const PayloadLists& lists, uint64_t inline_alignment, PackedFlatbuffer& packed) {
  const auto* program = reinterpret_cast<const fb::Program*>(packed.head.data() + packed.root_offset);
  const uint64_t alignment = std::max(inline_alignment, kLengthSize);
  for (size_t i = 0; i < lists.inline_sizes.size(); ++i) {
    const auto* entry = program->backend_delegate_data()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const auto* base = reinterpret_cast<const uint8_t*>(packed.head.data());
    if (lists.inline_sizes[i] == 0) {
      packed.inline_offsets.push_back(static_cast<uint64_t>(entry->data()->Data() - base));
      continue;
    }
    const uint64_t data = *AlignUp(packed.program_size + kLengthSize, alignment);
    const auto* entry_table = reinterpret_cast<const flatbuffers::Table*>(entry);
    const auto field = static_cast<uint64_t>(entry_table->GetAddressOf(fb::BackendDelegateInlineData::VT_DATA) - base);
    StoreU32(packed.head.data() + field, static_cast<uint32_t>(data - kLengthSize - field));
    packed.inline_offsets.push_back(data);
    packed.program_size = data + lists.inline_sizes[i];
  }
}

absl::Status CheckProgramSize(uint64_t size) {
  if (size < wire::kFlatbufferLimit) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("flatbuffer: too large; wanted less than ", Number(wire::kFlatbufferLimit), " bytes, found ", Number(size)));
}

std::string Show(const Contribution& part) {
  const std::string index = part.index ? absl::StrCat("[", *part.index, "]") : "";
  return absl::StrCat(ToAbsl(part.path), index, " ", Number(part.size), " bytes");
}

}  // namespace

absl::Status CheckFlatbufferSize(std::vector<Contribution> parts) {
  constexpr size_t kShown = 3;
  uint64_t total = 0;
  for (const Contribution& part : parts) total = CheckedAdd(total, part.size).value_or(UINT64_MAX);
  if (total < wire::kFlatbufferLimit) return absl::OkStatus();
  const size_t shown = std::min(parts.size(), kShown);
  std::partial_sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(shown), parts.end(),
                    [](const Contribution& a, const Contribution& b) { return a.size > b.size; });
  std::string largest;
  for (size_t i = 0; i < shown; ++i) absl::StrAppend(&largest, i == 0 ? "" : ", ", Show(parts[i]));
  return absl::ResourceExhaustedError(absl::StrCat("flatbuffer: too large; wanted less than ", Number(wire::kFlatbufferLimit),
                                                   " bytes, found ", Number(total), "; the largest parts: ", largest));
}

absl::StatusOr<PackedFlatbuffer> PackProgram(const fb::ProgramT& program, const PayloadLists& lists, const PackOptions& options) {
  FlatBufferBuilder builder;
  builder.Finish(ProgramPacker(builder, lists).Pack(program), std::string(options.identifier).c_str());
  PackedFlatbuffer packed = WithSlot(builder, options.header_slot);
  PlaceInlineBytes(lists, options.inline_alignment, packed);
  PTE_RETURN_IF_ERROR(CheckProgramSize(packed.program_size));
  return packed;
}

absl::StatusOr<PackedFlatbuffer> PackFlatTensor(const PayloadLists& lists, const PackOptions& options) {
  std::vector<Contribution> parts;
  constexpr uint64_t kMostPerRow = 128;  // beside the key and the layout's lists
  parts.push_back({"segments", std::nullopt, lists.segments.size() * kMostPerRow});
  for (size_t i = 0; i < lists.named_data.size(); ++i) {
    const auto& layout = lists.named_data[i].tensor_layout;
    const uint64_t layout_size = layout ? layout->sizes.size_bytes() + layout->dim_order.size() : 0;
    parts.push_back({"named_data", i, kMostPerRow + lists.named_data[i].key.size() + layout_size});
  }
  PTE_RETURN_IF_ERROR(CheckFlatbufferSize(std::move(parts)));
  FlatBufferBuilder builder;
  std::vector<Offset<fb::flat_tensor::DataSegment>> segments;
  for (const PayloadLists::Row& row : lists.segments) {
    segments.push_back(fb::flat_tensor::CreateDataSegment(builder, row.offset, row.size));
  }
  std::vector<Offset<fb::flat_tensor::NamedData>> named_data;
  for (const PayloadLists::Named& row : lists.named_data) named_data.push_back(PackRow(builder, row));
  const auto segment_rows = builder.CreateVector(segments);
  const auto named_rows = builder.CreateVector(named_data);
  builder.Finish(fb::flat_tensor::CreateFlatTensor(builder, kFlatTensorVersion, segment_rows, named_rows),
                 std::string(options.identifier).c_str());
  PackedFlatbuffer packed = WithSlot(builder, options.header_slot);
  PTE_RETURN_IF_ERROR(CheckProgramSize(packed.program_size));
  return packed;
}

}  // namespace pte
