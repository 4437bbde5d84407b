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

}  // namespace

const Rope& NamedDataEntry::data() const { return payload_->data; }

std::optional<TensorLayout> NamedDataEntry::tensor_layout() const {
  if (!layout_) return std::nullopt;
  return TensorLayout{layout_->scalar_type, layout_->sizes, layout_->dim_order};
}

NamedDataStore::NamedDataStore() : state_(std::make_unique<State>()) {}
NamedDataStore::NamedDataStore(const NamedDataStore& other) : state_(std::make_unique<State>(*other.state_)) {}
NamedDataStore::NamedDataStore(NamedDataStore&& other) noexcept : NamedDataStore() { std::swap(state_, other.state_); }
NamedDataStore& NamedDataStore::operator=(NamedDataStore other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
NamedDataStore::~NamedDataStore() = default;

const std::list<NamedDataEntry>& NamedDataStore::entries() const { return state_->entries; }

const NamedDataEntry* NamedDataStore::Find(std::string_view key) const {
  const auto found = state_->by_key.find(key);
  return found == state_->by_key.end() ? nullptr : &*found->second;
}

absl::Status NamedDataStore::Add(std::string_view key, Rope data, const NamedDataOptions& options) {
  return WithoutThrowing([&]() -> absl::Status {
    if (options.tensor_layout) PTE_RETURN_IF_ERROR(WithKey(CheckTensorLayout(*options.tensor_layout, data.size()), key));
    const auto found = state_->by_key.find(key);
    if (found != state_->by_key.end()) return state_->AddAgain(*found->second, data, options);
    PTE_ASSIGN_OR_RETURN(auto payload, state_->PayloadOf(std::move(data)));
    PTE_RETURN_IF_ERROR(state_->CheckRequest(*payload, options.external_tag, key, options.alignment));
    NamedDataEntry entry;
    entry.key_ = key;
    entry.payload_ = std::move(payload);
    entry.alignment_ = options.alignment;
    entry.SetLayout(options.tensor_layout);
    entry.external_tag_ = options.external_tag;
    state_->Append(std::move(entry));
    return absl::OkStatus();
  });
}

void NamedDataEntry::SetLayout(const std::optional<TensorLayout>& layout) {
  layout_.reset();
  if (!layout) return;
  layout_ = Layout{layout->scalar_type, {layout->sizes.begin(), layout->sizes.end()}, {layout->dim_order.begin(), layout->dim_order.end()}};
}

absl::Status NamedDataStore::State::AddAgain(NamedDataEntry& entry, const Rope& data, const NamedDataOptions& options) {
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
  const uint64_t joined = std::lcm(entry.alignment_, options.alignment);
  PTE_RETURN_IF_ERROR(CheckRequest(*entry.payload_, entry.external_tag_, entry.key_, joined, entry.alignment_));
  Change(entry, [&] { entry.alignment_ = joined; });
  return absl::OkStatus();
}

absl::Status NamedDataStore::Remove(std::string_view key) {
  return WithoutThrowing([&]() -> absl::Status {
    PTE_ASSIGN_OR_RETURN(const auto entry, state_->Require(key));
    state_->Erase(entry);
    return absl::OkStatus();
  });
}

absl::Status NamedDataStore::Replace(std::string_view key, Rope data) {
  return WithoutThrowing([&]() -> absl::Status {
    PTE_ASSIGN_OR_RETURN(const auto entry, state_->Require(key));
    if (entry->layout_) PTE_RETURN_IF_ERROR(WithKey(CheckTensorLayout(*entry->tensor_layout(), data.size()), key));
    PTE_ASSIGN_OR_RETURN(auto payload, state_->PayloadOf(std::move(data)));
    if (payload == entry->payload_) return absl::OkStatus();
    PTE_RETURN_IF_ERROR(state_->CheckRequest(*payload, entry->external_tag_, key, entry->alignment_));
    state_->Change(*entry, [&] { entry->payload_ = std::move(payload); });
    return absl::OkStatus();
  });
}

absl::Status NamedDataStore::Rename(std::string_view from, std::string_view to) {
  return WithoutThrowing([&]() -> absl::Status {
    PTE_ASSIGN_OR_RETURN(const auto entry, state_->Require(from));
    if (from == to) return absl::OkStatus();
    if (state_->by_key.contains(to)) return absl::AlreadyExistsError(absl::StrCat("named data: \"", ToAbsl(to), "\" is there already"));
    std::string key(to);
    state_->by_key.erase(entry->key_);
    entry->key_ = std::move(key);
    state_->by_key.emplace(entry->key_, entry);
    return absl::OkStatus();
  });
}

absl::Status NamedDataStore::Merge(const NamedDataStore& other) {
  return WithoutThrowing([&]() -> absl::Status {
    std::vector<std::string> added;
    std::vector<std::pair<NamedDataEntry*, uint64_t>> joined;  // with the alignments that they had
    std::vector<std::string> conflicts;
    absl::Status failure;
    for (const NamedDataEntry& entry : other.entries()) {
      auto* mine = const_cast<NamedDataEntry*>(Find(entry.key()));
      const uint64_t before = mine == nullptr ? 0 : mine->alignment_;
      const absl::Status status = Add(entry.key(), entry.data(), {entry.alignment(), entry.tensor_layout(), entry.external_tag()});
      if (status.ok() && mine == nullptr) added.push_back(entry.key());
      if (status.ok() && mine != nullptr) joined.emplace_back(mine, before);
      if (absl::IsAlreadyExists(status)) conflicts.emplace_back(status.message());
      if (!status.ok() && !absl::IsAlreadyExists(status)) failure.Update(status);
    }
    if (failure.ok() && conflicts.empty()) return absl::OkStatus();
    for (const std::string& key : added) state_->Erase(state_->by_key.find(key)->second);
    for (const auto& [entry, alignment] : joined) state_->Change(*entry, [&, to = alignment, at = entry] { at->alignment_ = to; });
    if (!failure.ok()) return failure;
    return absl::AlreadyExistsError(absl::StrJoin(conflicts, "; "));
  });
}

}  // namespace pte
