#include "src/container/payload_index.h"

#include <iterator>

#include "src/base/status_macros.h"
#include "src/io/compare.h"

namespace pte {

absl::StatusOr<PayloadIndex::Lookup> PayloadIndex::Find(const Rope& data) {
  const auto found = by_length_.find(data.size());
  if (found == by_length_.end()) return Lookup();
  Group& group = found->second;
  while (!group.unread.empty()) {
    IndexedPayload& payload = **group.unread.begin();
    PTE_ASSIGN_OR_RETURN(const uint64_t edge_digest, EdgeDigest(payload.data));
    // Where this throws, the payload is still an unread one.
    group.by_digest.emplace(edge_digest, &payload);
    payload.edge_digest = edge_digest;
    group.unread.erase(group.unread.begin());
  }
  PTE_ASSIGN_OR_RETURN(const uint64_t digest, EdgeDigest(data));
  const auto [begin, end] = group.by_digest.equal_range(digest);
  for (auto candidate = begin; candidate != end; ++candidate) {
    PTE_ASSIGN_OR_RETURN(const bool same, SameBytes(candidate->second->data, data));
    if (same) return Lookup{candidate->second, digest};
  }
  return Lookup{nullptr, digest};
}

void PayloadIndex::Insert(IndexedPayload& payload) {
  Group& group = by_length_[payload.data.size()];
  if (payload.edge_digest) {
    group.by_digest.emplace(*payload.edge_digest, &payload);
  } else {
    group.unread.insert(&payload);
  }
}

void PayloadIndex::Remove(IndexedPayload& payload) {
  const auto found = by_length_.find(payload.data.size());
  if (found == by_length_.end()) return;
  Group& group = found->second;
  if (!payload.edge_digest) {
    group.unread.erase(&payload);
  } else {
    auto [at, end] = group.by_digest.equal_range(*payload.edge_digest);
    while (at != end) at = at->second == &payload ? group.by_digest.erase(at) : std::next(at);
  }
  if (group.unread.empty() && group.by_digest.empty()) by_length_.erase(found);
}

}  // namespace pte
