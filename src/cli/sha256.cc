#include "src/cli/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <span>

#include "absl/strings/escaping.h"
#include "pte/byte_sink.h"
#include "pte/bytes.h"
#include "src/cli/interrupt.h"

namespace pte::cli {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

class Sha256Sink final : public ByteSink {
 public:
  explicit Sha256Sink(const std::function<void(uint64_t)>& seen) : context_(EVP_MD_CTX_new()), seen_(seen) {
    usable_ = context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  }

  absl::Status Append(std::span<const std::byte> bytes) override {
    if (!usable_ || EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) return Unusable();
    size_ += bytes.size();
    if (seen_) seen_(size_);
    return CheckInterrupted();
  }

  absl::StatusOr<std::string> Finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (!usable_ || EVP_DigestFinal_ex(context_.get(), digest.data(), &size) != 1) return Unusable();
    return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  static absl::Status Unusable() { return absl::InternalError("the cryptographic library has no SHA-256"); }

  std::unique_ptr<EVP_MD_CTX, FreeContext> context_;
  const std::function<void(uint64_t)>& seen_;
  uint64_t size_ = 0;
  bool usable_ = false;
};

}  // namespace

absl::StatusOr<std::string> Sha256(const Rope& bytes, const std::function<void(uint64_t)>& seen) {
  Sha256Sink sink(seen);
  const absl::Status read = bytes.CopyTo(sink);
  if (!read.ok()) return read;
  return sink.Finish();
}

absl::StatusOr<std::string> Sha256(std::string_view bytes) { return Sha256(Rope(Bytes::Borrow(bytes))); }

}  // namespace pte::cli
