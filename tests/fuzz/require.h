// What a fuzz target does where a law is broken.
#ifndef PTE_TESTS_FUZZ_REQUIRE_H_
#define PTE_TESTS_FUZZ_REQUIRE_H_

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace pte::test {

inline void Require(bool holds, std::string_view law) {
  if (holds) return;
  std::cerr << "broken: " << law << "\n";
  std::abort();
}

// `what` is a status, or what holds one.
template <class T>
void RequireOk(const T& what, std::string_view law) {
  if (what.ok()) return;
  if constexpr (requires { what.status(); }) {
    std::cerr << what.status() << "\n";
  } else {
    std::cerr << what << "\n";
  }
  Require(false, law);
}

}  // namespace pte::test

#endif  // PTE_TESTS_FUZZ_REQUIRE_H_
