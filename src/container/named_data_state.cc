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
                                                 uint64_t alignment) const {
  uint64_t joined = alignment;
  const auto begin = payload.requests.lower_bound(NamedDataEntry::Payload::RequestView{tag, 0});
  for (auto at = begin; at != payload.requests.end() && at->first.tag == tag; ++at) {
    PTE_ASSIGN_OR_RETURN(
        joined, JoinAlignments(joined, absl::StrCat("key \"", ToAbsl(key), "\""), at->first.alignment, "asked for the same bytes before"));
  }
  return absl::OkStatus();
}

void NamedDataStore::State::Request(NamedDataEntry::Payload& payload, const std::string& tag, uint64_t alignment) {
  const bool is_new = payload.requests.empty();
  size_t& count = payload.requests[{tag, alignment}];
  try {
    if (is_new) payloads.Insert(payload);
  } catch (...) {
    payload.requests.clear();
    throw;
  }
  ++count;
}

void NamedDataStore::State::TakeBack(NamedDataEntry::Payload& payload, std::string_view tag, uint64_t alignment) {
  const auto request = payload.requests.find(NamedDataEntry::Payload::RequestView{tag, alignment});
  if (--request->second == 0) payload.requests.erase(request);
  if (payload.requests.empty()) payloads.Remove(payload);
}

void NamedDataStore::State::Append(NamedDataEntry entry) {
  Entries appended;
  appended.push_back(std::move(entry));
  const NamedDataEntry& added = appended.front();
  Request(*added.payload_, added.external_tag_, added.alignment_);
  try {
    by_key.emplace(added.key_, appended.begin());
  } catch (...) {
    TakeBack(*added.payload_, added.external_tag_, added.alignment_);
    throw;
  }
  entries.splice(entries.end(), appended);
}

void NamedDataStore::State::Erase(Entries::iterator entry) {
  TakeBack(*entry->payload_, entry->external_tag_, entry->alignment_);
  by_key.erase(entry->key_);
  entries.erase(entry);
}

NamedDataStore::State::Changes::~Changes() {
  for (const Change& change : changes_) state_.TakeBack(*change.payload, change.tag, change.alignment);
}

void NamedDataStore::State::Changes::Add(NamedDataEntry& entry, std::shared_ptr<NamedDataEntry::Payload> payload, std::string tag,
                                         uint64_t alignment, std::vector<Rope> absorbed) {
  changes_.push_back({entry, std::move(payload), std::move(tag), alignment, std::move(absorbed)});
  const Change& change = changes_.back();
  try {
    state_.Request(*change.payload, change.tag, change.alignment);
  } catch (...) {
    changes_.pop_back();
    throw;
  }
}

void NamedDataStore::State::Changes::Commit() {
  for (Change& change : changes_) {
    NamedDataEntry& entry = change.entry;
    state_.TakeBack(*entry.payload_, entry.external_tag_, entry.alignment_);
    entry.payload_ = std::move(change.payload);
    entry.external_tag_ = std::move(change.tag);
    entry.alignment_ = change.alignment;
    entry.absorbed_ = std::move(change.absorbed);
  }
  changes_.clear();
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
  store.state().Append(std::move(entry));
}

NamedDataStore StoreAccess::WithTag(const NamedDataStore& store, std::string_view tag) {
  NamedDataStore with_tag = store;
  NamedDataStore::State& state = with_tag.state();
  for (auto entry = state.entries.begin(); entry != state.entries.end();) {
    const auto next = std::next(entry);
    if (entry->external_tag() != tag) state.Erase(entry);
    entry = next;
  }
  return with_tag;
}

}  // namespace pte
