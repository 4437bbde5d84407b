#include "tests/fuzz/fuzz_container.h"

#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/support/sources.h"
#include "tests/support/walk.h"

namespace pte::test {

void FuzzContainer(const uint8_t* data, size_t size, std::string_view identifier) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  constexpr size_t kIdentifier = 4;
  if (bytes.size() >= kIdentifier + identifier.size()) bytes.replace(kIdentifier, identifier.size(), identifier);
  const absl::Status memory = WalkEverything(MakeSource(SourceKind::kMemory, bytes));
  const absl::Status read = WalkEverything(MakeSource(SourceKind::kReadOnly, bytes));
  if (memory.code() == read.code()) return;
  std::cerr << "memory says " << memory << ", reading says " << read << "\n";
  std::abort();
}

}  // namespace pte::test
