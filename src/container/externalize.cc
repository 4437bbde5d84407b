// Moving entries of a store to files of their own.
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "pte/layout.h"
#include "src/base/math.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/container/named_data_state.h"
#include "src/io/memory.h"
#include "src/io/target.h"

namespace pte {
namespace {

using Entries = std::vector<NamedDataEntry*>;

// Upper bounds of what a .ptd holds beside its payloads.
constexpr uint64_t kMostPerFile = 4096;  // header, root and the padding up to the segment base
constexpr uint64_t kMostPerRow = 256;

// Of all entries with one payload, the padding in front of it and of the base included; UINT64_MAX where it is beyond all files.
uint64_t SizeInFile(const Entries& entries) {
  const LayoutOptions layout;
  const uint64_t size = entries.front()->size();
  uint64_t alignment = std::lcm(layout.segment_alignment, size >= layout.large_segment_threshold ? layout.large_segment_alignment : 1);
  uint64_t rows = 0;
  for (const NamedDataEntry* entry : entries) {
    alignment = std::lcm(alignment, entry->alignment());
    const auto tensor = entry->tensor_layout();
    rows += kMostPerRow + entry->key().size() + (tensor ? tensor->sizes.size_bytes() + tensor->dim_order.size() : 0);
  }
  const std::optional<uint64_t> padded = CheckedAdd(size, 2 * alignment + rows);
  return padded.value_or(UINT64_MAX);
}

// Deals out file names that are not taken.
class Tags {
 public:
  Tags(const std::list<NamedDataEntry>& entries, std::string_view first) : first_(first) {
    for (const NamedDataEntry& entry : entries) taken_.insert(entry.external_tag());
  }

  std::string Next() {
    std::string tag;
    do {
      tag = number_ == 0 ? first_ : absl::StrCat(first_, "_", number_);
      ++number_;
    } while (taken_.contains(tag));
    return tag;
  }

 private:
  std::string first_;
  uint64_t number_ = 0;
  std::unordered_set<std::string> taken_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> NamedDataStore::Externalize(const std::function<bool(const NamedDataEntry&)>& which,
                                                                     const ExternalizeOptions& options) {
  return WithoutThrowing([&]() -> absl::StatusOr<std::vector<std::string>> {
    if (!IsPlainFileName(options.tag)) {
      return absl::InvalidArgumentError(absl::StrCat("external tag: \"", options.tag, "\" is no plain file name"));
    }
    // In the order of each payload's first key.
    std::vector<Entries> groups;
    std::unordered_map<const void*, size_t> group_of;
    std::unordered_set<const void*> picked;
    for (NamedDataEntry& entry : state_->entries) {
      if (!entry.external_tag().empty()) continue;
      const auto [at, is_new] = group_of.try_emplace(entry.payload_.get(), groups.size());
      if (is_new) groups.emplace_back();
      groups[at->second].push_back(&entry);
      if (which(entry)) picked.insert(entry.payload_.get());
    }
    Tags tags(state_->entries, options.tag);
    std::vector<std::string> used;
    uint64_t room = 0;
    State::Changes changes(*state_);
    for (const Entries& group : groups) {
      if (!picked.contains(group.front()->payload_.get())) continue;
      const uint64_t size = SizeInFile(group);
      if (used.empty() || size > room) {
        used.push_back(tags.Next());
        room = options.max_file_size - std::min(options.max_file_size, kMostPerFile);
      }
      room -= std::min(room, size);
      for (NamedDataEntry* entry : group) changes.Add(*entry, entry->payload_, used.back(), entry->alignment_);
    }
    changes.Commit();
    return used;
  });
}

}  // namespace pte
