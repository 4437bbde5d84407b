// Standard output, checked: a full disk is an error, a reader that has gone is not.
#ifndef PTE_SRC_CLI_OUTPUT_H_
#define PTE_SRC_CLI_OUTPUT_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "pte/byte_sink.h"

namespace pte::cli {

class Output final : public ByteSink {
 public:
  // Once a write has failed, or the reader has closed the pipe, nothing more is written and every call returns why.
  absl::Status Append(std::span<const std::byte> bytes) override;
  void Print(std::string_view text) { (void)Append(std::as_bytes(std::span(text))); }

  // False where printing on is pointless.
  bool ok() const { return status_.ok(); }
  bool started() const { return started_; }
  bool closed_by_reader() const { return closed_by_reader_; }
  const absl::Status& status() const { return status_; }

  // Writes what is still buffered. OK where the reader has gone.
  absl::Status Finish();

 private:
  void Check(bool written);

  absl::Status status_;
  bool started_ = false;
  bool closed_by_reader_ = false;
};

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_OUTPUT_H_
