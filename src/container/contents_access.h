// What reading and planning may do with contents beyond their public face.
#ifndef PTE_SRC_CONTAINER_CONTENTS_ACCESS_H_
#define PTE_SRC_CONTAINER_CONTENTS_ACCESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pte/contents.h"

namespace pte {

struct ContentsAccess {
  using KeptItem = KeptSegments::Item;

  static std::vector<KeptItem>& Items(KeptSegments& kept) { return kept.items_; }
  static const std::vector<KeptItem>& Items(const KeptSegments& kept) { return kept.items_; }
  static uint64_t& BaseAlignment(KeptSegments& kept) { return kept.base_alignment_; }
  static uint64_t BaseAlignment(const KeptSegments& kept) { return kept.base_alignment_; }
  static uint64_t& ConstantAlignment(KeptSegments& kept) { return kept.constant_alignment_; }
  static uint64_t ConstantAlignment(const KeptSegments& kept) { return kept.constant_alignment_; }
  static uint64_t& DelegateAlignment(KeptSegments& kept) { return kept.delegate_alignment_; }
  static uint64_t DelegateAlignment(const KeptSegments& kept) { return kept.delegate_alignment_; }

  // A segment as read; `offsets` has the placeholder first. Without a segment the list is a lone placeholder.
  static void Keep(SubsegmentList& list, Rope bytes, std::vector<uint64_t> offsets, std::optional<uint32_t> segment) {
    list.kept_ = std::move(bytes);
    list.kept_offsets_ = std::move(offsets);
    list.kept_segment_ = segment;
  }
  static const Rope& KeptBytes(const SubsegmentList& list) { return list.kept_; }
  static const std::vector<uint64_t>& KeptOffsets(const SubsegmentList& list) { return list.kept_offsets_; }
  static std::optional<uint32_t> KeptSegment(const SubsegmentList& list) { return list.kept_segment_; }
  static const std::vector<Rope>& Added(const SubsegmentList& list) { return list.added_; }

  static DelegatePayload KeptDelegate(Rope bytes, uint32_t segment) {
    DelegatePayload payload(std::move(bytes), DelegatePayload::Placement::kSegment);
    payload.kept_segment_ = segment;
    return payload;
  }
  static std::optional<uint32_t> KeptSegment(const DelegatePayload& payload) { return payload.kept_segment_; }
};

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_CONTENTS_ACCESS_H_
