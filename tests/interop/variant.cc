#include "tests/interop/variant.h"

namespace pte::test {

const std::vector<Variant>& Variants() {
  static const auto* const kVariants = new std::vector<Variant>{
      {"original", [](const std::filesystem::path& fixture, const TempDir&) { return fixture; }},
  };
  return *kVariants;
}

}  // namespace pte::test
