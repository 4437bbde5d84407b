// JSON text, streamed: memory does not grow with what is written.
#ifndef PTE_SRC_FLATBUFFER_JSON_WRITER_H_
#define PTE_SRC_FLATBUFFER_JSON_WRITER_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "pte/byte_sink.h"

namespace pte {

// After the first error of the sink, calls do nothing; Finish returns it.
class JsonWriter {
 public:
  // `indent` spaces a level; 0 or less writes one line.
  JsonWriter(ByteSink& sink, int indent) : sink_(sink), indent_(std::max(indent, 0)) {}

  void BeginObject() { Begin('{', false); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('[', false); }
  // For short items: the array stays on one line.
  void BeginFlatArray() { Begin('[', true); }
  void EndArray() { End(']'); }
  void Key(std::string_view ascii);

  void Unsigned(uint64_t value);
  void Signed(int64_t value);
  void Bool(bool value);
  void Double(double value);
  // {"base64": ...} where the bytes are not UTF-8.
  void String(std::string_view bytes);
  void Base64(std::string_view bytes);

  bool ok() const { return status_.ok(); }
  // Writes the end of the line and what is still buffered.
  absl::Status Finish();

 private:
  struct Level {
    bool flat;
    bool has_items;
  };

  void Begin(char bracket, bool flat);
  void End(char bracket);
  void Item();
  void NewLine();
  void Put(std::string_view text);

  ByteSink& sink_;
  int indent_;
  std::vector<Level> levels_;
  bool after_key_ = false;
  std::string buffer_;
  absl::Status status_;
};

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_JSON_WRITER_H_
