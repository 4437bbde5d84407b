#include "src/cli/json.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "src/cli/text.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace pte::cli {

Json Text(std::string_view text) {
  if (IsUtf8(text)) return text;
  Json base64;
  base64["base64"] = absl::Base64Escape(absl::string_view(text.data(), text.size()));
  return base64;
}

Json TextOrNull(std::string_view text) { return text.empty() ? Json() : Text(text); }

Json NumberOrNull(std::optional<uint64_t> number) { return number ? Json(*number) : Json(); }

std::string ToText(const Json& value) { return value.dump(-1, ' ', /*ensure_ascii=*/true); }

void JsonStream::NewLine() { Print(absl::StrCat("\n", std::string(levels_.size(), ' '))); }

void JsonStream::StartItem(std::string_view key) {
  if (!levels_.empty()) {
    if (levels_.back().has_items) Print(",");
    levels_.back().has_items = true;
    NewLine();
  }
  if (!key.empty()) Print(absl::StrCat("\"", std::string(key), "\": "));
}

void JsonStream::Begin(std::string_view key, char begin, char end) {
  StartItem(key);
  Print({&begin, 1});
  levels_.push_back({end, false});
}

void JsonStream::Member(std::string_view key, const Json& value) {
  StartItem(key);
  Print(ToText(value));
  if (levels_.empty()) Print("\n");
}

void JsonStream::Item(const Json& value) { Member({}, value); }

void JsonStream::End() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.has_items) NewLine();
  Print({&level.end, 1});
  if (levels_.empty()) Print("\n");
}

}  // namespace pte::cli
