// Everything that reading can do to a file, for bytes that may be damaged or hostile: open, look at every entry, load payloads, dump.
#ifndef PTE_TESTS_SUPPORT_WALK_H_
#define PTE_TESTS_SUPPORT_WALK_H_

#include <memory>

#include "absl/status/status.h"
#include "pte/byte_source.h"
#include "pte/options.h"

namespace pte::test {

struct WalkOptions {
  // Whether to read every byte of every payload, rather than where each begins and ends.
  bool payload_bytes = true;

  // What it is judged by.
  Limits limits = {};
};

// Opens the source as the kind that its head names and walks all of it, its inner program too; then has it judged. Returns what opening
// said. Aborts at a failure after that, save of a limit, and where Verify finds no error in what does not open.
absl::Status WalkEverything(const std::shared_ptr<const ByteSource>& source, const WalkOptions& options = {});

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_WALK_H_
