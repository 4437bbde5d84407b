#include "pte/named_data_store.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/container/named_data_state.h"
#include "src/container/tensor_layout.h"
#include "src/format/layout.h"
#include "src/io/compare.h"
#include "src/io/memory.h"

namespace pte {
namespace {

absl::Status Differs(std::string_view key, std::string_view what) {
  return absl::AlreadyExistsError(absl::StrCat("named data: \"", ToAbsl(key), "\" is there already with another ", ToAbsl(what)));
}

absl::Status WithKey(const absl::Status& status, std::string_view key) {
  return WithName(status, absl::StrCat("named data: \"", ToAbsl(key), "\""));
}

// Adds bytes to the absorbed ones, where they are written from elsewhere.
void AddIfAbsorbed(const Rope& bytes, const Rope& written, std::vector<Rope>& absorbed) {
  if (!SamePlace(bytes, written)) absorbed.push_back(bytes);
}

}  // namespace

const Rope& NamedDataEntry::data() const { return payload_->data; }

std::optional<TensorLayout> NamedDataEntry::tensor_layout() const {
  if (!layout_) return std::nullopt;
  return TensorLayout{layout_->scalar_type, layout_->sizes, layout_->dim_order};
}

NamedDataStore::NamedDataStore() = default;
NamedDataStore::NamedDataStore(const NamedDataStore& other) : state_(other.empty() ? nullptr : std::make_unique<State>(*other.state_)) {}
NamedDataStore::NamedDataStore(NamedDataStore&& other) noexcept = default;
NamedDataStore& NamedDataStore::operator=(NamedDataStore other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
NamedDataStore::~NamedDataStore() = default;

NamedDataStore::State& NamedDataStore::state() {
  if (state_ == nullptr) state_ = std::make_unique<State>();
  return *state_;
}

const std::list<NamedDataEntry>& NamedDataStore::entries() const {
  static const std::list<NamedDataEntry> kNone;
  return state_ == nullptr ? kNone : state_->entries;
}

const NamedDataEntry* NamedDataStore::Find(std::string_view key) const {
  if (state_ == nullptr) return nullptr;
  const auto found = state_->by_key.find(key);
  return found == state_->by_key.end() ? nullptr : &*found->second;
}

absl::Status NamedDataStore::Add(std::string_view key, Rope data, const NamedDataOptions& options) {
  return WithoutThrowing([&]() -> absl::Status {
    PTE_RETURN_IF_ERROR(CheckAlignment(absl::StrCat("named data: alignment of \"", ToAbsl(key), "\""), options.alignment));
    if (options.tensor_layout) PTE_RETURN_IF_ERROR(WithKey(CheckTensorLayout(*options.tensor_layout, data.size()), key));
    State::Changes changes(state());
    PTE_RETURN_IF_ERROR(state().Add(key, data, {}, options, changes));
    changes.Commit();
    return absl::OkStatus();
  });
}

absl::Status NamedDataStore::State::Add(std::string_view key, const Rope& data, std::vector<Rope> absorbed, const NamedDataOptions& options,
                                        Changes& changes) {
  const auto found = by_key.find(key);
  if (found != by_key.end()) return AddAgain(*found->second, data, std::move(absorbed), options, changes);
  PTE_ASSIGN_OR_RETURN(auto payload, PayloadOf(data));
  PTE_RETURN_IF_ERROR(CheckRequest(*payload, options.external_tag, key, options.alignment));
  NamedDataEntry entry;
  entry.key_ = key;
  entry.absorbed_ = std::move(absorbed);
  AddIfAbsorbed(data, payload->data, entry.absorbed_);
  entry.payload_ = std::move(payload);
  entry.alignment_ = options.alignment;
  entry.SetLayout(options.tensor_layout);
  entry.external_tag_ = options.external_tag;
  Append(std::move(entry));
  return absl::OkStatus();
}

void NamedDataEntry::SetLayout(const std::optional<TensorLayout>& layout) {
  layout_.reset();
  if (!layout) return;
  layout_ = Layout{layout->scalar_type, {layout->sizes.begin(), layout->sizes.end()}, {layout->dim_order.begin(), layout->dim_order.end()}};
}

absl::Status NamedDataStore::State::AddAgain(NamedDataEntry& entry, const Rope& data, std::vector<Rope> absorbed,
                                             const NamedDataOptions& options, Changes& changes) {
  if (entry.external_tag_ != options.external_tag) return Differs(entry.key_, "external tag");
  NamedDataEntry wanted;
  wanted.SetLayout(options.tensor_layout);
  if (entry.layout_ != wanted.layout_) return Differs(entry.key_, "tensor layout");
  if (entry.size() != data.size()) {
    return Differs(entry.key_, absl::StrCat("size: ", Number(entry.size()), " bytes there, ", Number(data.size()), " given"));
  }
  PTE_ASSIGN_OR_RETURN(const bool same, SameBytes(entry.data(), data));
  if (!same) return Differs(entry.key_, "content");
  PTE_RETURN_IF_ERROR(CheckRequest(*entry.payload_, entry.external_tag_, entry.key_, options.alignment));
  absorbed.insert(absorbed.begin(), entry.absorbed_.begin(), entry.absorbed_.end());
  AddIfAbsorbed(data, entry.data(), absorbed);
  changes.Add(entry, entry.payload_, entry.external_tag_, std::lcm(entry.alignment_, options.alignment), std::move(absorbed));
  return absl::OkStatus();
}

absl::Status NamedDataStore::Remove(std::string_view key) {
  return WithoutThrowing([&]() -> absl::Status {
    PTE_ASSIGN_OR_RETURN(const auto entry, state().Require(key));
    state().Erase(entry);
    return absl::OkStatus();
  });
}

absl::Status NamedDataStore::Replace(std::string_view key, Rope data) {
  return WithoutThrowing([&]() -> absl::Status {
    PTE_ASSIGN_OR_RETURN(const auto entry, state().Require(key));
    if (entry->layout_) PTE_RETURN_IF_ERROR(WithKey(CheckTensorLayout(*entry->tensor_layout(), data.size()), key));
    PTE_ASSIGN_OR_RETURN(auto payload, state().PayloadOf(data));
    if (payload != entry->payload_) {
      PTE_RETURN_IF_ERROR(state().CheckRequest(*payload, entry->external_tag_, key, entry->alignment_));
    }
    std::vector<Rope> absorbed;
    AddIfAbsorbed(data, payload->data, absorbed);
    State::Changes changes(state());
    changes.Add(*entry, std::move(payload), entry->external_tag_, entry->alignment_, std::move(absorbed));
    changes.Commit();
    return absl::OkStatus();
  });
}

absl::Status NamedDataStore::Rename(std::string_view from, std::string_view to) {
  return WithoutThrowing([&]() -> absl::Status {
    PTE_ASSIGN_OR_RETURN(const auto entry, state().Require(from));
    if (from == to) return absl::OkStatus();
    if (state().by_key.contains(to)) return absl::AlreadyExistsError(absl::StrCat("named data: \"", ToAbsl(to), "\" is there already"));
    std::string key(to);
    // The index's own node, so that nothing can fail between the two names.
    auto node = state().by_key.extract(state().by_key.find(from));
    entry->key_ = std::move(key);
    node.key() = entry->key_;
    state().by_key.insert(std::move(node));
    return absl::OkStatus();
  });
}

absl::Status NamedDataStore::Merge(const NamedDataStore& other) {
  return WithoutThrowing([&]() -> absl::Status {
    State::Changes changes(state());
    State::Appended appended(state());
    std::vector<std::string> conflicts;
    absl::Status failure;
    for (const NamedDataEntry& entry : other.entries()) {
      const NamedDataOptions options{entry.alignment(), entry.tensor_layout(), entry.external_tag()};
      const absl::Status status = state().Add(entry.key(), entry.data(), entry.absorbed_, options, changes);
      if (absl::IsAlreadyExists(status)) {
        conflicts.emplace_back(status.message());
      } else {
        failure.Update(status);
      }
    }
    PTE_RETURN_IF_ERROR(failure);
    if (!conflicts.empty()) return absl::AlreadyExistsError(absl::StrJoin(conflicts, "; "));
    changes.Commit();
    appended.Commit();
    return absl::OkStatus();
  });
}

}  // namespace pte
