#include "tests/support/walk.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "pte/bpte_file.h"
#include "pte/dump.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "pte/verify.h"

namespace pte::test {
namespace {

// Aborts rather than fails, so that fuzzers see it too.
void Require(bool ok, const absl::Status& status) {
  if (ok) return;
  std::cerr << "an opened file does not keep what opening promised: " << status << "\n";
  std::abort();
}

class Walker {
 public:
  explicit Walker(const WalkOptions& options) : options_(options) {}

  void Walk(const PteFile& file) {
    for (const Segment& segment : file.segments()) Load(file.SegmentPayload(segment.index));
    for (const NamedEntry& entry : file.named_data()) Load(file.FindNamedData(entry.key));
    for (size_t i = 0; i < file.constant_count(); ++i) Load(file.Constant(i));
    for (size_t i = 0; i < file.mutable_data_count(); ++i) Load(file.MutableData(i));
    const auto* plans = file.program().execution_plan();
    for (uint32_t p = 0; plans != nullptr && p < plans->size(); ++p) {
      const auto* delegates = plans->Get(p)->delegates();
      for (uint32_t d = 0; delegates != nullptr && d < delegates->size(); ++d) Load(file.DelegatePayload(p, d));
    }
    Dump(file);
  }

  void Walk(const PtdFile& file) {
    for (const Segment& segment : file.segments()) Load(file.SegmentPayload(segment.index));
    for (const PtdEntry& entry : file.entries()) {
      Load(file.Find(entry.key));
      Require(file.FindEntry(entry.key) == &entry, absl::InternalError("another entry was found"));
      int64_t sum = 0;
      if (!entry.tensor_layout) continue;
      for (const int32_t size : entry.tensor_layout->sizes) sum += size;
      for (const uint8_t dim : entry.tensor_layout->dim_order) sum += dim;
      Require(sum != INT64_MIN, absl::OkStatus());
    }
    Dump(file);
  }

  void Walk(const BpteFile& file) {
    for (const TestSuite& suite : file.suites()) {
      for (uint32_t c = 0; c < suite.case_count; ++c) {
        WalkValues(file, suite.table->test_cases()->Get(c)->inputs());
        WalkValues(file, suite.table->test_cases()->Get(c)->expected_outputs());
      }
    }
    Load(file.ProgramPayload());
    const absl::StatusOr<PteFile> program = file.program();
    if (!program.ok()) return;
    Walk(*program);
    Dump(file);
  }

 private:
  void Load(const absl::StatusOr<Payload>& payload) {
    Require(payload.ok(), payload.status());
    if (!options_.payload_bytes) return LoadEnds(*payload);
    constexpr uint64_t kMost = uint64_t{1} << 20;
    const absl::StatusOr<Bytes> bytes = payload->Load({.map = false, .max_bytes = kMost});
    Require(bytes.ok() || absl::IsResourceExhausted(bytes.status()), bytes.status());
    Require(!bytes.ok() || bytes->size() == payload->size(), bytes.status());
  }

  static void LoadEnds(const Payload& payload) {
    constexpr uint64_t kEnd = 16;
    std::byte end[kEnd];
    const uint64_t size = std::min(payload.size(), kEnd);
    const absl::Status first = payload.ReadAt(0, std::span(end, size));
    Require(first.ok(), first);
    const absl::Status last = payload.ReadAt(payload.size() - size, std::span(end, size));
    Require(last.ok(), last);
  }

  // Everything that a file's flatbuffer holds, as its owner would copy it.
  template <class File>
  void Dump(const File& file) {
    std::string json;
    StringSink sink(json);
    const absl::Status dumped = DumpJson(file, sink, {.payload_hash = options_.payload_bytes});
    Require(dumped.ok() || absl::IsResourceExhausted(dumped), dumped);
  }

  void WalkValues(const BpteFile& file, const flatbuffers::Vector<flatbuffers::Offset<fb::bundled::Value>>* values) {
    for (uint32_t i = 0; values != nullptr && i < values->size(); ++i) {
      const fb::bundled::Tensor* tensor = values->Get(i)->val_as_Tensor();
      if (tensor != nullptr) Load(file.TensorData(*tensor));
    }
  }

  const WalkOptions& options_;
};

template <class File>
absl::Status OpenAndWalk(const std::shared_ptr<const ByteSource>& source, const WalkOptions& options) {
  const absl::StatusOr<File> file = File::Open(source);
  if (file.ok()) Walker(options).Walk(*file);
  return file.status();
}

absl::Status OpenAndWalk(const std::shared_ptr<const ByteSource>& source, const WalkOptions& options) {
  const absl::StatusOr<ContainerHeader> header = ReadContainerHeader(*source);
  if (!header.ok()) return header.status();
  switch (header->kind) {
    case ContainerKind::kPte: return OpenAndWalk<PteFile>(source, options);
    case ContainerKind::kPtd: return OpenAndWalk<PtdFile>(source, options);
    case ContainerKind::kBpte: break;
  }
  return OpenAndWalk<BpteFile>(source, options);
}

// Verify finds what opening does.
void Judge(const ByteSource& source, const absl::Status& opened, const WalkOptions& options) {
  const absl::StatusOr<VerifyReport> report = Verify(source, {.limits = options.limits});
  Require(report.ok(), report.status());
  Require(opened.ok() || report->verdict == Verdict::kError, opened);
  for (const Finding& finding : report->findings) {
    Require(finding.file_offset.value_or(0) <= source.size(), absl::InternalError(finding.rule + " is about no place in the file"));
  }
}

}  // namespace

absl::Status WalkEverything(const std::shared_ptr<const ByteSource>& source, const WalkOptions& options) {
  const absl::Status opened = OpenAndWalk(source, options);
  Judge(*source, opened, options);
  return opened;
}

}  // namespace pte::test
