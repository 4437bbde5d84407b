#include "pte/dump.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/status_macros.h"
#include "src/container/file_access.h"
#include "src/flatbuffer/json.h"
#include "src/flatbuffer/json_writer.h"
#include "src/io/digest.h"

namespace pte {
namespace {

constexpr uint64_t kJsonVersion = 1;

// Hashes payloads, each once however often it is referred to.
class PayloadHasher {
 public:
  explicit PayloadHasher(const OpenContainer& container)
      : container_(container), left_(std::min(container.source->size(), UINT64_MAX / kHashedPerByte) * kHashedPerByte) {}

  absl::StatusOr<PayloadDigests> Hash(uint64_t file_offset, uint64_t size) {
    const auto [entry, is_new] = known_.try_emplace({file_offset, size});
    if (!is_new) return entry->second;
    if (size > left_) {
      return FaultStatus(absl::StatusCode::kResourceExhausted,
                         {"F4", file_offset, "", "payloads overlap so often that hashing them would read the file many times",
                          absl::StrCat("at most ", kHashedPerByte, " times"), "more"});
    }
    left_ -= size;
    DigestSink sink;
    PTE_RETURN_IF_ERROR(container_.PayloadAt(file_offset - container_.file_offset, size).CopyTo(sink));
    PTE_ASSIGN_OR_RETURN(const Digests digests, sink.Finish());
    entry->second = {digests.xxh3_64, digests.sha256};
    return entry->second;
  }

 private:
  // Payloads of a sound file do not overlap, unless they are the same.
  static constexpr uint64_t kHashedPerByte = 4;

  const OpenContainer& container_;
  uint64_t left_;
  std::map<std::pair<uint64_t, uint64_t>, PayloadDigests> known_;
};

JsonOptions FlatbufferOptions(const OpenContainer& container, const DumpOptions& options) {
  JsonOptions json;
  json.file_offset = container.file_offset;
  json.max_visited = options.limits.MaxUnpackedBytes(container.MetadataSize());
  json.segments = container.segments.span();
  if (!options.payload_hash) return json;
  json.digest = [hasher = std::make_shared<PayloadHasher>(container)](uint64_t offset, uint64_t size) {
    return hasher->Hash(offset, size);
  };
  return json;
}

absl::Status WriteRoot(std::string_view key, const OpenContainer& container, const flatbuffers::TypeTable& type, const DumpOptions& options,
                       JsonWriter& out) {
  out.Key(key);
  const absl::Status written = WriteFlatbufferJson(container.flatbuffer.span(), type, FlatbufferOptions(container, options), out);
  return FaultOf(written) ? WithName(written, container.source->name()) : written;
}

absl::Status WriteProgram(const PteFile& file, const DumpOptions& options, JsonWriter& out) {
  return WriteRoot("program", FileAccess::Container(file), *fb::Program::MiniReflectTypeTable(), options, out);
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
    return WriteRoot("flat_tensor", FileAccess::Container(file), *fb::FlatTensor::MiniReflectTypeTable(), options, out);
  });
}

absl::Status DumpJson(const BpteFile& file, ByteSink& sink, const DumpOptions& options) {
  PTE_ASSIGN_OR_RETURN(const PteFile program, file.program());
  return WriteDocument(ContainerKind::kBpte, sink, options, [&](JsonWriter& out) {
    PTE_RETURN_IF_ERROR(
        WriteRoot("bundled_program", FileAccess::Container(file), *fb::BundledProgram::MiniReflectTypeTable(), options, out));
    return WriteProgram(program, options, out);
  });
}

}  // namespace pte
