// Everything that reading can do to a file, for bytes that may be damaged or hostile: open, look at every entry, load payloads, dump.
#ifndef PTE_TESTS_SUPPORT_WALK_H_
#define PTE_TESTS_SUPPORT_WALK_H_

#include <memory>

#include "absl/status/status.h"
#include "pte/byte_source.h"

namespace pte::test {

// Opens the source as the kind that its head names and walks all of it, its inner program too. Returns what opening said; a failure after
// that, save of a limit, fails the test.
absl::Status WalkEverything(const std::shared_ptr<const ByteSource>& source);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_WALK_H_
