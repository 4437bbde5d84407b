#include "src/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

// Of standard error, or a guess where the terminal does not say.
size_t Columns() {
  constexpr size_t kUsual = 80;
  struct winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

int Percent(uint64_t done, uint64_t total) {
  constexpr double kWhole = 100;
  return total == 0 ? 100 : static_cast<int>(kWhole * static_cast<double>(done) / static_cast<double>(total));
}

}  // namespace

ProgressLine::ProgressLine(std::string_view title) : title_(Escaped(title)), visible_(::isatty(STDERR_FILENO) == 1) {
  if (visible_) columns_ = Columns();
}

void ProgressLine::Show(std::string_view what, uint64_t done, uint64_t total) {
  constexpr std::chrono::milliseconds kPause{100};
  if (!visible_) return;
  const auto now = std::chrono::steady_clock::now();
  if (used_ != 0 && now - last_ < kPause) return;
  last_ = now;
  Replace(absl::StrFormat("%s: %d%% of %s  %s", title_, Percent(done, total), SizeText(total, false), Name(what)));
}

void ProgressLine::Clear() {
  if (used_ != 0) Replace("");
}

// Without any escape sequence, so that the plainest terminal and NO_COLOR are honoured.
void ProgressLine::Replace(const std::string& text) {
  const std::string line = Cut(text, columns_ - 1);
  const size_t width = Width(line);
  const std::string blank(used_ > width ? used_ - width : 0, ' ');
  std::fputs(("\r" + line + blank + (line.empty() ? "\r" : "")).c_str(), stderr);
  used_ = width;
}

}  // namespace pte::cli
