// The example that other projects were given for reading: its names may not change.
#include <pte/bpte_file.h>
#include <pte/header.h>
#include <pte/ptd_file.h>
#include <pte/pte_file.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

absl::Status Show(const std::string& path) {
  absl::StatusOr<pte::PteFile> file = pte::PteFile::Open(path);
  if (!file.ok()) return file.status();
  const pte::ContainerHeader& header = file->header();
  std::printf("%d %d %u %llu %llu %llu\n", static_cast<int>(header.kind), header.has_extended_header, header.header_length,
              (unsigned long long)header.program_size, (unsigned long long)header.segment_base_offset,
              (unsigned long long)header.segment_data_size.value_or(0));
  const pte::fb::Program& program = file->program();
  std::printf("%u\n", program.version());
  for (const pte::Segment& s : file->segments())
    std::printf("%u %llu %llu\n", s.index, (unsigned long long)s.file_offset, (unsigned long long)s.size);
  for (const pte::NamedEntry& e : file->named_data()) std::printf("%s %u\n", std::string(e.key).c_str(), e.segment_index);
  absl::StatusOr<pte::Payload> weights = file->FindNamedData("weights");
  if (!weights.ok()) return weights.status();
  absl::StatusOr<pte::Bytes> all = weights->Load();
  if (!all.ok()) return all.status();
  std::vector<std::byte> part(16);
  if (absl::Status s = weights->ReadAt(4096, part); !s.ok()) return s;
  absl::StatusOr<pte::Payload> engine = file->DelegatePayload(/*plan=*/0, /*delegate=*/0);
  if (!engine.ok()) return engine.status();
  absl::StatusOr<pte::Payload> constant = file->Constant(1);
  return constant.status();
}

// The same from memory and from a descriptor, and what a payload can do.
absl::Status ShowParts(std::string bytes, int descriptor, pte::ByteSink& sink) {
  absl::StatusOr<pte::PteFile> memory = pte::PteFile::Open(pte::MemorySource(pte::Bytes::FromString(std::move(bytes))), pte::OpenOptions{});
  if (!memory.ok()) return memory.status();
  absl::StatusOr<std::shared_ptr<const pte::ByteSource>> source = pte::OpenFileSource(descriptor, 4096, 1024);
  if (!source.ok()) return source.status();
  absl::StatusOr<pte::ContainerHeader> header = pte::ReadContainerHeader(**source);
  if (!header.ok()) return header.status();
  absl::StatusOr<pte::Payload> segment = memory->SegmentPayload(0);
  if (!segment.ok()) return segment.status();
  const pte::Rope rope = segment->AsRope();
  std::printf("%llu %llu %llu\n", (unsigned long long)segment->size(), (unsigned long long)segment->file_offset(),
              (unsigned long long)rope.size());
  pte::LoadOptions load;
  load.map = false;
  load.max_bytes = 1 << 20;
  if (absl::StatusOr<pte::Bytes> loaded = segment->Load(load); !loaded.ok()) return loaded.status();
  return segment->CopyTo(sink);
}

absl::Status ShowData(const std::string& path) {
  absl::StatusOr<pte::PtdFile> file = pte::PtdFile::Open(path);
  if (!file.ok()) return file.status();
  for (const pte::PtdEntry& e : file->entries())
    std::printf("%s %u %zu\n", std::string(e.key).c_str(), e.segment_index, e.tensor_layout ? e.tensor_layout->sizes.size() : 0);
  return file->Find("weights").status();
}

absl::Status ShowBundle(const std::string& path) {
  absl::StatusOr<pte::BpteFile> bundle = pte::BpteFile::Open(path);
  if (!bundle.ok()) return bundle.status();
  for (const pte::TestSuite& suite : bundle->suites()) std::printf("%s\n", std::string(suite.method_name).c_str());
  absl::StatusOr<pte::PteFile> program = bundle->program();
  return program.status();
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::string out;
  pte::StringSink sink(out);
  for (const absl::Status& status : {Show(argv[1]), ShowParts(argv[1], 0, sink), ShowData(argv[1]), ShowBundle(argv[1])})
    std::printf("%s\n", status.ToString().c_str());
  return 0;
}
