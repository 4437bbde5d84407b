// Keys that are met twice, in one list or in several.
#ifndef PTE_SRC_VERIFY_NAMED_KEYS_H_
#define PTE_SRC_VERIFY_NAMED_KEYS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/container/keys.h"
#include "src/verify/judge.h"

namespace pte {

struct NamedKey {
  std::string_view key;
  uint32_t index;  // of its row or list

  friend bool operator<(const NamedKey& a, const NamedKey& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; }
};

// visit(first, again) for each key that has been met before. Sorting takes no more time for keys that someone chose to be slow.
template <class Visit>
void ForEachDuplicate(std::vector<NamedKey>& keys, Visit visit) {
  std::sort(keys.begin(), keys.end());
  size_t first = 0;
  for (size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].key != keys[first].key) {
      first = i;
    } else {
      visit(keys[first], keys[i]);
    }
  }
}

// The rows of either schema that have a key and share it with an earlier row.
template <class NamedData>
void JudgeDuplicateKeys(Judge& judge, const flatbuffers::Vector<flatbuffers::Offset<NamedData>>* rows, std::string_view rule) {
  std::vector<NamedKey> keys;
  for (flatbuffers::uoffset_t i = 0; i < CountOf(rows); ++i) {
    if (rows->Get(i)->key() != nullptr) keys.push_back({TextOf(rows->Get(i)->key()), i});
  }
  ForEachDuplicate(keys, [&](const NamedKey& first, const NamedKey& again) {
    const NamedData& row = *rows->Get(again.index);
    const std::string path = absl::StrCat("named_data[", again.index, "].key");
    judge.Error(rule, {judge.container().OffsetOf(row.key()->data()), path}, absl::StrCat("the same key as named_data[", first.index, "]"),
                "keys that differ", ShowKey(again.key));
  });
}

}  // namespace pte

#endif  // PTE_SRC_VERIFY_NAMED_KEYS_H_
