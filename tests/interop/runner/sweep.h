// Every small damage to a container before the runtime, each in a process of its own.
#ifndef PTE_TESTS_INTEROP_RUNNER_SWEEP_H_
#define PTE_TESTS_INTEROP_RUNNER_SWEEP_H_

#include <span>
#include <string>

namespace pte::interop {

inline constexpr char kSweepUsage[] = "pte_interop_runner sweep {strict|minimal|ptd} STEP FILE [KEY ...]";

// Tries the file itself, then each STEPth of its mutations (tests/interop/mutations.h). A program is loaded with the one verification or
// the other, and each of its methods is loaded and executed on ones; of a .ptd every key's data is read, and the layout of the named keys.
// Prints a line for each, "-" in the place of the file's own number:
//   NUMBER accepts
//   NUMBER refuses STAGE CODE     CODE in hexadecimal; 0x21 at "memory" or "inputs": more than this program grants a method
//   NUMBER crashes STAGE SIGNAL
//   NUMBER hangs STAGE
// False where the arguments make no sense.
bool Sweep(std::span<const std::string> args);

}  // namespace pte::interop

#endif  // PTE_TESTS_INTEROP_RUNNER_SWEEP_H_
