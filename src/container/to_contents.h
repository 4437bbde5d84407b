// Turning an open file into contents: what the kinds have in common.
#ifndef PTE_SRC_CONTAINER_TO_CONTENTS_H_
#define PTE_SRC_CONTAINER_TO_CONTENTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "pte/contents.h"
#include "src/container/open.h"
#include "src/flatbuffer/survey.h"

namespace pte {

// Whether the file can be rewritten without loss. `rule` is that of a version which is too new.
absl::Status CheckRewritable(const OpenContainer& container, const flatbuffers::TypeTable& root, std::string_view rule, uint32_t version,
                             uint32_t known_version, const ToContentsOptions& options);

// The segments as they stand; `is_used` is parallel to them.
void KeepSegments(const OpenContainer& container, const std::vector<bool>& is_used, KeptSegments& kept);

// A segment's bytes, unread.
inline Rope SegmentRope(const OpenContainer& container, uint32_t index) { return container.SegmentAt(index).AsRope(); }

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_TO_CONTENTS_H_
