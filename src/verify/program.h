// The rules of a .pte beyond its head and flatbuffer (S1 to S30, and through the others all of P and T).
#ifndef PTE_SRC_VERIFY_PROGRAM_H_
#define PTE_SRC_VERIFY_PROGRAM_H_

#include "absl/status/status.h"
#include "src/verify/judge.h"
#include "src/verify/program_facts.h"

namespace pte {

// `container` reports to `judge`, holds a verified flatbuffer, and gets its segments placed. The facts of its external tensors and keys
// are left in `facts`.
absl::Status JudgeProgram(Judge& judge, OpenContainer& container, const fb::Program& program, ProgramFacts& facts);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_PROGRAM_H_
