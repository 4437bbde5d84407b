// What opening a .bpte notes beyond its head and flatbuffer.
#ifndef PTE_SRC_CONTAINER_BPTE_CHECKS_H_
#define PTE_SRC_CONTAINER_BPTE_CHECKS_H_

#include "pte/schema.h"
#include "src/container/open.h"

namespace pte {

void NoteBundleVersion(OpenContainer& container, const fb::BundledProgram& root);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_BPTE_CHECKS_H_
