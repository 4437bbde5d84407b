#include "tests/support/contents.h"

#include <cstdlib>
#include <utility>

#include "gtest/gtest.h"
#include "pte/save.h"
#include "tests/support/sources.h"

namespace pte::test {
namespace {

class UnreadableSource final : public ByteSource {
 public:
  explicit UnreadableSource(uint64_t size) : size_(size) {}
  uint64_t size() const override { return size_; }
  absl::Status ReadAt(uint64_t, std::span<std::byte>) const override { return absl::DataLossError("the test's source cannot be read"); }
  std::string name() const override { return "unreadable"; }

 private:
  uint64_t size_;
};

// A test that goes on without its file would only crash later.
template <class T>
T OrAbort(absl::StatusOr<T> result) {
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) std::abort();
  return *std::move(result);
}

}  // namespace

std::string Bytewise(size_t size, unsigned start) {
  std::string out(size, '\0');
  // The high part keeps pages apart, too.
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>((start * 31 + i * 7 + (i >> 8) * 13 + 1) & 0xff);
  return out;
}

Rope InPieces(std::string_view bytes, const std::vector<size_t>& lengths) {
  Rope rope;
  for (const size_t length : lengths) {
    rope.Append(Bytes::FromString(std::string(bytes.substr(0, length))));
    bytes.remove_prefix(length);
  }
  rope.Append(Bytes::FromString(std::string(bytes)));
  return rope;
}

Rope Whole(const std::shared_ptr<const ByteSource>& source) {
  Rope rope;
  EXPECT_TRUE(rope.Append(source, 0, source->size()).ok());
  return rope;
}

std::shared_ptr<CountingSource> Counting(std::string_view bytes) {
  return std::make_shared<CountingSource>(MakeSource(SourceKind::kMemory, std::string(bytes)));
}

std::string TextOf(const Rope& rope) {
  std::string text;
  StringSink sink(text);
  const absl::Status copied = rope.CopyTo(sink);
  EXPECT_TRUE(copied.ok()) << copied;
  return text;
}

std::string TextOf(const absl::StatusOr<Payload>& payload) {
  EXPECT_TRUE(payload.ok()) << payload.status();
  return payload.ok() ? TextOf(payload->AsRope()) : "";
}

fb::ProgramT OneMethod() {
  fb::ProgramT program;
  program.execution_plan.push_back(std::make_unique<fb::ExecutionPlanT>());
  fb::ExecutionPlanT& plan = *program.execution_plan.back();
  plan.name = "forward";
  plan.container_meta_type = std::make_unique<fb::ContainerMetadataT>();
  plan.non_const_buffer_sizes = {0};
  plan.chains.push_back(std::make_unique<fb::ChainT>());
  return program;
}

fb::ProgramT WithDelegates(const std::vector<uint32_t>& payloads) {
  fb::ProgramT program = OneMethod();
  for (const uint32_t payload : payloads) {
    auto delegate = std::make_unique<fb::BackendDelegateT>();
    delegate->id = "TestBackend";
    delegate->processed = std::make_unique<fb::BackendDelegateDataReferenceT>();
    delegate->processed->index = payload;
    program.execution_plan[0]->delegates.push_back(std::move(delegate));
  }
  return program;
}

std::string Written(const PteContents& contents, const LayoutOptions& layout) {
  std::string bytes;
  StringSink sink(bytes);
  const absl::StatusOr<SaveReport> report = WritePte(contents, sink, layout);
  EXPECT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(!report.ok() || report->file_size == bytes.size());
  return bytes;
}

std::string Written(const PtdContents& contents, const LayoutOptions& layout) {
  std::string bytes;
  StringSink sink(bytes);
  const absl::StatusOr<SaveReport> report = WritePtd(contents, sink, layout);
  EXPECT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(!report.ok() || report->file_size == bytes.size());
  return bytes;
}

PteFile OpenPte(const std::string& bytes) { return OrAbort(PteFile::Open(MakeSource(SourceKind::kMemory, bytes))); }

PtdFile OpenPtd(const std::string& bytes) { return OrAbort(PtdFile::Open(MakeSource(SourceKind::kMemory, bytes))); }

PteContents ContentsOf(const PteFile& file) { return OrAbort(file.ToContents()); }

std::shared_ptr<const ByteSource> Unreadable(uint64_t size) { return std::make_shared<UnreadableSource>(size); }

}  // namespace pte::test
