// Any bytes as a head in front of a file of any size: what is accepted keeps the promises of pte/header.h.
#include <cstdlib>
#include <cstring>

#include "pte/header.h"

namespace {

class HeadSource final : public pte::ByteSource {
 public:
  HeadSource(const uint8_t* data, size_t length, uint64_t size) : data_(data), length_(length), size_(size) {}
  uint64_t size() const override { return size_; }
  absl::Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    if (offset != 0 || out.size() > length_) return absl::UnavailableError("beyond the head");
    if (!out.empty()) std::memcpy(out.data(), data_, out.size());
    return absl::OkStatus();
  }

 private:
  const uint8_t* data_;
  size_t length_;
  uint64_t size_;
};

bool Inside(uint64_t offset, uint64_t length, uint64_t size) { return length <= size && offset <= size - length; }

bool KeepsPromises(const pte::ContainerHeader& header) {
  const uint64_t lowest_root = header.has_extended_header ? 8 + uint64_t{header.header_length} : 8;
  return header.program_size <= header.file_size && header.program_size < 0x7fffffff && header.root_offset >= lowest_root &&
         Inside(header.root_offset, 4, header.program_size) &&
         (header.segment_base_offset == 0 || header.segment_base_offset >= header.program_size) &&
         Inside(header.segment_base_offset, header.segment_data_size.value_or(0), header.file_size);
}

}  // namespace

// The first eight bytes are the size of the file that the head claims to be of.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t file_size = size;
  if (size >= sizeof file_size) {
    std::memcpy(&file_size, data, sizeof file_size);
    data += sizeof file_size;
    size -= sizeof file_size;
  }
  std::vector<pte::Finding> notes;
  const absl::StatusOr<pte::ContainerHeader> header = pte::ReadContainerHeader(HeadSource(data, size, file_size), &notes);
  if (header.ok() && !KeepsPromises(*header)) std::abort();
  return 0;
}
