#include "src/container/keys.h"

#include "absl/strings/escaping.h"

namespace pte {

std::string ShowKey(std::string_view key) {
  constexpr size_t kShown = 64;
  return absl::StrCat("\"", absl::CHexEscape(ToAbsl(key.substr(0, kShown))), key.size() > kShown ? "...\"" : "\"");
}

absl::Status DuplicateKey(const OpenContainer& container, const KeyRules& rules, KeyIndex::Pair pair, std::string_view key) {
  return DataLoss({std::string(rules.duplicate), container.OffsetOf(key.data()), absl::StrCat("named_data[", pair.second, "].key"),
                   absl::StrCat("the same key as named_data[", pair.first, "]"), "keys that differ", ShowKey(key)});
}

absl::Status KeyNotFound(const OpenContainer& container, std::string_view key) {
  return absl::NotFoundError(absl::StrCat(container.source->name(), ": no named data with key \"", absl::CHexEscape(ToAbsl(key)), "\""));
}

}  // namespace pte
