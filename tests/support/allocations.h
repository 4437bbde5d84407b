// What operator new is asked for, and a way to refuse it. A program that calls these has its operators replaced.
#ifndef PTE_TESTS_SUPPORT_ALLOCATIONS_H_
#define PTE_TESTS_SUPPORT_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>

namespace pte::test {

// The largest single allocation since it was last forgotten.
size_t LargestAllocation();
void ForgetLargestAllocation();

// Refuses this thread's `nth` allocation from now on, counted from 1, once.
void RefuseAllocation(int64_t nth);
// Whether that has happened; allocations are granted again either way.
bool StopRefusing();

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_ALLOCATIONS_H_
