#include "src/cli/parts.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

using flatbuffers::uoffset_t;

// Parts in the order in which they win a byte. Those of the backends come between the two lists.
enum BeforeBackends : size_t { kHeader, kConstants, kMutable, kBeforeBackends };
enum AfterBackends : size_t { kNamed, kTests, kUnused, kFlatbuffer, kPadding, kTrailing, kBundle, kAfterBackends };

class Divider {
 public:
  explicit Divider(const Container& container) : container_(container) {}

  Division Divide(const std::vector<Method>& methods) {
    CollectBackends(methods);
    if (container_.program) ClaimProgram(methods);
    if (container_.data) ClaimData();
    if (container_.bundle) ClaimTests();
    const size_t parts = After(container_.bundle ? kBundle : kTrailing) + 1;
    return Label(DivideBytes(std::move(claims_), parts, container_.header.file_size));
  }

 private:
  size_t After(AfterBackends part) const { return kBeforeBackends + backends_.size() + part; }

  void ClaimRange(size_t part, uint64_t begin, uint64_t end) {
    if (begin < end) claims_.push_back({begin, end, part});
  }
  void ClaimPayload(size_t part, const absl::StatusOr<Payload>& payload) {
    if (payload.ok()) ClaimRange(part, payload->file_offset(), payload->file_offset() + payload->size());
  }
  void ClaimSegment(size_t part, const Segment& segment) { ClaimRange(part, segment.file_offset, segment.file_offset + segment.size); }

  void CollectBackends(const std::vector<Method>& methods) {
    for (const Method& method : methods) {
      for (const DelegateUse& delegate : method.delegates) {
        const auto [entry, is_new] = backend_index_.try_emplace(delegate.id, backends_.size());
        if (is_new) backends_.push_back({delegate.id, 0, 0});
        ++backends_[entry->second].delegates;
      }
    }
  }

  // The stretches that every container has. `start` is where the container begins in the file.
  void ClaimFrame(const ContainerHeader& header, uint64_t start, std::span<const Segment> segments) {
    constexpr uint64_t kHeaderOffset = 8;
    const uint64_t length = header.kind == ContainerKind::kPtd ? header.flatbuffer_offset : header.header_length;
    if (header.has_extended_header) ClaimRange(kHeader, start + kHeaderOffset, start + kHeaderOffset + length);
    ClaimRange(After(kFlatbuffer), start, start + header.program_size);
    uint64_t end = start + header.program_size;
    if (header.segment_base_offset != 0) {
      const uint64_t base = start + header.segment_base_offset;
      ClaimRange(kHeader, end, base);
      end = base + header.segment_data_size.value_or(0);
      for (const Segment& segment : segments) end = std::max(end, segment.file_offset + segment.size);
      ClaimRange(After(kPadding), base, end);
    }
    ClaimRange(After(kTrailing), end, start + header.file_size);
  }

  void ClaimConstants(const PteFile& file) {
    if (const std::optional<uint32_t> segment = file.constant_segment()) return ClaimSegment(kConstants, file.segments()[*segment]);
    for (size_t i = 0; i < file.constant_count(); ++i) ClaimPayload(kConstants, file.Constant(i));
  }

  void ClaimProgram(const std::vector<Method>& methods) {
    const PteFile& file = *container_.program;
    ClaimFrame(file.header(), file.file_offset(), file.segments());
    ClaimConstants(file);
    if (const std::optional<uint32_t> segment = file.mutable_data_segment()) ClaimSegment(kMutable, file.segments()[*segment]);
    for (const Method& method : methods) {
      for (const DelegateUse& delegate : method.delegates) {
        ClaimRange(kBeforeBackends + backend_index_.at(delegate.id), delegate.offset, delegate.offset + delegate.size);
      }
    }
    for (const NamedEntry& entry : file.named_data()) ClaimSegment(After(kNamed), file.segments()[entry.segment_index]);
    ClaimUnused(file.segments(), UsedSegments(file));
  }

  void ClaimData() {
    const PtdFile& file = *container_.data;
    ClaimFrame(file.header(), 0, file.segments());
    for (const PtdEntry& entry : file.entries()) ClaimSegment(After(kNamed), file.segments()[entry.segment_index]);
    ClaimUnused(file.segments(), UsedSegments(file));
  }

  void ClaimUnused(std::span<const Segment> segments, const std::vector<bool>& used) {
    for (const Segment& segment : segments) {
      if (!used[segment.index]) ClaimSegment(After(kUnused), segment);
    }
  }

  void ClaimTensors(const flatbuffers::Vector<flatbuffers::Offset<fb::bundled::Value>>* values) {
    for (uoffset_t i = 0; i < SizeOf(values); ++i) {
      const fb::bundled::Tensor* tensor = values->Get(i)->val_as_Tensor();
      if (tensor != nullptr) ClaimPayload(After(kTests), container_.bundle->TensorData(*tensor));
    }
  }

  void ClaimTests() {
    for (const TestSuite& suite : container_.bundle->suites()) {
      for (uoffset_t c = 0; c < SizeOf(suite.table->test_cases()); ++c) {
        const fb::BundledMethodTestCase* test_case = suite.table->test_cases()->Get(c);
        ClaimTensors(test_case->inputs());
        ClaimTensors(test_case->expected_outputs());
      }
    }
  }

  Division Label(const std::vector<uint64_t>& sizes) {
    Division division;
    const auto add = [&](std::string label, size_t part) {
      if (part < sizes.size() && sizes[part] != 0) division.parts.push_back({std::move(label), sizes[part]});
    };
    add("flatbuffer", After(kFlatbuffer));
    add("bundle around the program", After(kBundle));
    add("test data", After(kTests));
    add("header + padding", kHeader);
    add("constants", kConstants);
    add("mutable data", kMutable);
    for (size_t i = 0; i < backends_.size(); ++i) {
      backends_[i].size = sizes[kBeforeBackends + i];
      add(absl::StrCat("delegate ", Name(backends_[i].id)), kBeforeBackends + i);
    }
    add("named data", After(kNamed));
    add("unused segments", After(kUnused));
    add("padding between segments", After(kPadding));
    add("trailing bytes", After(kTrailing));
    division.backends = std::move(backends_);
    return division;
  }

  const Container& container_;
  std::vector<Backend> backends_;
  std::map<std::string_view, size_t> backend_index_;
  std::vector<Claim> claims_;
};

void UseDelegateSegments(const PteFile& file, std::vector<bool>& used) {
  const auto* plans = file.program().execution_plan();
  for (uoffset_t p = 0; p < SizeOf(plans); ++p) {
    const auto* delegates = plans->Get(p)->delegates();
    for (uoffset_t d = 0; d < SizeOf(delegates); ++d) {
      const fb::BackendDelegateDataReference* reference = delegates->Get(d)->processed();
      if (reference == nullptr || reference->location() != fb::DataLocation::SEGMENT) continue;
      if (reference->index() < used.size()) used[reference->index()] = true;
    }
  }
}

}  // namespace

Division DivideFile(const Container& container, const std::vector<Method>& methods) { return Divider(container).Divide(methods); }

std::vector<uint64_t> DivideBytes(std::vector<Claim> claims, size_t parts, uint64_t file_size) {
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.begin < b.begin; });
  // Claims that have begun, the winning one on top.
  const auto loses = [](const Claim& a, const Claim& b) { return a.part > b.part; };
  std::priority_queue<Claim, std::vector<Claim>, decltype(loses)> open(loses);
  std::vector<uint64_t> sizes(parts, 0);
  size_t next = 0;
  for (uint64_t at = 0; at < file_size;) {
    for (; next < claims.size() && claims[next].begin <= at; ++next) open.push(claims[next]);
    while (!open.empty() && open.top().end <= at) open.pop();
    uint64_t stop = next < claims.size() ? std::min(claims[next].begin, file_size) : file_size;
    if (!open.empty()) stop = std::min(stop, open.top().end);
    sizes[open.empty() ? parts - 1 : open.top().part] += stop - at;
    at = stop;
  }
  return sizes;
}

std::vector<bool> UsedSegments(const PteFile& file) {
  std::vector<bool> used(file.segments().size(), false);
  if (const std::optional<uint32_t> segment = file.constant_segment()) used[*segment] = true;
  if (const std::optional<uint32_t> segment = file.mutable_data_segment()) used[*segment] = true;
  UseDelegateSegments(file, used);
  for (const NamedEntry& entry : file.named_data()) used[entry.segment_index] = true;
  return used;
}

std::vector<bool> UsedSegments(const PtdFile& file) {
  std::vector<bool> used(file.segments().size(), false);
  for (const PtdEntry& entry : file.entries()) used[entry.segment_index] = true;
  return used;
}

}  // namespace pte::cli
