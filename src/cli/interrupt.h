// Ctrl-C while files are written: what was begun is cleaned up first, then the signal does what it always does.
#ifndef PTE_SRC_CLI_INTERRUPT_H_
#define PTE_SRC_CLI_INTERRUPT_H_

#include <signal.h>

#include <array>
#include <string>

#include "absl/status/status.h"

namespace pte::cli {

inline constexpr std::array<int, 3> kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

// While one lives, a signal that would end the process is noted only. Those that the process was started to ignore stay ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  std::array<struct sigaction, kEndingSignals.size()> before_ = {};
};

bool Interrupted();

// kCancelled where a signal was noted.
absl::Status CheckInterrupted();

// For what could no longer be stopped, such as a move behind its commit point: says that `path` is complete, and takes the signal back.
void CompletedAllTheSame(const std::string& path);

// Ends the process by the signal that was noted; returns where there was none.
void EndIfInterrupted();

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_INTERRUPT_H_
