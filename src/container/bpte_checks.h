// What opening a .bpte checks and notes beyond its head.
#ifndef PTE_SRC_CONTAINER_BPTE_CHECKS_H_
#define PTE_SRC_CONTAINER_BPTE_CHECKS_H_

#include "absl/status/status.h"
#include "pte/schema.h"
#include "src/container/open.h"

namespace pte {

// Verifies the flatbuffer, in which nothing may lie inside the bytes that were not read, those of the program.
absl::Status VerifyBundle(const OpenContainer& container);

// An error of the program's own head, as it is to be told of the bundle. What would of a file by itself be the wrong file (H2) is here
// damage (B3).
absl::Status AsBundled(const absl::Status& status);

void NoteBundleVersion(OpenContainer& container, const fb::BundledProgram& root);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_BPTE_CHECKS_H_
