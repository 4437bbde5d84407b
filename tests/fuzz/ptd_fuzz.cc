// Any bytes as a .ptd: opened, walked, dumped and verified, also as the data of a program.
#include "tests/fuzz/fuzz_container.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pte::test::FuzzContainer(data, size, "FT01");
  return 0;
}
