// The rules of a method's values (T1 to T25, S17, S18, S20 to S22, P21).
#ifndef PTE_SRC_VERIFY_VALUES_H_
#define PTE_SRC_VERIFY_VALUES_H_

#include <cstddef>

#include "src/verify/judge.h"
#include "src/verify/program_facts.h"

namespace pte {

// The path is at the plan.
void JudgeValues(Judge& judge, const fb::ExecutionPlan& plan, size_t plan_index, ProgramFacts& facts);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_VALUES_H_
