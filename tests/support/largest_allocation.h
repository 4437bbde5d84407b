// The largest single allocation by operator new since it was last forgotten. A program that calls these has its operators replaced.
#ifndef PTE_TESTS_SUPPORT_LARGEST_ALLOCATION_H_
#define PTE_TESTS_SUPPORT_LARGEST_ALLOCATION_H_

#include <cstddef>

namespace pte::test {

size_t LargestAllocation();
void ForgetLargestAllocation();

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_LARGEST_ALLOCATION_H_
