// What the rules of a method need to know of the program around it.
#ifndef PTE_SRC_VERIFY_PROGRAM_FACTS_H_
#define PTE_SRC_VERIFY_PROGRAM_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pte/schema.h"
#include "src/container/open.h"
#include "src/container/pte_checks.h"

namespace pte {

// The offsets that cut a segment into pieces, and how far they may reach; offsets is nullptr where there are none or they cut nothing.
struct Pieces {
  const flatbuffers::Vector<uint64_t>* offsets = nullptr;
  uint64_t segment_size = 0;
};

struct ProgramFacts {
  const fb::Program& program;
  Pieces constants;
  Pieces mutable_data;
  bool constants_in_segment = true;
  size_t constant_count = 0;
  size_t mutable_count = 0;
  std::vector<bool> unaligned_constants;  // of the constants, those that a tensor's elements made an error of (S17)
  std::vector<bool> without_storage;      // the same of inline ones that a tensor uses (S20)

  // A tensor whose bytes come from a .ptd.
  struct External {
    size_t plan;
    size_t value;
    const fb::Tensor* tensor;
  };
  std::vector<External> externals;
};

// The program's segments must have been placed.
ProgramFacts FactsOf(const OpenContainer& container, const fb::Program& program);

inline bool IsExternal(const fb::Tensor& tensor) {
  return tensor.extra_tensor_info() != nullptr && tensor.extra_tensor_info()->location() == fb::TensorDataLocation::EXTERNAL;
}

}  // namespace pte

#endif  // PTE_SRC_VERIFY_PROGRAM_FACTS_H_
