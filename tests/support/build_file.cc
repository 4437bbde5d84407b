#include "tests/support/build_file.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pte::test {
namespace {

uint64_t AlignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

template <class Root, class Object>
std::string PackRoot(const Object& object, const char* identifier) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Root::Pack(builder, &object), identifier);
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

// Makes room for a header at byte 8, which moves the root.
std::string WithSlot(std::string flatbuffer, uint32_t slot) {
  Poke32(flatbuffer, 0, Peek32(flatbuffer, 0) + slot);
  flatbuffer.insert(8, slot, '\0');
  return flatbuffer;
}

fb::TensorT TensorOf(std::vector<int32_t> sizes, uint32_t buffer) {
  fb::TensorT tensor;
  tensor.scalar_type = fb::ScalarType::FLOAT;
  for (size_t i = 0; i < sizes.size(); ++i) tensor.dim_order.push_back(static_cast<uint8_t>(i));
  tensor.sizes = std::move(sizes);
  tensor.data_buffer_idx = buffer;
  return tensor;
}

fb::TensorT PlannedTensor() {
  fb::TensorT tensor = TensorOf({2, 2}, 0);
  tensor.allocation_info = std::make_unique<fb::AllocationDetailsT>();
  tensor.allocation_info->memory_id = 1;
  tensor.allocation_info->memory_offset_low = 16;
  tensor.extra_tensor_info = std::make_unique<fb::ExtraTensorInfoT>();
  tensor.extra_tensor_info->fully_qualified_name = "state";
  return tensor;
}

void AddValues(fb::ExecutionPlanT& plan) {
  fb::IntT seven;
  seven.int_val = 7;
  fb::StringT text;
  text.string_val = "text";
  fb::IntListT ints;
  ints.items = {0, 1};
  fb::DoubleListT doubles;
  doubles.items = {0.5, -1.0};
  plan.values.push_back(ValueOf(seven));
  plan.values.push_back(ValueOf(seven));
  plan.values.push_back(ValueOf(fb::NullT()));
  plan.values.push_back(ValueOf(text));
  plan.values.push_back(ValueOf(PlannedTensor()));
  plan.values.push_back(ValueOf(TensorOf({4}, 1)));
  plan.values.push_back(ValueOf(TensorOf({2, 2}, 2)));
  plan.values.push_back(ValueOf(ints));
  plan.values.push_back(ValueOf(doubles));
}

void AddChain(fb::ExecutionPlanT& plan) {
  auto op = std::make_unique<fb::OperatorT>();
  op->name = "aten::add";
  op->overload = "out";
  plan.operators.push_back(std::move(op));
  fb::KernelCallT kernel;
  kernel.args = {5, 6, 4};
  fb::DelegateCallT delegate;
  delegate.args = {4};
  auto chain = std::make_unique<fb::ChainT>();
  chain->instructions.push_back(InstructionOf(std::move(kernel)));
  chain->instructions.push_back(InstructionOf(std::move(delegate)));
  plan.chains.push_back(std::move(chain));
}

void AddDelegate(fb::ExecutionPlanT& plan) {
  auto spec = std::make_unique<fb::CompileSpecT>();
  spec->key = "precision";
  spec->value = {1, 2, 3};
  auto delegate = std::make_unique<fb::BackendDelegateT>();
  delegate->id = "TestBackend";
  delegate->processed = std::make_unique<fb::BackendDelegateDataReferenceT>();
  delegate->processed->location = fb::DataLocation::SEGMENT;
  delegate->processed->index = 1;
  delegate->compile_specs.push_back(std::move(spec));
  plan.delegates.push_back(std::move(delegate));
}

// Bytes that differ from place to place, so that a wrong offset shows.
std::string Pattern(size_t size, unsigned start) {
  std::string out(size, '\0');
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>((start + i * 7) & 0xff);
  return out;
}

void PutAt(std::string& data, size_t at, std::string_view bytes) {
  data.resize(std::max(data.size(), at), '\0');
  data.append(bytes);
}

std::unique_ptr<fb::NamedDataT> Key(std::string key, uint32_t segment) {
  auto row = std::make_unique<fb::NamedDataT>();
  row->key = std::move(key);
  row->segment_index = segment;
  return row;
}

std::unique_ptr<fb::flat_tensor::NamedDataT> Entry(std::string key, uint32_t segment, std::vector<int32_t> sizes) {
  auto row = std::make_unique<fb::flat_tensor::NamedDataT>();
  row->key = std::move(key);
  row->segment_index = segment;
  if (sizes.empty()) return row;
  row->tensor_layout = std::make_unique<fb::flat_tensor::TensorLayoutT>();
  row->tensor_layout->scalar_type = fb::ScalarType::FLOAT;
  for (size_t i = 0; i < sizes.size(); ++i) row->tensor_layout->dim_order.push_back(static_cast<uint8_t>(i));
  row->tensor_layout->sizes = std::move(sizes);
  return row;
}

}  // namespace

void Poke32(std::string& bytes, size_t at, uint32_t value) {
  for (size_t i = 0; i < sizeof value; ++i) bytes.at(at + i) = static_cast<char>(value >> (8 * i) & 0xff);
}

void Poke64(std::string& bytes, size_t at, uint64_t value) {
  Poke32(bytes, at, static_cast<uint32_t>(value));
  Poke32(bytes, at + 4, static_cast<uint32_t>(value >> 32));
}

uint32_t Peek32(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < sizeof value; ++i) value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes.at(at + i))) << (8 * i);
  return value;
}

uint64_t Peek64(std::string_view bytes, size_t at) { return Peek32(bytes, at) | static_cast<uint64_t>(Peek32(bytes, at + 4)) << 32; }

std::string Pack(const fb::ProgramT& program) { return PackRoot<fb::Program>(program, fb::ProgramIdentifier()); }

std::string Pack(const fb::flat_tensor::FlatTensorT& directory) {
  return PackRoot<fb::flat_tensor::FlatTensor>(directory, fb::flat_tensor::FlatTensorIdentifier());
}

std::string Pack(const fb::bundled::BundledProgramT& bundle) {
  return PackRoot<fb::bundled::BundledProgram>(bundle, fb::bundled::BundledProgramIdentifier());
}

std::string WithPteHeader(std::string flatbuffer, uint64_t data_size, uint32_t length, uint64_t alignment) {
  std::string out = WithSlot(std::move(flatbuffer), static_cast<uint32_t>(AlignUp(std::max(length, 32U), 16)));
  const uint64_t program_size = out.size();
  out.resize(AlignUp(program_size, alignment), '\0');
  out.replace(8, 4, "eh00");
  Poke32(out, 12, length);
  Poke64(out, 16, program_size);
  Poke64(out, 24, out.size());
  if (length >= 32) Poke64(out, 32, data_size);
  return out;
}

std::string WithPtdHeader(std::string flatbuffer, uint64_t data_size, uint64_t alignment) {
  constexpr uint32_t kSlot = 48;
  const uint64_t flatbuffer_size = flatbuffer.size();
  std::string out = WithSlot(std::move(flatbuffer), kSlot);
  out.resize(AlignUp(out.size(), alignment), '\0');
  out.replace(8, 4, "FH01");
  Poke32(out, 12, 40);
  Poke64(out, 16, kSlot);
  Poke64(out, 24, flatbuffer_size);
  Poke64(out, 32, out.size());
  Poke64(out, 40, data_size);
  return out;
}

std::unique_ptr<fb::DataSegmentT> SegmentRow(uint64_t offset, uint64_t size) {
  auto row = std::make_unique<fb::DataSegmentT>();
  row->offset = offset;
  row->size = size;
  return row;
}

fb::ProgramT MinimalProgram() {
  fb::ProgramT program;
  program.segments.push_back(SegmentRow(0, 0));
  program.constant_segment = std::make_unique<fb::SubsegmentOffsetsT>();
  program.constant_segment->offsets = {0};
  program.execution_plan.push_back(std::make_unique<fb::ExecutionPlanT>());
  fb::ExecutionPlanT& plan = *program.execution_plan.back();
  plan.name = "forward";
  plan.non_const_buffer_sizes = {0};
  plan.chains.push_back(std::make_unique<fb::ChainT>());
  return program;
}

BaseProgram BaseA() {
  BaseProgram base;
  base.program.execution_plan.push_back(std::make_unique<fb::ExecutionPlanT>());
  fb::ExecutionPlanT& plan = *base.program.execution_plan.back();
  plan.name = "forward";
  plan.container_meta_type = std::make_unique<fb::ContainerMetadataT>();
  plan.container_meta_type->encoded_inp_str = "in";
  plan.inputs = {4};
  plan.outputs = {4};
  plan.non_const_buffer_sizes = {0, 64};
  AddValues(plan);
  AddChain(plan);
  AddDelegate(plan);
  base.program.segments.push_back(SegmentRow(0, 32));
  base.program.segments.push_back(SegmentRow(128, 99));
  base.program.constant_segment = std::make_unique<fb::SubsegmentOffsetsT>();
  base.program.constant_segment->offsets = {0, 0, 16};
  base.data = Pattern(32, 1);
  PutAt(base.data, 128, Pattern(99, 50));
  return base;
}

BaseProgram BaseB() {
  BaseProgram base = BaseA();
  base.program.segments.push_back(SegmentRow(256, 20));
  base.program.mutable_data_segments.push_back(std::make_unique<fb::SubsegmentOffsetsT>());
  base.program.mutable_data_segments.back()->segment_index = 2;
  base.program.mutable_data_segments.back()->offsets = {0, 0, 4};
  PutAt(base.data, 256, Pattern(20, 90));
  return base;
}

BaseProgram BaseC() {
  BaseProgram base = BaseA();
  base.program.segments.push_back(SegmentRow(256, 40));
  base.program.named_data.push_back(Key("alpha", 2));
  base.program.named_data.push_back(Key("beta", 2));
  PutAt(base.data, 256, Pattern(40, 130));
  return base;
}

BaseDirectory BaseP() {
  BaseDirectory base;
  const std::pair<uint64_t, uint64_t> rows[] = {{0, 64}, {128, 8}, {256, 5}};
  for (const auto& [offset, size] : rows) {
    auto row = std::make_unique<fb::flat_tensor::DataSegmentT>();
    row->offset = offset;
    row->size = size;
    base.directory.segments.push_back(std::move(row));
    PutAt(base.data, offset, Pattern(size, static_cast<unsigned>(size)));
  }
  base.directory.named_data.push_back(Entry("weight", 0, {4, 4}));
  base.directory.named_data.push_back(Entry("bias", 1, {2}));
  base.directory.named_data.push_back(Entry("blob", 2, {}));
  return base;
}

std::unique_ptr<fb::bundled::ValueT> TestTensor(uint8_t byte) {
  fb::bundled::TensorT tensor;
  tensor.scalar_type = fb::ScalarType::FLOAT;
  tensor.sizes = {2, 2};
  tensor.dim_order = {0, 1};
  tensor.data.assign(16, byte);
  auto value = std::make_unique<fb::bundled::ValueT>();
  value->val.Set(std::move(tensor));
  return value;
}

fb::bundled::BundledProgramT BaseQ() {
  fb::bundled::BundledProgramT bundle;
  bundle.version = 2;
  auto test_case = std::make_unique<fb::bundled::BundledMethodTestCaseT>();
  test_case->inputs.push_back(TestTensor(3));
  auto suite = std::make_unique<fb::bundled::BundledMethodTestSuiteT>();
  suite->method_name = "forward";
  suite->test_cases.push_back(std::move(test_case));
  bundle.method_test_suites.push_back(std::move(suite));
  const std::string program = Build(BaseA());
  bundle.program.assign(program.begin(), program.end());
  return bundle;
}

void Editor::Drop(const void* table, flatbuffers::voffset_t field) {
  const size_t entry = At(static_cast<const flatbuffers::Table*>(table)->GetVTable()) + field;
  file_.at(entry) = '\0';
  file_.at(entry + 1) = '\0';
}

std::string Build(const BaseProgram& base, uint32_t header_length) {
  return WithPteHeader(Pack(base.program), base.data.size(), header_length) + base.data;
}

std::string Build(const BaseDirectory& base) { return WithPtdHeader(Pack(base.directory), base.data.size()) + base.data; }

fb::ProgramT LargeProgram(size_t values) {
  constexpr size_t kListEvery = 8;
  fb::ProgramT program = MinimalProgram();
  fb::IntListT list;
  list.items = {1, 2, 3};
  for (size_t i = 0; i < values; ++i) {
    fb::TensorT tensor = TensorOf({1, 64, 64}, 0);
    tensor.allocation_info = std::make_unique<fb::AllocationDetailsT>();
    tensor.allocation_info->memory_id = 1;
    tensor.allocation_info->memory_offset_low = static_cast<uint32_t>(i) * 16;
    program.execution_plan[0]->values.push_back(i % kListEvery == 0 ? ValueOf(list) : ValueOf(std::move(tensor)));
  }
  return program;
}

fb::ProgramT ProgramWithKeys(uint32_t count, uint64_t size, std::string_view prefix) {
  fb::ProgramT program = MinimalProgram();
  program.segments.push_back(SegmentRow(0, size));
  program.named_data.reserve(count);
  for (uint32_t i = 0; i < count; ++i) program.named_data.push_back(Key(std::string(prefix) + std::to_string(i), 1));
  return program;
}

}  // namespace pte::test
