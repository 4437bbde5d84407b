#include "src/io/digest.h"

#include <openssl/evp.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace pte {

struct DigestSink::State {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> xxh3{XXH3_createState(), &XXH3_freeState};
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> sha256{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  bool ok = true;
};

DigestSink::DigestSink() : state_(std::make_unique<State>()) {
  state_->ok = state_->xxh3 != nullptr && state_->sha256 != nullptr && XXH3_64bits_reset(state_->xxh3.get()) == XXH_OK &&
               EVP_DigestInit_ex(state_->sha256.get(), EVP_sha256(), nullptr) == 1;
}

DigestSink::~DigestSink() = default;

absl::Status DigestSink::Append(std::span<const std::byte> bytes) {
  state_->ok = state_->ok && XXH3_64bits_update(state_->xxh3.get(), bytes.data(), bytes.size()) == XXH_OK &&
               EVP_DigestUpdate(state_->sha256.get(), bytes.data(), bytes.size()) == 1;
  return state_->ok ? absl::OkStatus() : absl::InternalError("digest: the hash library failed");
}

absl::StatusOr<Digests> DigestSink::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (!state_->ok || EVP_DigestFinal_ex(state_->sha256.get(), digest.data(), &length) != 1) {
    return absl::InternalError("digest: the hash library failed");
  }
  const absl::string_view sha256(reinterpret_cast<const char*>(digest.data()), length);
  return Digests{absl::StrCat(absl::Hex(XXH3_64bits_digest(state_->xxh3.get()), absl::kZeroPad16)), absl::BytesToHexString(sha256)};
}

}  // namespace pte
