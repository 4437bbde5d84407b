// XXH3-64 and SHA-256 of bytes that pass by.
#ifndef PTE_SRC_IO_DIGEST_H_
#define PTE_SRC_IO_DIGEST_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_sink.h"

namespace pte {

// In lower-case hexadecimal; xxh3_64 as XXH3's canonical (big-endian) form.
struct Digests {
  std::string xxh3_64;
  std::string sha256;
};

class DigestSink final : public ByteSink {
 public:
  DigestSink();
  ~DigestSink() override;
  DigestSink(const DigestSink&) = delete;
  DigestSink& operator=(const DigestSink&) = delete;

  absl::Status Append(std::span<const std::byte> bytes) override;

  // Of everything appended. Nothing may be appended afterwards.
  absl::StatusOr<Digests> Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pte

#endif  // PTE_SRC_IO_DIGEST_H_
