#include "tests/support/walk.h"

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

void Load(const absl::StatusOr<Payload>& payload) {
  Require(payload.ok(), payload.status());
  constexpr uint64_t kMost = uint64_t{1} << 20;
  const absl::StatusOr<Bytes> bytes = payload->Load({.map = false, .max_bytes = kMost});
  Require(bytes.ok() || absl::IsResourceExhausted(bytes.status()), bytes.status());
  Require(!bytes.ok() || bytes->size() == payload->size(), bytes.status());
}

// Everything that a file's flatbuffer holds, as its owner would copy it.
template <class File>
void Dump(const File& file) {
  std::string json;
  StringSink sink(json);
  const absl::Status dumped = DumpJson(file, sink, {.payload_hash = true});
  Require(dumped.ok() || absl::IsResourceExhausted(dumped), dumped);
}

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

void WalkValues(const BpteFile& file, const flatbuffers::Vector<flatbuffers::Offset<fb::bundled::Value>>* values) {
  for (uint32_t i = 0; values != nullptr && i < values->size(); ++i) {
    const fb::bundled::Tensor* tensor = values->Get(i)->val_as_Tensor();
    if (tensor != nullptr) Load(file.TensorData(*tensor));
  }
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

template <class File>
absl::Status OpenAndWalk(const std::shared_ptr<const ByteSource>& source) {
  const absl::StatusOr<File> file = File::Open(source);
  if (file.ok()) Walk(*file);
  return file.status();
}

}  // namespace

absl::Status WalkEverything(const std::shared_ptr<const ByteSource>& source) {
  const absl::StatusOr<VerifyReport> report = Verify(*source);
  Require(report.ok(), report.status());
  const absl::StatusOr<ContainerHeader> header = ReadContainerHeader(*source);
  if (!header.ok()) return header.status();
  switch (header->kind) {
    case ContainerKind::kPte: return OpenAndWalk<PteFile>(source);
    case ContainerKind::kPtd: return OpenAndWalk<PtdFile>(source);
    case ContainerKind::kBpte: break;
  }
  return OpenAndWalk<BpteFile>(source);
}

}  // namespace pte::test
