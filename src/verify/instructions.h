// The rules of a method's chains (P2, P5, P7 to P12, P23, P24).
#ifndef PTE_SRC_VERIFY_INSTRUCTIONS_H_
#define PTE_SRC_VERIFY_INSTRUCTIONS_H_

#include "pte/schema.h"
#include "src/verify/judge.h"

namespace pte {

// The path is at the plan.
void JudgeChains(Judge& judge, const fb::ExecutionPlan& plan);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_INSTRUCTIONS_H_
