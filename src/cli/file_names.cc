#include "src/cli/file_names.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "src/cli/sha256.h"

namespace pte::cli {
namespace {

// File systems stop at 255 bytes, and what saves a file adds to its name while it does.
constexpr size_t kLongest = 200;
constexpr size_t kDigits = 16;

bool IsPlain(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

}  // namespace

std::string FileName(std::string_view text) {
  if (text.empty()) return "%";
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool inner_dot = text[i] == '.' && i != 0 && i + 1 != text.size();
    const size_t before = name.size();
    if (IsPlain(text[i]) || inner_dot) {
      name += text[i];
    } else {
      absl::StrAppendFormat(&name, "%%%02X", static_cast<unsigned char>(text[i]));
    }
    if (name.size() <= kLongest) continue;
    name.resize(before);
    return absl::StrCat(name, "~", Sha256(text).value_or("").substr(0, kDigits));
  }
  return name;
}

bool IsFileName(std::string_view name) {
  if (name.empty() || name.front() == '.') return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return IsPlain(c) || c == '.' || c == '%' || c == '~'; });
}

std::string FileNames::Make(std::string_view text) {
  std::string name = FileName(text);
  const uint64_t uses = ++taken_[absl::AsciiStrToLower(name)];
  if (uses > 1) absl::StrAppend(&name, "~", uses);
  return name;
}

}  // namespace pte::cli
