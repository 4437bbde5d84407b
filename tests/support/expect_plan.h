// Holds a plan against the file that writing gave: every offset, the header, and what stands between the segments.
#ifndef PTE_TESTS_SUPPORT_EXPECT_PLAN_H_
#define PTE_TESTS_SUPPORT_EXPECT_PLAN_H_

#include <string>

#include "pte/layout.h"

namespace pte::test {

// `bytes` is the file. Fails the test where the plan does not tell its header, segments, size and padding, where segments overlap, stand in
// another order or at places that the layout does not allow, or where a byte that belongs to nothing is not zero.
void ExpectPlanIsFile(const LayoutPlan& plan, const std::string& bytes, const LayoutOptions& layout);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_EXPECT_PLAN_H_
