// SHA-256 of payloads, in bounded memory.
#ifndef PTE_SRC_CLI_SHA256_H_
#define PTE_SRC_CLI_SHA256_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "pte/rope.h"

namespace pte::cli {

// In lower-case hexadecimal. `seen` is told how many bytes have passed, now and then.
//   kCancelled  see CheckInterrupted
//   others      from the rope's sources
absl::StatusOr<std::string> Sha256(const Rope& bytes, const std::function<void(uint64_t)>& seen = {});
absl::StatusOr<std::string> Sha256(std::string_view bytes);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_SHA256_H_
