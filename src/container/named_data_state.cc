#include "src/container/named_data_state.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/format/layout.h"
#include "src/io/compare.h"
#include "src/io/syscalls.h"

namespace pte {

size_t KeyHash::operator()(std::string_view key) const { return static_cast<size_t>(XXH3_64bits_withSeed(key.data(), key.size(), seed)); }

NamedDataStore::State::State() : by_key(0, KeyHash{sys::Random()}) {}

// Payloads carry their requests, so a copy of the entries needs payloads of its own.
NamedDataStore::State::State(const State& other) : State() {
  std::unordered_map<const NamedDataEntry::Payload*, std::shared_ptr<NamedDataEntry::Payload>> copies;
  for (const NamedDataEntry& entry : other.entries) {
    std::shared_ptr<NamedDataEntry::Payload>& payload = copies[entry.payload_.get()];
    if (payload == nullptr) {
      payload = std::make_shared<NamedDataEntry::Payload>();
      static_cast<IndexedPayload&>(*payload) = *entry.payload_;
      payload->kept_segment = entry.payload_->kept_segment;
    }
    NamedDataEntry copy = entry;
    copy.payload_ = payload;
    Append(std::move(copy));
  }
}

absl::StatusOr<NamedDataStore::State::Entries::iterator> NamedDataStore::State::Require(std::string_view key) {
  const auto found = by_key.find(key);
  if (found != by_key.end()) return found->second;
  return absl::NotFoundError(absl::StrCat("named data: no such key: \"", ToAbsl(key), "\""));
}

absl::StatusOr<std::shared_ptr<NamedDataEntry::Payload>> NamedDataStore::State::PayloadOf(Rope data) {
  PTE_ASSIGN_OR_RETURN(const PayloadIndex::Lookup lookup, payloads.Find(data));
  if (lookup.match != nullptr) return static_cast<NamedDataEntry::Payload*>(lookup.match)->shared_from_this();
  auto payload = std::make_shared<NamedDataEntry::Payload>();
  payload->data = std::move(data);
  payload->edge_digest = lookup.edge_digest;
  return payload;
}

absl::Status NamedDataStore::State::CheckRequest(const NamedDataEntry::Payload& payload, std::string_view tag, std::string_view key,
                                                 uint64_t alignment, std::optional<uint64_t> instead_of) const {
  PTE_RETURN_IF_ERROR(CheckAlignment(absl::StrCat("named data: alignment of \"", ToAbsl(key), "\""), alignment));
  const auto requests = payload.requests.find(tag);
  if (requests == payload.requests.end()) return absl::OkStatus();
  uint64_t joined = alignment;
  for (const auto& [other, count] : requests->second) {
    if (instead_of == other && count == 1) continue;
    PTE_ASSIGN_OR_RETURN(joined, JoinAlignments(joined, absl::StrCat("key \"", ToAbsl(key), "\""), other, "another key of its bytes"));
  }
  return absl::OkStatus();
}

void NamedDataStore::State::Request(const NamedDataEntry& entry) {
  NamedDataEntry::Payload& payload = *entry.payload_;
  if (payload.requests.empty()) payloads.Insert(payload);
  ++payload.requests[entry.external_tag_][entry.alignment_];
}

void NamedDataStore::State::TakeBack(const NamedDataEntry& entry) {
  NamedDataEntry::Payload& payload = *entry.payload_;
  const auto requests = payload.requests.find(entry.external_tag_);
  const auto request = requests->second.find(entry.alignment_);
  if (--request->second == 0) requests->second.erase(request);
  if (requests->second.empty()) payload.requests.erase(requests);
  if (payload.requests.empty()) payloads.Remove(payload);
}

NamedDataStore::State::Entries::iterator NamedDataStore::State::Append(NamedDataEntry entry) {
  entries.push_back(std::move(entry));
  const auto appended = std::prev(entries.end());
  by_key.emplace(appended->key_, appended);
  Request(*appended);
  return appended;
}

void NamedDataStore::State::Erase(Entries::iterator entry) {
  TakeBack(*entry);
  by_key.erase(entry->key_);
  entries.erase(entry);
}

void StoreAccess::AppendKept(NamedDataStore& store, std::string_view key, const Rope& data, uint32_t segment,
                             const std::optional<TensorLayout>& layout, KeptPayloads& payloads) {
  std::shared_ptr<NamedDataEntry::Payload>& payload = payloads[segment];
  if (payload == nullptr) {
    payload = std::make_shared<NamedDataEntry::Payload>();
    payload->data = data;
    payload->kept_segment = segment;
  }
  NamedDataEntry entry;
  entry.key_ = key;
  entry.payload_ = payload;
  entry.SetLayout(layout);
  store.state_->Append(std::move(entry));
}

NamedDataStore StoreAccess::WithTag(const NamedDataStore& store, std::string_view tag) {
  NamedDataStore with_tag = store;
  NamedDataStore::State& state = *with_tag.state_;
  for (auto entry = state.entries.begin(); entry != state.entries.end();) {
    const auto next = std::next(entry);
    if (entry->external_tag() != tag) state.Erase(entry);
    entry = next;
  }
  return with_tag;
}

}  // namespace pte
