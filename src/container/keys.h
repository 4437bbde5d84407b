// Indexing the keys of a container, whichever its entries.
#ifndef PTE_SRC_CONTAINER_KEYS_H_
#define PTE_SRC_CONTAINER_KEYS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "src/base/text.h"
#include "src/container/key_index.h"
#include "src/container/open.h"

namespace pte {

// The rules by which a kind of container refuses named entries.
struct KeyRules {
  std::string_view missing_key;
  std::string_view duplicate;
  std::string_view segment_index;
};

// Checks each row and makes its entry with make_entry(row); nullptr is no rows.
template <class Entry, class NamedData, class MakeEntry>
absl::StatusOr<std::vector<Entry>> ReadEntries(OpenContainer& container, const flatbuffers::Vector<flatbuffers::Offset<NamedData>>* rows,
                                               size_t segments, const KeyRules& rules, MakeEntry make_entry) {
  std::vector<Entry> entries;
  if (rows == nullptr) return entries;
  entries.reserve(rows->size());
  for (const NamedData* row : *rows) {
    const auto path = [&](std::string_view field) { return absl::StrCat("named_data[", entries.size(), "]", ToAbsl(field)); };
    if (row->key() == nullptr)
      return DataLoss({std::string(rules.missing_key), container.OffsetOf(row), path(".key"), "the entry has no key", "", ""});
    if (row->key()->size() == 0) {
      container.Note(Severity::kWarning, {"S27", container.OffsetOf(row->key()), path(".key"), "the key is empty", "", ""});
    }
    if (row->segment_index() >= segments) {
      return DataLoss({std::string(rules.segment_index), container.OffsetOf(row, NamedData::VT_SEGMENT_INDEX), path(".segment_index"),
                       "no such segment", absl::StrCat("below ", segments), absl::StrCat(row->segment_index())});
    }
    entries.push_back(make_entry(*row));
  }
  return entries;
}

// Indexes entries by key, and refuses two with the same.
template <class Entry>
absl::Status IndexKeys(const OpenContainer& container, const std::vector<Entry>& entries, const KeyRules& rules, KeyIndex& index) {
  const auto pair = index.Build(static_cast<uint32_t>(entries.size()), [&](uint32_t i) { return entries[i].key; });
  if (!pair) return absl::OkStatus();
  const std::string_view key = entries[pair->second].key;
  constexpr size_t kShown = 64;
  return DataLoss({std::string(rules.duplicate), container.OffsetOf(key.data()), absl::StrCat("named_data[", pair->second, "].key"),
                   absl::StrCat("the same key as named_data[", pair->first, "]"), "keys that differ",
                   absl::StrCat("\"", absl::CHexEscape(ToAbsl(key.substr(0, kShown))), key.size() > kShown ? "...\"" : "\"")});
}

template <class Entry>
const Entry* FindByKey(const std::vector<Entry>& entries, const KeyIndex& index, std::string_view key) {
  const std::optional<uint32_t> entry = index.Find(key, [&](uint32_t i) { return entries[i].key; });
  return entry ? &entries[*entry] : nullptr;
}

absl::Status KeyNotFound(const OpenContainer& container, std::string_view key);
absl::Status NoSuchIndex(const OpenContainer& container, std::string_view what, size_t index, size_t count);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_KEYS_H_
