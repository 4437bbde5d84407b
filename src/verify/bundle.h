// The rules of a .bpte's test cases, by themselves and against its program (B5 to B9).
#ifndef PTE_SRC_VERIFY_BUNDLE_H_
#define PTE_SRC_VERIFY_BUNDLE_H_

#include "src/flatbuffer/bundle.h"
#include "src/verify/judge.h"

namespace pte {

// `program` is nullptr where it could not be read.
void JudgeBundle(Judge& judge, const fb::BundledProgram& bundle, const fb::Program* program);

// The program's place, for what is in it to be aligned as it would be in a file of its own.
void JudgeBundledPlace(Judge& judge, ByteRange place, const OpenContainer& program);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_BUNDLE_H_
