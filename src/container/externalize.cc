// Moving entries of a store to files of their own.
#include <cstdint>
#include <optional>
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
#include "src/format/layout.h"
#include "src/io/memory.h"
#include "src/io/target.h"

namespace pte {
namespace {

using Entries = std::vector<NamedDataEntry*>;

// Upper bounds of what a .ptd holds in front of its payloads.
constexpr uint64_t kMostPerFile = 512;
constexpr uint64_t kMostPerRow = 256;  // beside the key and the layout's lists

// How large a .ptd becomes in the default layout.
class FileSize {
 public:
  // With one more payload, which has these keys; nullopt where its alignments have no place beside the others'.
  std::optional<FileSize> With(const Entries& entries) const {
    FileSize with = *this;
    const uint64_t size = entries.front()->size();
    uint64_t alignment = size >= layout_.large_segment_threshold ? layout_.large_segment_alignment : 1;
    for (const NamedDataEntry* entry : entries) {
      const auto tensor = entry->tensor_layout();
      with.directory_ += kMostPerRow + entry->key().size() + (tensor ? tensor->sizes.size_bytes() + tensor->dim_order.size() : 0);
      if (!Join(entry->alignment(), alignment)) return std::nullopt;
    }
    if (!Join(layout_.segment_alignment, alignment) || !Join(alignment, with.base_alignment_)) return std::nullopt;
    const std::optional<uint64_t> offset = AlignUp(data_, alignment);
    const std::optional<uint64_t> end = offset ? CheckedAdd(*offset, size) : std::nullopt;
    if (!end) return std::nullopt;
    with.data_ = *end;
    return with;
  }

  // At most; UINT64_MAX where it is beyond all files.
  uint64_t Bytes() const {
    const std::optional<uint64_t> base = AlignUp(directory_, base_alignment_);
    return (base ? CheckedAdd(*base, data_) : std::nullopt).value_or(UINT64_MAX);
  }

 private:
  static bool Join(uint64_t alignment, uint64_t& joined) {
    const absl::StatusOr<uint64_t> both = JoinAlignments(joined, "", alignment, "");
    joined = both.value_or(joined);
    return both.ok();
  }

  LayoutOptions layout_;
  uint64_t directory_ = kMostPerFile;
  uint64_t base_alignment_ = 1;
  uint64_t data_ = 0;
};

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
    for (NamedDataEntry& entry : state().entries) {
      if (!entry.external_tag().empty()) continue;
      const auto [at, is_new] = group_of.try_emplace(entry.payload_.get(), groups.size());
      if (is_new) groups.emplace_back();
      groups[at->second].push_back(&entry);
      if (which(entry)) picked.insert(entry.payload_.get());
    }
    Tags tags(state().entries, options.tag);
    std::vector<std::string> used;
    FileSize size;
    State::Changes changes(state());
    for (const Entries& group : groups) {
      if (!picked.contains(group.front()->payload_.get())) continue;
      std::optional<FileSize> grown = used.empty() ? std::nullopt : size.With(group);
      if (!grown || grown->Bytes() > options.max_file_size) {
        used.push_back(tags.Next());
        // A payload that cannot stand in any file is named when it is saved.
        grown = FileSize().With(group);
      }
      size = grown.value_or(FileSize());
      for (NamedDataEntry* entry : group) changes.Add(*entry, entry->payload_, used.back(), entry->alignment_, entry->absorbed_);
    }
    changes.Commit();
    return used;
  });
}

}  // namespace pte
