#include "pte/dump.h"

#include <memory>
#include <span>
#include <utility>

#include "src/base/status_macros.h"
#include "src/container/file_access.h"
#include "src/flatbuffer/json.h"
#include "src/flatbuffer/json_writer.h"
#include "src/io/digest.h"

namespace pte {
namespace {

constexpr uint64_t kJsonVersion = 1;

JsonOptions FlatbufferOptions(const OpenContainer& container, std::span<const Segment> segments, const DumpOptions& options) {
  JsonOptions json;
  json.file_offset = container.file_offset;
  json.max_visited = options.limits.MaxUnpackedBytes(container.flatbuffer.size());
  json.segments = segments;
  if (!options.payload_hash) return json;
  json.digest = [&container](uint64_t offset, uint64_t size) -> absl::StatusOr<Digests> {
    DigestSink sink;
    PTE_RETURN_IF_ERROR(container.PayloadAt(offset - container.file_offset, size).CopyTo(sink));
    return sink.Finish();
  };
  return json;
}

absl::Status WriteRoot(std::string_view key, const OpenContainer& container, std::span<const Segment> segments,
                       const flatbuffers::TypeTable& type, const DumpOptions& options, JsonWriter& out) {
  out.Key(key);
  return WriteFlatbufferJson(container.flatbuffer.span(), type, FlatbufferOptions(container, segments, options), out);
}

absl::Status WriteProgram(const PteFile& file, const DumpOptions& options, JsonWriter& out) {
  return WriteRoot("program", FileAccess::Container(file), file.segments(), *fb::Program::MiniReflectTypeTable(), options, out);
}

// One document around what `write_roots` writes.
template <class WriteRoots>
absl::Status WriteDocument(ContainerKind kind, ByteSink& sink, const DumpOptions& options, WriteRoots write_roots) {
  return WithoutThrowing([&]() -> absl::Status {
    JsonWriter out(sink, options.indent);
    out.BeginObject();
    out.Key("pte_json");
    out.Unsigned(kJsonVersion);
    if (!options.file_name.empty()) {
      out.Key("file");
      out.String(options.file_name);
    }
    out.Key("kind");
    out.String(ContainerKindName(kind));
    PTE_RETURN_IF_ERROR(write_roots(out));
    out.EndObject();
    return out.Finish();
  });
}

}  // namespace

absl::Status DumpJson(const PteFile& file, ByteSink& sink, const DumpOptions& options) {
  return WriteDocument(ContainerKind::kPte, sink, options, [&](JsonWriter& out) { return WriteProgram(file, options, out); });
}

absl::Status DumpJson(const PtdFile& file, ByteSink& sink, const DumpOptions& options) {
  return WriteDocument(ContainerKind::kPtd, sink, options, [&](JsonWriter& out) {
    return WriteRoot("flat_tensor", FileAccess::Container(file), file.segments(), *fb::FlatTensor::MiniReflectTypeTable(), options, out);
  });
}

absl::Status DumpJson(const BpteFile& file, ByteSink& sink, const DumpOptions& options) {
  OpenOptions open;
  open.allow_newer = FileAccess::Container(file).options.allow_newer;
  open.limits = options.limits;
  PTE_ASSIGN_OR_RETURN(const PteFile program, file.program(open));
  return WriteDocument(ContainerKind::kBpte, sink, options, [&](JsonWriter& out) {
    PTE_RETURN_IF_ERROR(
        WriteRoot("bundled_program", FileAccess::Container(file), {}, *fb::BundledProgram::MiniReflectTypeTable(), options, out));
    return WriteProgram(program, options, out);
  });
}

}  // namespace pte
