#include "src/flatbuffer/json_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <span>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "src/base/text.h"
#include "src/base/utf8.h"

namespace pte {
namespace {

// Few calls of the sink, little memory.
constexpr size_t kBuffer = size_t{64} << 10;
// A multiple of three, so that the pieces of a base64 text join without padding.
constexpr size_t kBase64Piece = size_t{3} << 14;

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

// Cuts text into pieces of bounded length, never inside a character of UTF-8.
template <class Use>
void ForEachPiece(std::string_view text, Use use) {
  constexpr size_t kPiece = size_t{16} << 10;
  constexpr size_t kLongestCharacter = 4;
  const auto continues = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U; };
  while (!text.empty()) {
    size_t length = std::min(text.size(), kPiece);
    for (size_t back = 1; back < kLongestCharacter && length < text.size() && continues(length); ++back) --length;
    use(text.substr(0, length));
    text.remove_prefix(length);
  }
}

// The text with everything escaped that is not printable ASCII.
std::string Escaped(std::string_view utf8) {
  std::string quoted = nlohmann::json(utf8).dump(-1, ' ', /*ensure_ascii=*/true);
  return quoted.substr(1, quoted.size() - 2);
}

std::string NonFinite(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return absl::StrCat("nan:0x", absl::Hex(std::bit_cast<uint64_t>(value), absl::kZeroPad16));
}

}  // namespace

void JsonWriter::Put(std::string_view text) {
  if (!status_.ok()) return;
  buffer_.append(text);
  if (buffer_.size() < kBuffer) return;
  status_ = sink_.Append(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void JsonWriter::NewLine() {
  if (indent_ == 0) return;
  Put("\n");
  Put(std::string(levels_.size() * static_cast<size_t>(indent_), ' '));
}

void JsonWriter::Item() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (level.has_items) Put(level.flat || indent_ == 0 ? ", " : ",");
  level.has_items = true;
  if (!level.flat) NewLine();
}

void JsonWriter::Begin(char bracket, bool flat) {
  Item();
  Put({&bracket, 1});
  levels_.push_back({flat, false});
}

void JsonWriter::End(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.has_items && !level.flat) NewLine();
  Put({&bracket, 1});
}

void JsonWriter::Key(std::string_view ascii) {
  Item();
  Put("\"");
  Put(ascii);
  Put("\": ");
  after_key_ = true;
}

void JsonWriter::Unsigned(uint64_t value) {
  Item();
  Put(std::to_string(value));
}

void JsonWriter::Signed(int64_t value) {
  Item();
  Put(std::to_string(value));
}

void JsonWriter::Bool(bool value) {
  Item();
  Put(value ? "true" : "false");
}

void JsonWriter::Double(double value) {
  if (!std::isfinite(value)) {
    BeginObject();
    Key("double");
    String(NonFinite(value));
    EndObject();
    return;
  }
  Item();
  constexpr size_t kLongestDouble = 32;
  std::array<char, kLongestDouble> text{};
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  const std::string_view digits(text.data(), static_cast<size_t>(end.ptr - text.data()));
  Put(digits);
  // So that readers which tell integers from reals see a real.
  if (digits.find_first_of(".e") == std::string_view::npos) Put(".0");
}

void JsonWriter::String(std::string_view bytes) {
  if (!IsUtf8(bytes)) {
    BeginObject();
    Key("base64");
    Base64(bytes);
    EndObject();
    return;
  }
  Item();
  Put("\"");
  ForEachPiece(bytes, [&](std::string_view piece) { Put(IsPlain(piece) ? piece : std::string_view(Escaped(piece))); });
  Put("\"");
}

void JsonWriter::Base64(std::string_view bytes) {
  Item();
  Put("\"");
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kBase64Piece))) {
    Put(absl::Base64Escape(ToAbsl(bytes.substr(0, kBase64Piece))));
  }
  Put("\"");
}

absl::Status JsonWriter::Finish() {
  Put("\n");
  if (status_.ok()) status_ = sink_.Append(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
  return status_;
}

}  // namespace pte
