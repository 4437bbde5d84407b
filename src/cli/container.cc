#include "src/cli/container.h"

#include <utility>

namespace pte::cli {
namespace {

absl::Status OpenData(std::shared_ptr<const ByteSource> source, const OpenOptions& options, Container& container) {
  absl::StatusOr<PtdFile> file = PtdFile::Open(std::move(source), options);
  if (file.ok()) container.data = *std::move(file);
  return file.status();
}

absl::Status OpenProgram(std::shared_ptr<const ByteSource> source, const OpenOptions& options, Container& container) {
  absl::StatusOr<PteFile> file = PteFile::Open(std::move(source), options);
  if (file.ok()) container.program = *std::move(file);
  return file.status();
}

absl::Status OpenBundle(std::shared_ptr<const ByteSource> source, const OpenOptions& options, Container& container) {
  absl::StatusOr<BpteFile> bundle = BpteFile::Open(std::move(source), options);
  if (!bundle.ok()) return bundle.status();
  absl::StatusOr<PteFile> program = bundle->program(options);
  if (!program.ok()) return program.status();
  container.bundle = *std::move(bundle);
  container.program = *std::move(program);
  return absl::OkStatus();
}

absl::Status OpenKind(std::shared_ptr<const ByteSource> source, const OpenOptions& options, Container& container) {
  switch (container.kind()) {
    case ContainerKind::kPte: return OpenProgram(std::move(source), options, container);
    case ContainerKind::kPtd: return OpenData(std::move(source), options, container);
    case ContainerKind::kBpte: break;
  }
  return OpenBundle(std::move(source), options, container);
}

}  // namespace

Bytes Container::flatbuffer() const {
  if (bundle) return bundle->flatbuffer();
  return data ? data->flatbuffer() : program->flatbuffer();
}

uint32_t Container::version() const {
  if (bundle) return bundle->bundled_program().version();
  return data ? data->flat_tensor().version() : program->program().version();
}

absl::StatusOr<Container> OpenContainer(const std::string& path, const OpenOptions& options) {
  const absl::StatusOr<std::shared_ptr<const ByteSource>> source = OpenFileSource(path);
  if (!source.ok()) return source.status();
  absl::StatusOr<ContainerHeader> header = ReadContainerHeader(**source);
  if (!header.ok()) return header.status();
  Container container;
  container.path = path;
  container.source = *source;
  container.header = *header;
  const absl::Status opened = OpenKind(*source, options, container);
  if (!opened.ok()) return opened;
  return container;
}

std::string_view KindText(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kPte: return "program (.pte)";
    case ContainerKind::kPtd: return "tensor data (.ptd)";
    case ContainerKind::kBpte: break;
  }
  return "bundled program (.bpte)";
}

// The same allowance that a dump makes.
Budget::Budget(const Container& container) : path_(container.path) {
  uint64_t size = container.flatbuffer().size();
  if (container.bundle) size = size - container.bundle->ProgramPayload().size() + container.program->flatbuffer().size();
  left_ = Limits{}.MaxUnpackedBytes(size);
}

absl::Status Budget::Charge(uint64_t bytes) {
  if (bytes > left_) {
    return absl::ResourceExhaustedError(path_ + ": its tables are referred to so often that the answer would be far larger than the file");
  }
  left_ -= bytes;
  return absl::OkStatus();
}

}  // namespace pte::cli
