#include "src/cli/text.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pte::cli {
namespace {

// The character that a text begins with; length 0 where its first byte begins none.
struct Character {
  uint32_t code = 0;
  size_t length = 0;
};

size_t LengthByLead(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

Character FirstCharacter(std::string_view text) {
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  constexpr std::array<uint8_t, 5> kLeadBits = {0, 0x7f, 0x1f, 0x0f, 0x07};
  const auto lead = static_cast<uint8_t>(text.front());
  const size_t length = LengthByLead(lead);
  if (length == 0 || length > text.size()) return {};
  uint32_t code = lead & kLeadBits[length];
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = (code << 6) | (next & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[length] || code > 0x10ffff || surrogate) return {};
  return {code, length};
}

// Controls, and what changes the order in which a line is shown.
bool IsUnprintable(uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  if (code == 0x61c || code == 0x200e || code == 0x200f) return true;
  return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string EscapedWith(std::string_view text, std::string_view also) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    const size_t length = std::max<size_t>(character.length, 1);
    if (character.length == 0 || (character.length == 1 && IsUnprintable(character.code))) {
      absl::StrAppend(&out, "\\x", absl::Hex(static_cast<uint8_t>(text.front()), absl::kZeroPad2));
    } else if (IsUnprintable(character.code)) {
      absl::StrAppend(&out, "\\u", absl::Hex(character.code, absl::kZeroPad4));
    } else {
      if (also.find(text.front()) != std::string_view::npos) out += '\\';
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

bool BeginsCharacter(char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    if (character.length == 0) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

std::string Escaped(std::string_view text) { return EscapedWith(text, ""); }

std::string Name(std::string_view name) {
  if (!name.empty() && name.find_first_of(" \"") == std::string_view::npos) return EscapedWith(name, "\\");
  return absl::StrCat("\"", EscapedWith(name, "\\\""), "\"");
}

std::string SizeText(uint64_t bytes, bool exact) {
  if (exact) return std::to_string(bytes);
  constexpr uint64_t kStep = 1024;
  if (bytes < kStep) return absl::StrFormat("%d B", bytes);
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  // 1023.95 would be printed as 1024.0.
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string Count(uint64_t count, std::string_view noun) { return absl::StrFormat("%d %s%s", count, noun, count == 1 ? "" : "s"); }

std::string Hex(uint64_t value) { return absl::StrFormat("0x%x", value); }

size_t Width(std::string_view utf8) { return static_cast<size_t>(std::count_if(utf8.begin(), utf8.end(), BeginsCharacter)); }

std::string Cut(std::string_view utf8, size_t width) {
  size_t end = 0;
  for (; end < utf8.size(); ++end) {
    if (!BeginsCharacter(utf8[end])) continue;
    if (width == 0) break;
    --width;
  }
  return std::string(utf8.substr(0, end));
}

std::string Column(std::string text, size_t width) {
  const size_t used = Width(text);
  text.append(used < width ? width - used : 1, ' ');
  return text;
}

std::string RightColumn(const std::string& text, size_t width) {
  const size_t used = Width(text);
  return used < width ? std::string(width - used, ' ') + text : text;
}

}  // namespace pte::cli
