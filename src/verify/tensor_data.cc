#include "src/verify/tensor_data.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "src/base/checked.h"
#include "src/base/fault.h"
#include "src/verify/tensor_shape.h"

namespace pte {
namespace {

using fb::ExtraTensorInfo;
using flatbuffers::uoffset_t;

bool IsKnown(fb::DeviceType type) { return type == fb::DeviceType::CPU || type == fb::DeviceType::CUDA; }

}  // namespace

TensorDataJudge::TensorDataJudge(Judge& judge, const fb::ExecutionPlan& plan, ProgramFacts& facts)
    : judge_(judge), buffers_(plan.non_const_buffer_sizes()), facts_(facts) {
  if (CountOf(plan.non_const_buffer_device()) == 0) return;
  devices_.resize(CountOf(buffers_));
  for (const fb::NonConstBufferDevice* device : *plan.non_const_buffer_device()) {
    const int32_t index = device->buffer_idx();
    if (index < 0 || static_cast<size_t>(index) >= devices_.size()) continue;
    const fb::NonConstBufferDevice*& first = devices_[static_cast<size_t>(index)];
    if (first == nullptr) first = device;
  }
}

void TensorDataJudge::Run(const fb::Tensor& tensor, std::optional<uint64_t> bytes, bool is_port) {
  const ExtraTensorInfo* extra = tensor.extra_tensor_info();
  const fb::AllocationDetails* place = tensor.allocation_info();
  if (extra != nullptr) Extra(tensor, *extra);
  if (place != nullptr) {
    Planned(*place, bytes);
    if (extra != nullptr || !devices_.empty()) PlannedDevice(tensor, extra, *place);
  }
  if (extra != nullptr && IsExternal(tensor)) return;
  if (tensor.data_buffer_idx() == 0) {
    if (place == nullptr && !is_port) ReportNoBytes(tensor);
  } else if (place != nullptr) {
    Mutable(tensor, bytes);
  } else if (facts_.constants_in_segment) {
    Constant(tensor, bytes);
  } else {
    InlineConstant(tensor, bytes);
  }
}

void TensorDataJudge::ReportNoBytes(const fb::Tensor& tensor) {
  judge_.Warn("T16", judge_.Field(tensor, fb::Tensor::VT_DATA_BUFFER_IDX, "data_buffer_idx"),
              "a tensor without bytes: neither planned, nor a constant, nor an input or output", "at least 1", "0");
}

void TensorDataJudge::Extra(const fb::Tensor& tensor, const ExtraTensorInfo& extra) {
  const FieldPath::Part part(judge_.path(), "extra_tensor_info");
  const auto location = static_cast<int>(extra.location());
  if (location < 0 || location > static_cast<int>(fb::TensorDataLocation::EXTERNAL)) {
    judge_.Error("T12", judge_.Field(extra, ExtraTensorInfo::VT_LOCATION, "location"), "no such location", "0 (SEGMENT) or 1 (EXTERNAL)",
                 absl::StrCat(location));
  }
  if (IsExternal(tensor) && TextOf(extra.fully_qualified_name()).empty()) {
    judge_.Error("T13", judge_.Object(extra, ExtraTensorInfo::VT_FULLY_QUALIFIED_NAME, "fully_qualified_name"),
                 "an external tensor without the name that its data is found by", "a name",
                 extra.fully_qualified_name() == nullptr ? "nothing" : "\"\"");
  }
  const uint64_t list = extra.mutable_data_segments_idx();
  if (list != 0) {
    const size_t count = CountOf(facts_.program.mutable_data_segments());
    judge_.Add(list < count ? Severity::kWarning : Severity::kError, "S22",
               judge_.Field(extra, ExtraTensorInfo::VT_MUTABLE_DATA_SEGMENTS_IDX, "mutable_data_segments_idx"),
               list < count ? "the runtime uses list 0 whatever stands here" : "no such list of mutable data", "0", Number(list));
  }
  if (!IsKnown(extra.device_type())) {
    judge_.Error("T17", judge_.Field(extra, ExtraTensorInfo::VT_DEVICE_TYPE, "device_type"), "no such device type", "0 (CPU) or 1 (CUDA)",
                 absl::StrCat(static_cast<int>(extra.device_type())));
  } else if (extra.device_index() < 0) {
    judge_.Error("T17", judge_.Field(extra, ExtraTensorInfo::VT_DEVICE_INDEX, "device_index"), "a negative device index", "at least 0",
                 absl::StrCat(int{extra.device_index()}));
  }
}

TensorDataJudge::Device TensorDataJudge::DeviceOf(uint32_t buffer) const {
  const fb::NonConstBufferDevice* device = buffer < devices_.size() ? devices_[buffer] : nullptr;
  return device == nullptr ? Device{} : Device{device->device_type(), device->device_index()};
}

// What says nothing of a device is on the CPU.
void TensorDataJudge::PlannedDevice(const fb::Tensor& tensor, const ExtraTensorInfo* extra, const fb::AllocationDetails& place) {
  if (place.memory_id() >= CountOf(buffers_)) return;
  const Device own = extra == nullptr ? Device{} : Device{extra->device_type(), extra->device_index()};
  const Device buffer = DeviceOf(place.memory_id());
  const bool is_judged = IsKnown(own.type) && own.index >= 0 && IsKnown(buffer.type);
  if (!is_judged || (own.type == buffer.type && own.index == buffer.index)) return;
  const auto show = [](const Device& device) { return absl::StrCat("device ", static_cast<int>(device.type), ":", device.index); };
  const std::string path = extra == nullptr ? "extra_tensor_info" : "extra_tensor_info.device_type";
  const Spot spot = extra == nullptr ? judge_.Object(tensor, fb::Tensor::VT_EXTRA_TENSOR_INFO, path)
                                     : judge_.Field(*extra, ExtraTensorInfo::VT_DEVICE_TYPE, path);
  judge_.Warn("T17", spot, "the tensor is on another device than the buffer that it is planned in", show(buffer), show(own));
}

void TensorDataJudge::Planned(const fb::AllocationDetails& place, std::optional<uint64_t> bytes) {
  // Without any buffer there is one finding, and it is the list's (P19).
  if (CountOf(buffers_) == 0) return;
  const uint32_t buffer = place.memory_id();
  if (buffer == 0 || buffer >= buffers_->size()) return ReportNoBuffer(place);
  const int64_t size = buffers_->Get(buffer);
  if (!bytes || size < 0) return;
  const uint64_t offset = uint64_t{place.memory_offset_high()} << 32 | place.memory_offset_low();
  if (!RangeInside(offset, *bytes, static_cast<uint64_t>(size))) ReportBeyondBuffer(place, offset, *bytes);
}

void TensorDataJudge::ReportNoBuffer(const fb::AllocationDetails& place) {
  const FieldPath::Part part(judge_.path(), "allocation_info");
  judge_.Error("P21", judge_.Field(place, fb::AllocationDetails::VT_MEMORY_ID, "memory_id"), "no such planned buffer",
               absl::StrCat("from 1 to ", buffers_->size() - 1), absl::StrCat(place.memory_id()));
}

void TensorDataJudge::ReportBeyondBuffer(const fb::AllocationDetails& place, uint64_t offset, uint64_t bytes) {
  const FieldPath::Part part(judge_.path(), "allocation_info");
  judge_.Error("P21", judge_.Field(place, fb::AllocationDetails::VT_MEMORY_OFFSET_LOW, "memory_offset_low"),
               absl::StrCat("the tensor ends beyond planned buffer ", place.memory_id()),
               absl::StrCat("end at most ", Number(static_cast<uint64_t>(buffers_->Get(place.memory_id())))),
               absl::StrCat(Number(offset), " + ", Number(bytes)));
}

bool TensorDataJudge::IndexInside(const fb::Tensor& tensor, size_t count, std::string_view what) {
  if (tensor.data_buffer_idx() < count) return true;
  judge_.Error("T15", judge_.Field(tensor, fb::Tensor::VT_DATA_BUFFER_IDX, "data_buffer_idx"), absl::StrCat("no such ", ToAbsl(what)),
               Below(count), absl::StrCat(tensor.data_buffer_idx()));
  return false;
}

// The list has been judged by itself: offsets that decrease or leave the segment are not this tensor's fault.
void TensorDataJudge::Constant(const fb::Tensor& tensor, std::optional<uint64_t> bytes) {
  if (!IndexInside(tensor, facts_.constant_count, "constant")) return;
  const Pieces& pieces = facts_.constants;
  if (pieces.offsets == nullptr) return;
  const uint32_t index = tensor.data_buffer_idx();
  const uint64_t begin = pieces.offsets->Get(index);
  if (begin > pieces.segment_size) return;
  Alignment(tensor, begin);
  if (!bytes) return;
  const uint64_t next = index + 1 < pieces.offsets->size() ? pieces.offsets->Get(index + 1) : pieces.segment_size;
  const bool leaves_segment = *bytes > pieces.segment_size - begin;
  if (!leaves_segment && (next < begin || *bytes <= next - begin)) return;
  judge_.Add(leaves_segment ? Severity::kError : Severity::kWarning, "S18",
             judge_.Field(tensor, fb::Tensor::VT_DATA_BUFFER_IDX, "data_buffer_idx"),
             leaves_segment ? "the tensor reaches beyond the constants' segment" : "the tensor reaches into the next constant",
             absl::StrCat("at most ", Number((leaves_segment ? pieces.segment_size : next) - begin), " bytes"), Number(*bytes));
}

void TensorDataJudge::Alignment(const fb::Tensor& tensor, uint64_t offset) {
  const uint32_t element = RuntimeElementSize(tensor.scalar_type()).value_or(1);
  if (offset % element == 0) return;
  facts_.unaligned_constants[tensor.data_buffer_idx()] = true;
  Spot spot = judge_.Item(*facts_.constants.offsets, tensor.data_buffer_idx(), "constant_segment.offsets");
  spot.is_from_root = true;
  judge_.Error("S17", spot, "the constant is misaligned for its elements", absl::StrCat("a multiple of ", element), Number(offset));
}

void TensorDataJudge::InlineConstant(const fb::Tensor& tensor, std::optional<uint64_t> bytes) {
  if (!IndexInside(tensor, facts_.constant_count, "constant")) return;
  const fb::Buffer& buffer = *facts_.program.constant_buffer()->Get(tensor.data_buffer_idx());
  const auto* storage = buffer.storage();
  const Spot spot = judge_.Field(tensor, fb::Tensor::VT_DATA_BUFFER_IDX, "data_buffer_idx");
  if (storage == nullptr) return ReportNoStorage(tensor.data_buffer_idx(), buffer);
  if (!bytes || *bytes <= storage->size()) return;
  judge_.Add(Severity::kError, "S20", spot, "the constant's buffer is shorter than the tensor",
             absl::StrCat("at least ", Number(*bytes), " bytes"), Number(storage->size()), RuntimeReaction::kRefuses);
}

// Once, however many tensors use it.
void TensorDataJudge::ReportNoStorage(uint32_t index, const fb::Buffer& buffer) {
  if (facts_.without_storage[index]) return;
  facts_.without_storage[index] = true;
  const std::string path = absl::StrCat("constant_buffer[", index, "].storage");
  judge_.Error("S20", {judge_.container().OffsetOf(&buffer), path, std::nullopt, true}, "the constant's buffer has no storage", "a vector",
               "nothing");
}

void TensorDataJudge::Mutable(const fb::Tensor& tensor, std::optional<uint64_t> bytes) {
  const Pieces& pieces = facts_.mutable_data;
  if (!IndexInside(tensor, facts_.mutable_count, "mutable data") || pieces.offsets == nullptr) return;
  const uint64_t begin = pieces.offsets->Get(tensor.data_buffer_idx());
  if (!bytes || begin > pieces.segment_size || *bytes <= pieces.segment_size - begin) return;
  judge_.Error("S21", judge_.Field(tensor, fb::Tensor::VT_DATA_BUFFER_IDX, "data_buffer_idx"),
               "the tensor's first value reaches beyond the mutable data's segment",
               absl::StrCat("at most ", Number(pieces.segment_size - begin), " bytes"), Number(*bytes));
}

}  // namespace pte
