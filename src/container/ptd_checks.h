// What opening a .ptd checks beyond its head and segment table.
#ifndef PTE_SRC_CONTAINER_PTD_CHECKS_H_
#define PTE_SRC_CONTAINER_PTD_CHECKS_H_

#include "absl/status/status.h"
#include "pte/schema.h"
#include "src/container/open.h"

namespace pte {

// Verifies the flatbuffer, and names the schema that FT01 files had before named_data.
absl::Status VerifyDirectory(const OpenContainer& container);

// Both lists must be there.
absl::Status CheckPresent(OpenContainer& container, const fb::FlatTensor& root);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_PTD_CHECKS_H_
