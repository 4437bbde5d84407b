// ByteSink: where bytes are written, in order. A pipe, a socket, a digest, memory.
//
//   struct StdoutSink final : pte::ByteSink {
//     absl::Status Append(std::span<const std::byte> bytes) override { return WriteAll(1, bytes); }
//   };
//
// Ownership: the caller owns the sink; calls keep no reference after they return.
// Thread rule: one thread at a time.
#ifndef PTE_BYTE_SINK_H_
#define PTE_BYTE_SINK_H_

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "pte/export.h"

namespace pte {

class PTE_EXPORT ByteSink {
 public:
  virtual ~ByteSink() = default;

  // Takes all of `bytes` or fails. After a failure the library makes no further call.
  virtual absl::Status Append(std::span<const std::byte> bytes) = 0;
};

// Appends to a string that the caller owns. Never fails.
class PTE_EXPORT StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string& out) : out_(out) {}
  absl::Status Append(std::span<const std::byte> bytes) override;

 private:
  std::string& out_;
};

}  // namespace pte

#endif  // PTE_BYTE_SINK_H_
