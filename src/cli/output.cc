#include "src/cli/output.h"

#include <cerrno>
#include <cstdio>

namespace pte::cli {

void Output::Check(bool written) {
  if (written) return;
  closed_by_reader_ = errno == EPIPE;
  status_ = absl::ErrnoToStatus(errno, "standard output: writing");
}

absl::Status Output::Append(std::span<const std::byte> bytes) {
  if (!status_.ok() || bytes.empty()) return status_;
  started_ = true;
  errno = 0;
  Check(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
  return status_;
}

absl::Status Output::Finish() {
  if (status_.ok()) {
    errno = 0;
    Check(std::fflush(stdout) == 0);
  }
  return closed_by_reader_ ? absl::OkStatus() : status_;
}

}  // namespace pte::cli
