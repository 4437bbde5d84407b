// Any bytes as a .pte: opened, walked, dumped and verified, also with data.
#include "tests/fuzz/fuzz_container.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pte::test::FuzzContainer(data, size, "ET12");
  return 0;
}
