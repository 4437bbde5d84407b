// The rules of a method apart from its values and instructions (P1, P3, P4, P6, P14, P15, P19, P20, P25).
#ifndef PTE_SRC_VERIFY_PLAN_H_
#define PTE_SRC_VERIFY_PLAN_H_

#include "pte/schema.h"
#include "src/verify/judge.h"

namespace pte {

// The path is at the plan.
void JudgePlan(Judge& judge, const fb::ExecutionPlan& plan);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_PLAN_H_
