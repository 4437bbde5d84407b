// Every small damage to a file, by number, so that two processes can speak of the same bytes.
#ifndef PTE_TESTS_INTEROP_MUTATIONS_H_
#define PTE_TESTS_INTEROP_MUTATIONS_H_

#include <cstddef>
#include <string>

namespace pte::interop {

// Number n is about the byte n / 4: set to 0xFF, set to zero, its lowest bit flipped, or cut off with all that follows.
struct Mutation {
  enum class Kind { kFill, kClear, kFlip, kCut };
  static constexpr size_t kKinds = 4;

  Kind kind;
  size_t at;
};

inline Mutation MutationOf(size_t number) { return {static_cast<Mutation::Kind>(number % Mutation::kKinds), number / Mutation::kKinds}; }

inline size_t MutationCount(size_t file_size) { return file_size * Mutation::kKinds; }

// "ff@12", "00@12", "^1@12", "cut@12".
inline std::string NameOf(const Mutation& mutation) {
  constexpr const char* kNames[] = {"ff", "00", "^1", "cut"};
  return kNames[static_cast<size_t>(mutation.kind)] + ("@" + std::to_string(mutation.at));
}

// The file damaged; itself where the byte is as the mutation would have it.
inline std::string Mutated(const std::string& file, const Mutation& mutation) {
  if (mutation.kind == Mutation::Kind::kCut) return file.substr(0, mutation.at);
  std::string bytes = file;
  char& byte = bytes[mutation.at];
  switch (mutation.kind) {
    case Mutation::Kind::kFill: byte = '\xff'; break;
    case Mutation::Kind::kClear: byte = '\0'; break;
    default: byte = static_cast<char>(byte ^ 1); break;
  }
  return bytes;
}

}  // namespace pte::interop

#endif  // PTE_TESTS_INTEROP_MUTATIONS_H_
