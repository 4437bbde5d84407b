// Texts of a file, which may hold any bytes.
#ifndef PTE_SRC_BASE_UTF8_H_
#define PTE_SRC_BASE_UTF8_H_

#include <string_view>

namespace pte {

// Whether the text is UTF-8 by RFC 3629: no surrogates, nothing above U+10FFFF, each character in its shortest form.
bool IsUtf8(std::string_view text);

}  // namespace pte

#endif  // PTE_SRC_BASE_UTF8_H_
