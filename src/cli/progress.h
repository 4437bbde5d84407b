// One line on standard error that says how far a write is. Only where a person sees it: not on a pipe, not in a file.
#ifndef PTE_SRC_CLI_PROGRESS_H_
#define PTE_SRC_CLI_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pte::cli {

class ProgressLine {
 public:
  // `title` is what is being written.
  explicit ProgressLine(std::string_view title);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the state, at most ten times a second; `what` may be any bytes.
  void Show(std::string_view what, uint64_t done, uint64_t total);

  // Leaves the line empty.
  void Clear();

 private:
  void Replace(const std::string& text);

  std::string title_;
  bool visible_ = false;
  size_t columns_ = 0;
  size_t used_ = 0;
  std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_PROGRESS_H_
