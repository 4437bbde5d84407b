// What a NamedDataStore holds.
#ifndef PTE_SRC_CONTAINER_NAMED_DATA_STATE_H_
#define PTE_SRC_CONTAINER_NAMED_DATA_STATE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/named_data_store.h"
#include "src/container/payload_index.h"

namespace pte {

struct NamedDataEntry::Payload : IndexedPayload, std::enable_shared_from_this<NamedDataEntry::Payload> {
  // How many of its keys, by the file that they go to, ask for which alignment.
  std::map<std::string, std::map<uint64_t, size_t>, std::less<>> requests;
  std::optional<uint32_t> kept_segment;
};

// Seeded, so that a file cannot choose keys that fall into one bucket.
struct KeyHash {
  uint64_t seed;
  size_t operator()(std::string_view key) const;
};

struct NamedDataStore::State {
  State();
  State(const State& other);

  using Entries = std::list<NamedDataEntry>;
  Entries entries;
  std::unordered_map<std::string_view, Entries::iterator, KeyHash> by_key;  // views of the entries' own keys
  PayloadIndex payloads;

  absl::StatusOr<Entries::iterator> Require(std::string_view key);
  absl::Status AddAgain(NamedDataEntry& entry, const Rope& data, const NamedDataOptions& options);

  // The payload with these bytes, which the store may have already; it is not the store's until it has a request.
  absl::StatusOr<std::shared_ptr<NamedDataEntry::Payload>> PayloadOf(Rope data);

  // Whether the payload can have this alignment beside what its keys in the same file ask for; `instead_of` is taken back first.
  absl::Status CheckRequest(const NamedDataEntry::Payload& payload, std::string_view tag, std::string_view key, uint64_t alignment,
                            std::optional<uint64_t> instead_of = std::nullopt) const;
  void Request(const NamedDataEntry& entry);
  void TakeBack(const NamedDataEntry& entry);

  // Lets change() give the entry another alignment, tag or payload.
  template <class Apply>
  void Change(NamedDataEntry& entry, Apply change) {
    const std::shared_ptr<NamedDataEntry::Payload> keep = entry.payload_;
    TakeBack(entry);
    change();
    Request(entry);
  }

  Entries::iterator Append(NamedDataEntry entry);
  void Erase(Entries::iterator entry);
};

// What the writers and readers of containers may do beyond the public face.
struct StoreAccess {
  static std::optional<uint32_t> KeptSegment(const NamedDataEntry& entry) { return entry.payload_->kept_segment; }
  static const void* PayloadId(const NamedDataEntry& entry) { return entry.payload_.get(); }

  // Appends an entry as a file has it, unchecked; its key must be new. Entries of one segment share its payload.
  using KeptPayloads = std::unordered_map<uint32_t, std::shared_ptr<NamedDataEntry::Payload>>;
  static void AppendKept(NamedDataStore& store, std::string_view key, const Rope& data, uint32_t segment,
                         const std::optional<TensorLayout>& layout, KeptPayloads& payloads);

  // A store of the entries with this tag alone.
  static NamedDataStore WithTag(const NamedDataStore& store, std::string_view tag);
};

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_NAMED_DATA_STATE_H_
