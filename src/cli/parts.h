// Where the bytes of a file are: every byte belongs to exactly one part.
#ifndef PTE_SRC_CLI_PARTS_H_
#define PTE_SRC_CLI_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/container.h"
#include "src/cli/summary.h"

namespace pte::cli {

struct Part {
  std::string label;
  uint64_t size = 0;
};

// The delegates of all methods that name the same backend. A byte that several backends share counts for the first of them.
struct Backend {
  std::string_view id;
  uint64_t delegates = 0;
  uint64_t size = 0;
};

struct Division {
  std::vector<Part> parts;  // those that have bytes; their sum is the file's size
  std::vector<Backend> backends;
};

// `methods` are those of container.program, empty for a .ptd.
Division DivideFile(const Container& container, const std::vector<Method>& methods);

// A stretch of a file that may belong to a part.
struct Claim {
  uint64_t begin = 0;
  uint64_t end = 0;
  size_t part = 0;
};

// How many bytes each of `parts` parts gets when a byte that several claim goes to the first of them, and a byte that none claims to the
// last part. The sum is `file_size`.
std::vector<uint64_t> DivideBytes(std::vector<Claim> claims, size_t parts, uint64_t file_size);

// For each segment, whether constants, initial state, a delegate or named data lie in it.
std::vector<bool> UsedSegments(const PteFile& file);
std::vector<bool> UsedSegments(const PtdFile& file);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_PARTS_H_
