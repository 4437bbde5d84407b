// The rules between a program and the .ptd files that it is used with (T14, S25, D13).
#ifndef PTE_SRC_VERIFY_PAIRING_H_
#define PTE_SRC_VERIFY_PAIRING_H_

#include <span>

#include "src/verify/judge.h"
#include "src/verify/program_facts.h"

namespace pte {

// A .ptd: its directory, and where what is wrong with it is told. Without a directory it could not be read, and then nothing is said about
// keys that are not found.
struct DataFile {
  const fb::FlatTensor* root;
  Judge* judge;
};

void JudgePairing(Judge& judge, const ProgramFacts& facts, std::span<const DataFile> data);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_PAIRING_H_
