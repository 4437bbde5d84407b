// A sound program, made from fuzz bytes.
#ifndef PTE_TESTS_FUZZ_FUZZ_PROGRAM_H_
#define PTE_TESTS_FUZZ_FUZZ_PROGRAM_H_

#include <cstddef>
#include <vector>

#include "pte/schema.h"
#include "tests/fuzz/fuzz_input.h"

namespace pte::test {

// What a program can refer to.
struct PayloadSizes {
  std::vector<size_t> constants;     // in bytes, each
  std::vector<size_t> mutable_data;  // in bytes, each
  size_t delegates = 0;              // how many
};

// Up to two methods with values of every kind, instructions and delegates; all indices are in range.
fb::ProgramT FuzzProgram(FuzzInput& input, const PayloadSizes& payloads);

}  // namespace pte::test

#endif  // PTE_TESTS_FUZZ_FUZZ_PROGRAM_H_
