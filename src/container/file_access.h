// What the rooms above may ask of an open file beyond its public face.
#ifndef PTE_SRC_CONTAINER_FILE_ACCESS_H_
#define PTE_SRC_CONTAINER_FILE_ACCESS_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "pte/bpte_file.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "src/container/open.h"

namespace pte {

struct FileAccess {
  static const OpenContainer& Container(const PteFile& file);
  static const OpenContainer& Container(const PtdFile& file);
  static const OpenContainer& Container(const BpteFile& file);

  // Opens a program that stands inside another container. `source` is the program alone; `file_offset` is where its byte 0 stands in the
  // outermost file, by which errors and payloads are reported.
  static absl::StatusOr<PteFile> OpenProgram(std::shared_ptr<const ByteSource> source, uint64_t file_offset, const OpenOptions& options);
};

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_FILE_ACCESS_H_
