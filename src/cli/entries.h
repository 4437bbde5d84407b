// Every payload of a container, as `ls` lists them.
#ifndef PTE_SRC_CLI_ENTRIES_H_
#define PTE_SRC_CLI_ENTRIES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "src/cli/container.h"
#include "src/cli/json.h"

namespace pte::cli {

enum class Role : uint8_t { kConstant, kMutable, kDelegate, kNamed, kTest, kUnused };

std::string_view RoleName(Role role);

// Small, since there may be millions; what else there is to say is looked up when it is printed.
struct Entry {
  Role role = Role::kUnused;
  bool is_output = false;  // of test tensors: an expected output rather than an input
  uint32_t method = 0;     // of delegates the execution plan, of test tensors the suite
  uint32_t index = 0;      // constant, mutable data, delegate, named entry, test case
  uint32_t position = 0;   // of test tensors: which input or output
  std::optional<uint32_t> segment;
  uint64_t offset = 0;  // in the outermost file
  uint64_t size = 0;
  const fb::Tensor* tensor = nullptr;                // the first that uses this constant or initial state
  const fb::bundled::Tensor* test_tensor = nullptr;  // of test tensors
};

// In the order constants, mutable data, delegates, named data, test tensors, unused segments.
//   kResourceExhausted  see Budget
absl::StatusOr<std::vector<Entry>> ListEntries(const Container& container);

// Leaves named data whose key matches, as a shell matches file names.
void KeepMatching(const Container& container, const std::string& pattern, std::vector<Entry>& entries);

// nullopt for all but named data.
std::optional<std::string_view> KeyOf(const Container& container, const Entry& entry);

// The method that a delegate or test tensor belongs to.
std::optional<std::string_view> MethodOf(const Container& container, const Entry& entry);

std::optional<TensorLayout> LayoutOfEntry(const Container& container, const Entry& entry);

// The largest power of two that divides the offset, at most 65536.
uint64_t AlignmentOf(const Entry& entry);

// What `ls` says about it.
Json EntryJson(const Container& container, const Entry& entry);

// What a person calls it: the key, "constant 3", "forward delegate 0 XnnpackBackend".
std::string TitleOf(const Container& container, const Entry& entry);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_ENTRIES_H_
