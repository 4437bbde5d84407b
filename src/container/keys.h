// Reading and indexing the named entries of a container, whichever its kind.
#ifndef PTE_SRC_CONTAINER_KEYS_H_
#define PTE_SRC_CONTAINER_KEYS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/container/key_index.h"
#include "src/container/open.h"
#include "src/flatbuffer/visit_budget.h"
#include "src/io/memory.h"

namespace pte {

// The rules by which a kind of container refuses named entries.
struct KeyRules {
  std::string_view missing_key;
  std::string_view duplicate;
  std::string_view segment_index;
};

inline constexpr KeyRules kPteKeyRules{"S23", "S24", "S26"};
inline constexpr KeyRules kPteKeyRulesWithoutSegments{"S23", "S24", "S3"};
inline constexpr KeyRules kPtdKeyRules{"D12", "D13", "D14"};

// In quotes, escaped, and cut where it is long.
std::string ShowKey(std::string_view key);

absl::Status DuplicateKey(const OpenContainer& container, const KeyRules& rules, KeyIndex::Pair pair, std::string_view key);

// Checks row `index` of the named data; refuses by one of the rules.
template <class NamedData>
absl::Status CheckNamedRow(OpenContainer& container, const NamedData& row, size_t index, size_t segments, const KeyRules& rules) {
  const auto path = [&](std::string_view field) { return absl::StrCat("named_data[", index, "]", ToAbsl(field)); };
  if (row.key() == nullptr)
    return container.Refuse(
        {std::string(rules.missing_key), container.OffsetOf(&row), path(".key"), "the entry has no key", "a key", "nothing"});
  if (row.key()->size() == 0)
    container.Note(Severity::kWarning,
                   {"S27", container.OffsetOf(row.key()), path(".key"), "the key is empty", "a key of at least one byte", "0 bytes"});
  if (row.segment_index() < segments) return absl::OkStatus();
  return container.Refuse({std::string(rules.segment_index), container.OffsetOf(&row, NamedData::VT_SEGMENT_INDEX), path(".segment_index"),
                           "no such segment", absl::StrCat("below ", segments), absl::StrCat(row.segment_index())});
}

// Checks each row, makes its entry with make_entry(row) and indexes its key; refuses two entries with the same key. nullptr is no rows.
template <class Entry, class NamedData, class MakeEntry>
absl::Status ReadEntries(OpenContainer& container, const flatbuffers::Vector<flatbuffers::Offset<NamedData>>* rows, size_t segments,
                         const KeyRules& rules, MakeEntry make_entry, FixedList<Entry>& entries, KeyIndex& keys) {
  if (CountOf(rows) == 0) return absl::OkStatus();
  PTE_ASSIGN_OR_RETURN(entries, FixedList<Entry>::WithCapacity(rows->size()));
  PTE_RETURN_IF_ERROR(keys.Reserve(rows->size(), reinterpret_cast<const char*>(container.flatbuffer.data())));
  std::optional<KeyIndex::Pair> duplicate;
  VisitBudget budget(container.options.limits.MaxUnpackedBytes(container.MetadataSize()), "with every key read");
  for (const NamedData* row : *rows) {
    PTE_RETURN_IF_ERROR(CheckNamedRow(container, *row, entries.size(), segments, rules));
    PTE_RETURN_IF_ERROR(budget.Spend(row->key()->size()));
    entries.push_back(make_entry(*row));
    duplicate = keys.Add(static_cast<uint32_t>(entries.size() - 1), entries[entries.size() - 1].key);
    if (duplicate) break;
  }
  if (!duplicate) duplicate = keys.Finish();
  return duplicate ? DuplicateKey(container, rules, *duplicate, entries[duplicate->second].key) : absl::OkStatus();
}

absl::Status KeyNotFound(const OpenContainer& container, std::string_view key);

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_KEYS_H_
