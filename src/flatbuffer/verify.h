// Verifying a whole flatbuffer before anything is read from it.
#ifndef PTE_SRC_FLATBUFFER_VERIFY_H_
#define PTE_SRC_FLATBUFFER_VERIFY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"
#include "pte/options.h"

namespace pte {

// A root type as the verifier needs it.
struct RootSchema {
  bool (*verify)(flatbuffers::Verifier& verifier);
  const flatbuffers::TypeTable* type;
  std::string_view damage_rule;
  std::string_view limit_rule;
};

template <class Root>
RootSchema SchemaOf(std::string_view damage_rule, std::string_view limit_rule) {
  return {[](flatbuffers::Verifier& verifier) { return verifier.VerifyBuffer<Root>(nullptr); }, Root::MiniReflectTypeTable(), damage_rule,
          limit_rule};
}

// Every offset, vector, string and table that the schema knows lies inside `buffer` and is aligned as generated accessors read it, vectors
// of eight-byte elements apart (see CheckWideVectors). `buffer` must hold at least 8 bytes and less than 2^31 - 1.
// Of its bytes, `unread` do not count for the limits: no table is to be there.
//   kDataLoss           does not verify; the fault names the innermost table, vector or string
//   kResourceExhausted  a limit
absl::Status VerifyFlatbuffer(std::span<const std::byte> buffer, const RootSchema& schema, const Limits& limits, uint64_t unread = 0);

// Where and why a flatbuffer does not verify: a second, slower pass that only failing buffers pay for. nullopt: it does.
struct Damage {
  uint64_t offset = 0;
  std::string path;
  std::string what;
  std::string expected;
  std::string actual;
  bool misaligned = false;
};
std::optional<Damage> FindDamage(std::span<const std::byte> buffer, const flatbuffers::TypeTable& root, const Limits& limits,
                                 uint64_t unread = 0);

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_VERIFY_H_
