// SHA-256 for tests, from OpenSSL: not the library's own use of it.
#ifndef PTE_TESTS_SUPPORT_SHA256_H_
#define PTE_TESTS_SUPPORT_SHA256_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "pte/byte_sink.h"

struct evp_md_ctx_st;

namespace pte::test {

class Sha256Sink final : public ByteSink {
 public:
  Sha256Sink();
  ~Sha256Sink() override;

  absl::Status Append(std::span<const std::byte> bytes) override;

  // In lower-case hexadecimal. Ends the digest.
  std::string Finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string Sha256(std::span<const std::byte> bytes);
std::string Sha256(std::string_view bytes);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_SHA256_H_
