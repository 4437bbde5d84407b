// Dump: a container's whole flatbuffer as JSON, streamed.
//
//   std::string json;
//   pte::StringSink sink(json);
//   absl::Status dumped = pte::DumpJson(*file, sink, {.payload_hash = true});
//
// One object: {"pte_json": 1, "kind": "pte", "program": {...}}; a .ptd has "flat_tensor", a .bpte "bundled_program" and then, of the
// program inside, "program". Inside are the tables with the schema's field names in the schema's order, absent fields left out. Enums are
// names, or numbers where the schema has no name. Payload bytes are summarised as {"offset": O, "size": N}, O from the start of the
// outermost file; compile specs also hold their bytes as base64. Integers are exact, all 64 bits; doubles that are not finite are
// {"double": "inf"}, "-inf" or "nan:0x7ff8000000000001"; strings that are not UTF-8 are {"base64": ...}. All other text is ASCII with \u
// escapes.
//
// Ownership: keeps no reference to the sink.  Thread rule: many dumps may run at the same time, each into its own sink.
// Cost: memory does not grow with the file; payload bytes are read only for payload_hash.
#ifndef PTE_DUMP_H_
#define PTE_DUMP_H_

#include <string_view>

#include "absl/status/status.h"
#include "pte/bpte_file.h"
#include "pte/byte_sink.h"
#include "pte/export.h"
#include "pte/options.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"

namespace pte {

struct DumpOptions {
  // Add "xxh3_64" and "sha256" of the bytes, in hexadecimal, to each payload summary and each segment. Reads every payload.
  bool payload_hash = false;

  // Spaces by which each level is indented; 0 or less writes one line.
  int indent = 1;

  // Value of the member "file"; none where empty.
  std::string_view file_name = {};

  // limits.max_unpacked_bytes bounds what aliased vectors can grow to.
  Limits limits = {};
};

//   kResourceExhausted  limits.max_unpacked_bytes; or payload_hash of payloads that overlap so often that hashing them would read more than
//   four
//                       times the file (payloads that are the same are hashed once)
//   others              from the sink, and from the source where payload_hash
PTE_EXPORT absl::Status DumpJson(const PteFile& file, ByteSink& sink, const DumpOptions& options = {});
PTE_EXPORT absl::Status DumpJson(const PtdFile& file, ByteSink& sink, const DumpOptions& options = {});
PTE_EXPORT absl::Status DumpJson(const BpteFile& file, ByteSink& sink, const DumpOptions& options = {});

}  // namespace pte

#endif  // PTE_DUMP_H_
