// Finding the payload that has the same bytes as another, without reading those that cannot.
#ifndef PTE_SRC_CONTAINER_PAYLOAD_INDEX_H_
#define PTE_SRC_CONTAINER_PAYLOAD_INDEX_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "absl/status/statusor.h"
#include "pte/rope.h"

namespace pte {

struct IndexedPayload {
  Rope data;
  std::optional<uint64_t> edge_digest = std::nullopt;  // once another of the same length was looked for
};

// Payloads are the caller's and must stay in place while they are in the index.
class PayloadIndex {
 public:
  struct Lookup {
    IndexedPayload* match = nullptr;
    std::optional<uint64_t> edge_digest = std::nullopt;  // of the bytes looked for, where it was needed
  };

  // Reads payloads of the same length alone: their ends, and all of those with the same ends.
  absl::StatusOr<Lookup> Find(const Rope& data);

  void Insert(IndexedPayload& payload);
  void Remove(IndexedPayload& payload);

 private:
  struct Group {
    std::unordered_set<IndexedPayload*> unread;  // nothing of their length was looked for yet
    std::unordered_multimap<uint64_t, IndexedPayload*> by_digest;
  };

  std::unordered_map<uint64_t, Group> by_length_;
};

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_PAYLOAD_INDEX_H_
