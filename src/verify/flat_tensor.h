// The rules of a .ptd beyond its head and flatbuffer (D11 to D26).
#ifndef PTE_SRC_VERIFY_FLAT_TENSOR_H_
#define PTE_SRC_VERIFY_FLAT_TENSOR_H_

#include "absl/status/status.h"
#include "src/verify/judge.h"

namespace pte {

// As JudgeProgram.
absl::Status JudgeFlatTensor(Judge& judge, OpenContainer& container, const fb::FlatTensor& root);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_FLAT_TENSOR_H_
