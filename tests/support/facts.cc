#include "tests/support/facts.h"

#include <cmath>

#include "pte/bpte_file.h"
#include "pte/header.h"
#include "pte/ptd_file.h"
#include "tests/support/sha256.h"

namespace pte::test {
namespace facts {

using nlohmann::json;

namespace {

json Error(const absl::Status& status) { return {{"error", status.ToString()}}; }
json Error(const std::string& what) { return {{"error", what}}; }

absl::StatusOr<std::string> HashOfRange(const ByteSource& source, uint64_t offset, uint64_t size) {
  std::vector<std::byte> bytes(size);
  const absl::Status read = source.ReadAt(offset, bytes);
  if (!read.ok()) return read;
  return Sha256(bytes);
}

json DigestOf(const Payload& payload, const ByteSource& outermost) {
  Sha256Sink copied;
  if (const absl::Status status = payload.CopyTo(copied); !status.ok()) return Error(status);
  const absl::StatusOr<Bytes> mapped = payload.Load();
  if (!mapped.ok()) return Error(mapped.status());
  const absl::StatusOr<Bytes> read = payload.Load({.map = false});
  if (!read.ok()) return Error(read.status());
  const absl::StatusOr<std::string> in_place = HashOfRange(outermost, payload.file_offset(), payload.size());
  if (!in_place.ok()) return Error(in_place.status());

  const std::string hash = copied.Finish();
  if (Sha256(mapped->span()) != hash) return Error("Load differs from CopyTo");
  if (Sha256(read->span()) != hash) return Error("Load without a mapping differs from CopyTo");
  if (*in_place != hash) return Error("the bytes at file_offset() differ from CopyTo");
  return {{"size", payload.size()}, {"sha256", hash}};
}

json SegmentFacts(const Segment& segment, uint64_t base, const absl::StatusOr<Payload>& payload, const ByteSource& outermost) {
  json facts = Digest(payload, outermost);
  facts["index"] = segment.index;
  facts["offset"] = segment.file_offset - base;
  if (payload.ok() && (payload->size() != segment.size || payload->file_offset() != segment.file_offset))
    facts["error"] = "SegmentPayload is not where segments() says";
  return facts;
}

template <class File>
json Segments(const File& file, uint64_t container_offset, const ByteSource& outermost) {
  json list = json::array();
  for (const Segment& segment : file.segments()) {
    list.push_back(
        SegmentFacts(segment, container_offset + file.header().segment_base_offset, file.SegmentPayload(segment.index), outermost));
  }
  return list;
}

json ProgramHeader(const ContainerHeader& header) {
  json facts = {{"present", header.has_extended_header},
                {"length", nullptr},
                {"program_size", header.program_size},
                {"segment_base_offset", nullptr},
                {"segment_data_size", nullptr}};
  if (!header.has_extended_header) return facts;
  facts["length"] = header.header_length;
  facts["segment_base_offset"] = header.segment_base_offset;
  if (header.segment_data_size) facts["segment_data_size"] = *header.segment_data_size;
  return facts;
}

json CompileSpecs(const fb::BackendDelegate& delegate) {
  json list = json::array();
  if (delegate.compile_specs() == nullptr) return list;
  for (const fb::CompileSpec* spec : *delegate.compile_specs()) {
    json facts = Digest(spec->value());
    facts["key"] = Text(spec->key());
    list.push_back(facts);
  }
  return list;
}

json DelegateFacts(const PteFile& file, size_t plan_index, size_t index, const ByteSource& outermost) {
  const fb::ExecutionPlan& plan = *file.program().execution_plan()->Get(static_cast<unsigned>(plan_index));
  const fb::BackendDelegate& delegate = *plan.delegates()->Get(static_cast<unsigned>(index));
  return {{"method", Text(plan.name())},
          {"index", index},
          {"id", Text(delegate.id())},
          {"compile_specs", CompileSpecs(delegate)},
          {"location", fb::EnumNameDataLocation(delegate.processed()->location())},
          {"data_index", delegate.processed()->index()},
          {"processed", Digest(file.DelegatePayload(plan_index, index), outermost)}};
}

// Adds "methods", "delegates" and "operators".
void AddPlans(const PteFile& file, const ByteSource& outermost, json& facts) {
  json methods = json::array();
  json delegates = json::array();
  std::vector<std::string> operators;
  const auto* plans = file.program().execution_plan();
  for (size_t p = 0; plans != nullptr && p < plans->size(); ++p) {
    const fb::ExecutionPlan& plan = *plans->Get(static_cast<unsigned>(p));
    methods.push_back(Method(plan));
    for (const json& name : Operators(plan)) operators.push_back(name);
    const size_t count = plan.delegates() == nullptr ? 0 : plan.delegates()->size();
    for (size_t d = 0; d < count; ++d) delegates.push_back(DelegateFacts(file, p, d, outermost));
  }
  std::sort(operators.begin(), operators.end());
  operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
  facts["methods"] = methods;
  facts["delegates"] = delegates;
  facts["operators"] = operators;
}

json InlineDelegateData(const fb::Program& program) {
  json list = json::array();
  if (program.backend_delegate_data() == nullptr) return list;
  for (const fb::BackendDelegateInlineData* data : *program.backend_delegate_data()) list.push_back(Digest(data->data()));
  return list;
}

json Subsegments(const fb::SubsegmentOffsets* table) {
  if (table == nullptr) return nullptr;
  return {{"segment_index", table->segment_index()}, {"offsets", List(table->offsets())}};
}

json MutableDataSegments(const fb::Program& program) {
  json list = json::array();
  if (program.mutable_data_segments() == nullptr) return list;
  for (const fb::SubsegmentOffsets* table : *program.mutable_data_segments()) list.push_back(Subsegments(table));
  return list;
}

json Indexed(size_t count, const std::function<absl::StatusOr<Payload>(size_t)>& payload, const ByteSource& outermost) {
  json list = json::array();
  for (size_t i = 0; i < count; ++i) {
    json facts = Digest(payload(i), outermost);
    facts["index"] = i;
    list.push_back(facts);
  }
  return list;
}

json NamedData(const PteFile& file, const ByteSource& outermost) {
  json list = json::array();
  for (const NamedEntry& entry : file.named_data()) {
    json facts = Digest(file.FindNamedData(entry.key), outermost);
    facts["key"] = entry.key;
    facts["segment_index"] = entry.segment_index;
    list.push_back(facts);
  }
  return list;
}

json Layout(const std::optional<TensorLayout>& layout) {
  if (!layout) return nullptr;
  return {{"dtype", Dtype(layout->scalar_type)},
          {"scalar_type", static_cast<int>(layout->scalar_type)},
          {"sizes", std::vector<int32_t>(layout->sizes.begin(), layout->sizes.end())},
          {"dim_order", std::vector<int>(layout->dim_order.begin(), layout->dim_order.end())}};
}

json Entries(const PtdFile& file, const ByteSource& outermost) {
  json list = json::array();
  for (const PtdEntry& entry : file.entries()) {
    json facts = Digest(file.Find(entry.key), outermost);
    facts["key"] = entry.key;
    facts["segment_index"] = entry.segment_index;
    facts["layout"] = Layout(entry.tensor_layout);
    if (file.FindEntry(entry.key) != &entry) facts["error"] = "FindEntry finds another entry";
    list.push_back(facts);
  }
  return list;
}

json TensorData(const PtdFile& file, const ByteSource& outermost) {
  const ContainerHeader& header = file.header();
  const json header_facts = {{"present", header.has_extended_header},
                             {"length", header.header_length},
                             {"flatbuffer_offset", header.flatbuffer_offset},
                             {"flatbuffer_size", header.flatbuffer_size},
                             {"segment_base_offset", header.segment_base_offset},
                             {"segment_data_size", header.segment_data_size.value()}};
  return {{"header", header_facts},
          {"version", file.flat_tensor().version()},
          {"segments", Segments(file, 0, outermost)},
          {"named_data", Entries(file, outermost)}};
}

json TestValue(const BpteFile& file, const fb::bundled::Value& value, const ByteSource& outermost) {
  json facts = {{"type", fb::bundled::EnumNameValueUnion(value.val_type())}};
  if (const auto* number = value.val_as_Int()) facts["value"] = number->int_val();
  if (const auto* truth = value.val_as_Bool()) facts["value"] = truth->bool_val();
  if (const auto* number = value.val_as_Double()) facts["value"] = Double(number->double_val());
  if (const auto* tensor = value.val_as_Tensor()) {
    facts.update(Digest(file.TensorData(*tensor), outermost));
    facts["dtype"] = Dtype(tensor->scalar_type());
    facts["scalar_type"] = static_cast<int>(tensor->scalar_type());
    facts["sizes"] = List(tensor->sizes());
    facts["dim_order"] = List(tensor->dim_order());
  }
  return facts;
}

using TestValues = flatbuffers::Vector<flatbuffers::Offset<fb::bundled::Value>>;

json TestValueList(const BpteFile& file, const TestValues* values, const ByteSource& outermost) {
  json list = json::array();
  if (values == nullptr) return list;
  for (const fb::bundled::Value* value : *values) list.push_back(TestValue(file, *value, outermost));
  return list;
}

json Suites(const BpteFile& file, const ByteSource& outermost) {
  json list = json::array();
  for (const TestSuite& suite : file.suites()) {
    json cases = json::array();
    for (unsigned i = 0; i < suite.case_count; ++i) {
      const fb::BundledMethodTestCase& test_case = *suite.table->test_cases()->Get(i);
      cases.push_back({{"inputs", TestValueList(file, test_case.inputs(), outermost)},
                       {"expected_outputs", TestValueList(file, test_case.expected_outputs(), outermost)}});
    }
    list.push_back({{"method", suite.method_name}, {"cases", cases}});
  }
  return list;
}

json Bundle(const BpteFile& file, const ByteSource& outermost) {
  const absl::StatusOr<PteFile> program = file.program();
  return {{"version", file.bundled_program().version()},
          {"suites", Suites(file, outermost)},
          {"program_data", Digest(file.ProgramPayload(), outermost)},
          {"program", program.ok() ? Program(*program, outermost) : Error(program.status())}};
}

json ContainerFacts(ContainerKind kind, const std::shared_ptr<const ByteSource>& source) {
  switch (kind) {
    case ContainerKind::kPte: {
      const absl::StatusOr<PteFile> file = PteFile::Open(source);
      return file.ok() ? Program(*file, *source) : Error(file.status());
    }
    case ContainerKind::kPtd: {
      const absl::StatusOr<PtdFile> file = PtdFile::Open(source);
      return file.ok() ? TensorData(*file, *source) : Error(file.status());
    }
    case ContainerKind::kBpte: break;
  }
  const absl::StatusOr<BpteFile> file = BpteFile::Open(source);
  return file.ok() ? Bundle(*file, *source) : Error(file.status());
}

}  // namespace

json Digest(const absl::StatusOr<Payload>& payload, const ByteSource& outermost) {
  return payload.ok() ? DigestOf(*payload, outermost) : Error(payload.status());
}

json Digest(const flatbuffers::Vector<uint8_t>* bytes) {
  if (bytes == nullptr) return {{"size", 0}, {"sha256", Sha256(std::string_view())}};
  return {{"size", bytes->size()}, {"sha256", Sha256(std::as_bytes(std::span(bytes->data(), bytes->size())))}};
}

json Double(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::string Dtype(fb::ScalarType type) {
  // The reference's Python enumeration, which wrote the facts, spells these two unlike its schema.
  if (type == fb::ScalarType::QUINT4X2) return "QUINT4x2";
  if (type == fb::ScalarType::QUINT2X4) return "QUINT2x4";
  return fb::EnumNameScalarType(type);
}

std::string Text(const flatbuffers::String* text) { return text == nullptr ? "" : text->str(); }

json Program(const PteFile& file, const ByteSource& outermost) {
  const fb::Program& program = file.program();
  const auto constant = [&](size_t i) { return file.Constant(i); };
  const auto mutable_data = [&](size_t i) { return file.MutableData(i); };
  json facts = {{"header", ProgramHeader(file.header())},
                {"version", program.version()},
                {"segments", Segments(file, file.file_offset(), outermost)},
                {"inline_delegate_data", InlineDelegateData(program)},
                {"constant_segment", Subsegments(program.constant_segment())},
                {"constants", Indexed(file.constant_count(), constant, outermost)},
                {"mutable_data_segments", MutableDataSegments(program)},
                {"mutable_data", Indexed(file.mutable_data_count(), mutable_data, outermost)},
                {"named_data", NamedData(file, outermost)}};
  AddPlans(file, outermost, facts);
  return facts;
}

}  // namespace facts

nlohmann::json ReadFacts(const std::shared_ptr<const ByteSource>& source, const std::string& file_name) {
  const absl::StatusOr<ContainerHeader> header = ReadContainerHeader(*source);
  if (!header.ok()) return facts::Error(header.status());
  const absl::StatusOr<std::string> hash = facts::HashOfRange(*source, 0, source->size());
  if (!hash.ok()) return facts::Error(hash.status());
  nlohmann::json result = facts::ContainerFacts(header->kind, source);
  result["file"] = file_name;
  result["kind"] = ContainerKindName(header->kind);
  result["bytes"] = source->size();
  result["sha256"] = *hash;
  return result;
}

}  // namespace pte::test
