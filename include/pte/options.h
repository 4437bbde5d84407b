// Options and limits of the readers. Every number that is a policy is here, with its reason and default.
//
//   pte::OpenOptions options;
//   options.allow_newer = true;                                        // look into a file of a later schema version
//   absl::StatusOr<pte::PteFile> file = pte::PteFile::Open("model.pte", options);
#ifndef PTE_OPTIONS_H_
#define PTE_OPTIONS_H_

#include <algorithm>
#include <cstdint>
#include <optional>

namespace pte {

struct Limits {
  // How many tables the flatbuffer verifier may visit, counted per visit. It bounds the time that aliased tables can cost.
  // nullopt: max(1,000,000, flatbuffer size / 8). A table with its reference takes at least 8 bytes, so no file without aliasing meets it.
  std::optional<uint32_t> max_tables = std::nullopt;
  constexpr uint32_t MaxTables(uint64_t flatbuffer_size) const {
    constexpr uint64_t kFewest = 1'000'000;
    constexpr uint64_t kBytesPerTable = 8;
    const uint64_t most = std::min<uint64_t>(std::max(kFewest, flatbuffer_size / kBytesPerTable), UINT32_MAX);
    return max_tables.value_or(static_cast<uint32_t>(most));
  }

  // How deep tables may nest. The formats nest at most 6 deep; 64 is what every flatbuffers reader allows.
  uint32_t max_depth = 64;

  // How many bytes of a flatbuffer may be visited when it is written out in full (Dump), counted per visit: 2.6 MB of aliased vectors
  // could otherwise grow to 391 GiB. nullopt: 64 MiB + 16 x flatbuffer size.
  std::optional<uint64_t> max_unpacked_bytes = std::nullopt;
  constexpr uint64_t MaxUnpackedBytes(uint64_t flatbuffer_size) const {
    constexpr uint64_t kFloor = uint64_t{64} << 20;
    constexpr uint64_t kPerByte = 16;
    return max_unpacked_bytes.value_or(kFloor + kPerByte * flatbuffer_size);
  }

  // How many notes opening a file keeps: a small file of aliased tables could otherwise ask for a million of them.
  uint32_t max_notes = 1000;

  // How many findings of each severity Verify keeps; the verdict counts the others, too. More than a person reads.
  uint32_t max_findings = 1000;

  // How many bytes of one gap between segments Verify reads to see that they are zeros, and 64 times that of all. No alignment that a
  // writer may ask for makes a gap this large; a larger one is reported as such (S10).
  uint64_t max_padding = uint64_t{1} << 20;

  // How large one planned buffer of a method may be before Verify calls it absurd (P19): 1 TiB, more than any device of today has.
  uint64_t max_planned_bytes = uint64_t{1} << 40;
};

struct OpenOptions {
  // Open files whose schema version is newer than this library. What they added is invisible, and such a file is never rewritten.
  bool allow_newer = false;
  Limits limits = {};
};

struct LoadOptions {
  // Map the payload where the source is a file. A mapping costs no memory of its own; but when another process truncates the file, reading
  // the mapping raises SIGBUS. false: read into memory.
  bool map = true;

  // Refuse payloads above this many bytes (kResourceExhausted). The default is no limit: a payload is never larger than its file.
  uint64_t max_bytes = UINT64_MAX;
};

}  // namespace pte

#endif  // PTE_OPTIONS_H_
