#include "pte/contents.h"

#include <utility>

namespace pte {

Rope SubsegmentList::operator[](size_t i) const {
  if (i >= kept_count()) return added_[i - kept_count()];
  const uint64_t begin = kept_offsets_[i + 1];
  const uint64_t end = i + 2 < kept_offsets_.size() ? kept_offsets_[i + 2] : kept_.size();
  return *kept_.Slice(begin, end - begin);
}

void SubsegmentList::Set(size_t i, Rope piece) {
  if (i < kept_count()) {
    std::vector<Rope> pieces;
    pieces.reserve(size());
    for (size_t k = 0; k < size(); ++k) pieces.push_back((*this)[k]);
    clear();
    added_ = std::move(pieces);
  }
  added_[i - kept_count()] = std::move(piece);
}

void SubsegmentList::clear() { *this = SubsegmentList(); }

}  // namespace pte
