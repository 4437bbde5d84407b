#include "src/cli/errors.h"

#include <cstdio>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "pte/fault.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

std::string MessageOf(const absl::Status& status) { return Escaped({status.message().data(), status.message().size()}); }

}  // namespace

void PrintError(const absl::Status& status) {
  const std::string line = absl::StrCat("pte: ", MessageOf(status), "\n");
  std::fputs(line.c_str(), stderr);
}

void ReportError(const absl::Status& status, bool json, Output& out) {
  PrintError(status);
  if (json && !out.started()) JsonStream(out).Item(ErrorJson(status));
}

Json ErrorJson(const absl::Status& status) {
  const Fault fault = FaultOf(status).value_or(Fault{});
  Json error;
  error["code"] = absl::AsciiStrToLower(absl::StatusCodeToString(status.code()));
  error["rule"] = TextOrNull(fault.rule);
  error["offset"] = NumberOrNull(fault.file_offset);
  error["path"] = TextOrNull(fault.path);
  error["message"] = MessageOf(status);
  Json document;
  document["pte_json"] = kJsonVersion;
  document["error"] = std::move(error);
  return document;
}

}  // namespace pte::cli
