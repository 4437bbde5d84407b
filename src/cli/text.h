// Text for terminals: whatever a file holds, no control character reaches one.
#ifndef PTE_SRC_CLI_TEXT_H_
#define PTE_SRC_CLI_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace pte::cli {

bool IsUtf8(std::string_view text);

// Messages: control characters, bytes that are not UTF-8 and characters that reorder a line become \x1b, \u0085, \u202e.
std::string Escaped(std::string_view text);

// Names from a file: as Escaped, reversibly, in quotes where the name could be taken for something else ("", spaces, quotes).
std::string Name(std::string_view name);

// "720 B", "1.2 KiB", "3.0 MiB", or "3145728" where `exact`.
std::string SizeText(uint64_t bytes, bool exact);

// "1 method", "2 methods".
std::string Count(uint64_t count, std::string_view noun);

std::string Hex(uint64_t value);

// The first characters of `utf8`, at most `width`.
std::string Cut(std::string_view utf8, size_t width);

// In characters.
size_t Width(std::string_view utf8);

// `text` and as many spaces as bring it to `width` characters, at least one.
std::string Column(std::string text, size_t width);
std::string RightColumn(const std::string& text, size_t width);

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_TEXT_H_
