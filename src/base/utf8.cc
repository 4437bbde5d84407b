#include "src/base/utf8.h"

#include <cstddef>
#include <cstdint>

namespace pte {
namespace {

// What a leading byte says of its character; length 0 where no character begins so.
struct Lead {
  size_t length = 0;
  uint8_t second_from = 0x80;  // the bounds of the byte behind it, which keep the others' forms out
  uint8_t second_to = 0xbf;
};

constexpr Lead LeadOf(uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xc2) return {};
  if (byte < 0xe0) return {2};
  if (byte == 0xe0) return {3, 0xa0};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3};
  if (byte == 0xf0) return {4, 0x90};
  if (byte < 0xf4) return {4};
  return byte == 0xf4 ? Lead{4, 0x80, 0x8f} : Lead{};
}

// The length of the first character; 0 where there is none.
size_t FirstCharacter(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const Lead lead = LeadOf(at(0));
  if (lead.length <= 1) return lead.length;
  if (lead.length > text.size() || at(1) < lead.second_from || at(1) > lead.second_to) return 0;
  for (size_t i = 2; i < lead.length; ++i) {
    if (at(i) < 0x80 || at(i) > 0xbf) return 0;
  }
  return lead.length;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = FirstCharacter(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace pte
