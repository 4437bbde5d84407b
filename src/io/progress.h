// Telling the caller how far a file is, often enough to be of use and seldom enough to cost nothing.
#ifndef PTE_SRC_IO_PROGRESS_H_
#define PTE_SRC_IO_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "pte/save_options.h"

namespace pte {

class ProgressMeter {
 public:
  // Whoever moves no more than this between two calls of Advance keeps what SaveOptions promises: a report after every 8 MiB at least.
  static constexpr uint64_t kStep = uint64_t{4} << 20;

  // `report` may be empty; it must outlive the meter.
  ProgressMeter(const std::function<bool(const Progress&)>& report, uint64_t total) : report_(report), total_(total) {}

  // What the bytes from now on belong to; the text must stay valid until the next call.
  void Enter(std::string_view what) { what_ = what; }

  // From now on the caller is told, and not asked.
  void CancelNoMore() { can_cancel_ = false; }

  // kCancelled: the caller wants no more.
  absl::Status Begin() const { return Report(); }
  absl::Status Advance(uint64_t bytes) {
    done_ += bytes;
    return done_ - reported_ < kStep ? absl::OkStatus() : Now();
  }
  absl::Status Finish() { return done_ == reported_ ? absl::OkStatus() : Now(); }

 private:
  absl::Status Now() {
    reported_ = done_;
    return Report();
  }
  absl::Status Report() const;

  const std::function<bool(const Progress&)>& report_;
  uint64_t total_;
  uint64_t done_ = 0;
  uint64_t reported_ = 0;
  std::string_view what_;
  bool can_cancel_ = true;
};

}  // namespace pte

#endif  // PTE_SRC_IO_PROGRESS_H_
