#include "src/base/fault.h"

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "src/base/text.h"

namespace pte {
namespace {

constexpr char kPayloadUrl[] = "type.pte/Fault";

// Fields are stored as LENGTH:TEXT, one after the other, so that any text survives.
void PutField(std::string& out, std::string_view field) { absl::StrAppend(&out, field.size(), ":", ToAbsl(field)); }

bool TakeField(std::string_view& in, std::string& field) {
  const size_t colon = in.find(':');
  size_t length = 0;
  if (colon == std::string_view::npos || !absl::SimpleAtoi(ToAbsl(in.substr(0, colon)), &length)) return false;
  in.remove_prefix(colon + 1);
  if (length > in.size()) return false;
  field.assign(in.substr(0, length));
  in.remove_prefix(length);
  return true;
}

std::string Encode(const Fault& fault) {
  std::string out;
  PutField(out, fault.rule);
  PutField(out, fault.file_offset ? absl::StrCat(*fault.file_offset) : "");
  PutField(out, fault.path);
  PutField(out, fault.what);
  PutField(out, fault.expected);
  PutField(out, fault.actual);
  return out;
}

std::string Message(const Fault& fault) {
  std::string out;
  if (fault.file_offset) absl::StrAppend(&out, "offset ", Hex(*fault.file_offset), ": ");
  if (!fault.rule.empty()) absl::StrAppend(&out, fault.rule, ": ");
  if (!fault.path.empty()) absl::StrAppend(&out, fault.path, ": ");
  absl::StrAppend(&out, fault.what);
  if (!fault.expected.empty()) absl::StrAppend(&out, "; wanted ", fault.expected);
  if (!fault.actual.empty()) absl::StrAppend(&out, fault.expected.empty() ? "; found " : ", found ", fault.actual);
  return out;
}

}  // namespace

std::optional<Fault> FaultOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayloadUrl);
  if (!payload) return std::nullopt;
  const std::string text(*payload);
  std::string_view in = text;
  Fault fault;
  std::string offset;
  const std::array<std::string*, 6> fields = {&fault.rule, &offset, &fault.path, &fault.what, &fault.expected, &fault.actual};
  for (std::string* field : fields) {
    if (!TakeField(in, *field)) return std::nullopt;
  }
  uint64_t value = 0;
  if (!offset.empty() && absl::SimpleAtoi(offset, &value)) fault.file_offset = value;
  return fault;
}

absl::Status FaultStatus(absl::StatusCode code, const Fault& fault) {
  absl::Status status(code, Message(fault));
  status.SetPayload(kPayloadUrl, absl::Cord(Encode(fault)));
  return status;
}

absl::Status WithName(const absl::Status& status, std::string_view name) {
  if (status.ok()) return status;
  absl::Status named(status.code(), absl::StrCat(ToAbsl(name), ": ", status.message()));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { named.SetPayload(url, payload); });
  return named;
}

absl::Status AtFileOffset(const absl::Status& status, uint64_t base) {
  std::optional<Fault> fault = FaultOf(status);
  if (base == 0 || !fault || !fault->file_offset) return status;
  *fault->file_offset += base;
  return FaultStatus(status.code(), *fault);
}

Finding FindingOf(Severity severity, const Fault& fault) {
  return {fault.rule, severity, fault.file_offset, fault.path, fault.what, fault.expected, fault.actual};
}

std::string Hex(uint64_t value) { return absl::StrCat("0x", absl::Hex(value)); }

std::string Number(uint64_t value) {
  constexpr uint64_t kSmall = 10;  // below it both spellings are the same
  return value < kSmall ? absl::StrCat(value) : absl::StrCat(value, " (0x", absl::Hex(value), ")");
}

std::string ShowBytes(std::string_view bytes) {
  constexpr size_t kMost = 16;
  bytes = bytes.substr(0, kMost);
  std::string hex;
  std::string text;
  for (const char c : bytes) {
    absl::StrAppend(&hex, hex.empty() ? "" : " ", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    if (absl::ascii_isprint(static_cast<unsigned char>(c)) && c != '"') text.push_back(c);
  }
  return text.size() == bytes.size() ? absl::StrCat(hex, " \"", text, "\"") : hex;
}

}  // namespace pte
