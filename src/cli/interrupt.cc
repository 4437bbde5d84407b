#include "src/cli/interrupt.h"

#include <cstdio>

#include "src/cli/text.h"

namespace pte::cli {
namespace {

volatile sig_atomic_t noted_signal = 0;

void Note(int signal) { noted_signal = signal; }

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction note = {};
  // Without SA_RESTART, so that a write that waits for its reader returns.
  note.sa_handler = Note;
  for (size_t i = 0; i < kEndingSignals.size(); ++i) {
    ::sigaction(kEndingSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kEndingSignals[i], &note, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < kEndingSignals.size(); ++i) ::sigaction(kEndingSignals[i], &before_[i], nullptr);
}

bool Interrupted() { return noted_signal != 0; }

absl::Status CheckInterrupted() {
  return Interrupted() ? absl::CancelledError("interrupted; nothing is left of what was being written") : absl::OkStatus();
}

void CompletedAllTheSame(const std::string& path) {
  if (!Interrupted()) return;
  std::fprintf(stderr, "pte: %s: complete; the interruption came too late to stop it\n", Escaped(path).c_str());
  noted_signal = 0;
}

void EndIfInterrupted() {
  if (!Interrupted()) return;
  ::signal(noted_signal, SIG_DFL);
  ::raise(noted_signal);
}

}  // namespace pte::cli
