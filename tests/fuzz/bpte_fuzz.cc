// Any bytes as a .bpte: opened, walked, dumped and verified.
#include "tests/fuzz/fuzz_container.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pte::test::FuzzContainer(data, size, "BP08");
  return 0;
}
