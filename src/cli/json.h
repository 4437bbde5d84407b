// JSON for programs: one member or item a line, streamed, so that a document is never in memory as a whole.
//
//   JsonStream json(out);
//   json.BeginObject();
//   json.Member("kind", "pte");
//   json.BeginArray("entries");
//   for (...) json.Item(...);
//   json.End();
//   json.End();
#ifndef PTE_SRC_CLI_JSON_H_
#define PTE_SRC_CLI_JSON_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"
#include "pte/byte_sink.h"

namespace pte::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonVersion = 1;

}  // namespace pte::cli

// Once for the whole tool, not once a file.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace pte::cli {

// The text, or {"base64": ...} where it is not UTF-8.
Json Text(std::string_view text);
Json TextOrNull(std::string_view text);
Json NumberOrNull(std::optional<uint64_t> number);

// On one line, in ASCII.
std::string ToText(const Json& value);

class JsonStream {
 public:
  // Errors are for `out` to remember: Output and StringSink do, or have none.
  explicit JsonStream(ByteSink& out) : out_(out) {}

  // `key` is empty for the document and for items of an array.
  void BeginObject(std::string_view key = {}) { Begin(key, '{', '}'); }
  void BeginArray(std::string_view key = {}) { Begin(key, '[', ']'); }
  void Member(std::string_view key, const Json& value);
  void Item(const Json& value);
  // Ends the innermost object or array; the last one also ends the line.
  void End();

 private:
  struct Level {
    char end;
    bool has_items;
  };

  void Begin(std::string_view key, char begin, char end);
  void StartItem(std::string_view key);
  void NewLine();
  void Print(std::string_view text) { (void)out_.Append(std::as_bytes(std::span(text))); }

  ByteSink& out_;
  std::vector<Level> levels_;
};

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_JSON_H_
