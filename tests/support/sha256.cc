#include "tests/support/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace pte::test {

void Sha256Sink::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256Sink::Sha256Sink() : context_(EVP_MD_CTX_new()) {
  if (EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) context_.reset();
}

Sha256Sink::~Sha256Sink() = default;

absl::Status Sha256Sink::Append(std::span<const std::byte> bytes) {
  if (context_ == nullptr || EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1)
    return absl::InternalError("OpenSSL does not compute SHA-256");
  return absl::OkStatus();
}

std::string Sha256Sink::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (context_ == nullptr || EVP_DigestFinal_ex(context_.get(), digest.data(), &size) != 1) return "no digest";
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

std::string Sha256(std::span<const std::byte> bytes) {
  Sha256Sink sink;
  const absl::Status appended = sink.Append(bytes);
  return appended.ok() ? sink.Finish() : appended.ToString();
}

std::string Sha256(std::string_view bytes) { return Sha256(std::as_bytes(std::span(bytes))); }

}  // namespace pte::test
