// Contents to be written, made from fuzz bytes.
#ifndef PTE_TESTS_FUZZ_FUZZ_CONTENTS_H_
#define PTE_TESTS_FUZZ_FUZZ_CONTENTS_H_

#include "pte/contents.h"
#include "pte/layout.h"
#include "tests/fuzz/fuzz_input.h"

namespace pte::test {

// Most are sound; some have an alignment that there is not.
LayoutOptions FuzzLayout(FuzzInput& input);

// Payloads of few sizes, many of them equal, in ropes of several pieces. The program breaks no rule.
PteContents FuzzPte(FuzzInput& input);
PtdContents FuzzPtd(FuzzInput& input);

// Makes the contents ones that must be refused.
void Spoil(FuzzInput& input, PteContents& contents);

}  // namespace pte::test

#endif  // PTE_TESTS_FUZZ_FUZZ_CONTENTS_H_
