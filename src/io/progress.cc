#include "src/io/progress.h"

#include "absl/strings/str_cat.h"

namespace pte {

absl::Status ProgressMeter::Report() const {
  if (!report_) return absl::OkStatus();
  if (report_({what_, done_, total_}) || !can_cancel_) return absl::OkStatus();
  return absl::CancelledError(absl::StrCat("cancelled by the progress callback after ", done_, " of ", total_, " bytes"));
}

}  // namespace pte
