// Ways to write a fixture anew, each of which the runtime must take like the fixture itself.
#ifndef PTE_TESTS_INTEROP_VARIANT_H_
#define PTE_TESTS_INTEROP_VARIANT_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace pte::test {

struct Variant {
  std::string name;
  // The container to ask the runtime about, made from a .pte or .ptd; new files go into `out`.
  std::function<std::filesystem::path(const std::filesystem::path& fixture, const TempDir& out)> make;
  bool adds_keys = false;  // a .ptd of this variant may hold more keys than the fixture
  bool is_ours = false;    // written by this library
};

// "original" first: the others are compared with it.
const std::vector<Variant>& Variants();

}  // namespace pte::test

#endif  // PTE_TESTS_INTEROP_VARIANT_H_
