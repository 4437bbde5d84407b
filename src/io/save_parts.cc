#include "src/io/save_parts.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/io/progress.h"

namespace pte {
namespace {

// Counts what passes by, and lets the caller end it.
class MeteredSink final : public ByteSink {
 public:
  MeteredSink(ByteSink& sink, ProgressMeter& meter) : sink_(sink), meter_(meter) {}

  absl::Status Append(std::span<const std::byte> bytes) override {
    PTE_RETURN_IF_ERROR(sink_.Append(bytes));
    return meter_.Advance(bytes.size());
  }

 private:
  ByteSink& sink_;
  ProgressMeter& meter_;
};

}  // namespace

uint64_t TotalSize(std::span<const OutputPart> parts) {
  uint64_t total = 0;
  for (const OutputPart& part : parts) total += part.bytes.size();
  return total;
}

absl::StatusOr<WrittenFile> WriteBeside(std::span<const OutputPart> parts, const std::filesystem::path& path, const SaveOptions& options) {
  const uint64_t total = TotalSize(parts);
  ProgressMeter meter(options.progress, total);
  PTE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(path, total, options.if_exists));
  PTE_RETURN_IF_ERROR(meter.Begin());
  const std::string name = path.string();
  PTE_ASSIGN_OR_RETURN(FileWriter writer, FileWriter::Make(file.fd(), name, meter));
  SavedParts saved;
  for (const OutputPart& part : parts) {
    const ByteCounts before = writer.counts();
    meter.Enter(part.what);
    PTE_RETURN_IF_ERROR(writer.Append(part.bytes));
    saved.counts.push_back(Difference(writer.counts(), before));
  }
  PTE_RETURN_IF_ERROR(writer.Finish());
  PTE_RETURN_IF_ERROR(meter.Finish());
  return WrittenFile{std::move(file), std::move(saved)};
}

absl::StatusOr<SavedParts> WriteParts(std::span<const OutputPart> parts, ByteSink& sink, const SaveOptions& options) {
  ProgressMeter meter(options.progress, TotalSize(parts));
  PTE_RETURN_IF_ERROR(meter.Begin());
  MeteredSink metered(sink, meter);
  SavedParts saved;
  for (const OutputPart& part : parts) {
    meter.Enter(part.what);
    PTE_RETURN_IF_ERROR(part.bytes.CopyTo(metered));
    saved.counts.push_back({part.bytes.size()});
  }
  PTE_RETURN_IF_ERROR(meter.Finish());
  return saved;
}

}  // namespace pte
