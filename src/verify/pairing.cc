#include "src/verify/pairing.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/base/fault.h"
#include "src/verify/named_keys.h"

namespace pte {
namespace {

using fb::flat_tensor::NamedData;
using fb::flat_tensor::TensorLayout;
using flatbuffers::uoffset_t;

struct Entry {
  std::string_view key;
  uint32_t file;
  uint32_t row;

  friend bool operator<(const Entry& a, const Entry& b) {
    if (a.key != b.key) return a.key < b.key;
    return a.file != b.file ? a.file < b.file : a.row < b.row;
  }
};

template <class Element>
std::string Show(const flatbuffers::Vector<Element>* list) {
  constexpr uoffset_t kShown = 16;  // as many as the runtime has dimensions
  if (list == nullptr) return "nothing";
  const auto shown = list->begin() + std::min(list->size(), kShown);
  return absl::StrCat("{", absl::StrJoin(list->begin(), shown, ", "), list->size() > kShown ? ", ...}" : "}");
}

template <class Element>
bool Same(const flatbuffers::Vector<Element>* a, const flatbuffers::Vector<Element>* b) {
  return std::equal(a->begin(), a->end(), b->begin(), b->end());
}

class Pairing {
 public:
  Pairing(Judge& judge, const ProgramFacts& facts, std::span<const DataFile> data) : judge_(judge), facts_(facts), data_(data) {
    for (uint32_t file = 0; file < data.size(); ++file) {
      is_complete_ = is_complete_ && data[file].root != nullptr;
      const auto* rows = data[file].root == nullptr ? nullptr : data[file].root->named_data();
      for (uoffset_t row = 0; row < CountOf(rows); ++row) {
        if (rows->Get(row)->key() != nullptr) entries_.push_back({TextOf(rows->Get(row)->key()), file, row});
      }
    }
    std::sort(entries_.begin(), entries_.end());
  }

  void Run() {
    OwnKeys();
    KeysOfSeveralFiles();
    for (const ProgramFacts::External& external : facts_.externals) Tensor(external);
  }

 private:
  const Entry* Find(std::string_view key) const {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), key, [](const Entry& a, std::string_view b) { return a.key < b; });
    return at != entries_.end() && at->key == key ? &*at : nullptr;
  }

  void OwnKeys() {
    const auto* rows = facts_.program.named_data();
    for (uoffset_t i = 0; i < CountOf(rows); ++i) {
      const fb::NamedData& row = *rows->Get(i);
      const Entry* entry = row.key() == nullptr ? nullptr : Find(TextOf(row.key()));
      if (entry == nullptr) continue;
      const std::string path = absl::StrCat("named_data[", i, "].key");
      judge_.Error("S25", {judge_.container().OffsetOf(row.key()), path},
                   absl::StrCat("data file ", entry->file, " has the same key, and wins"), "keys that differ", ShowKey(entry->key));
    }
  }

  // The same key twice in one file is that file's own finding.
  void KeysOfSeveralFiles() {
    for (size_t i = 1; i < entries_.size(); ++i) {
      const Entry& a = entries_[i - 1];
      const Entry& b = entries_[i];
      if (a.key != b.key || a.file == b.file) continue;
      const flatbuffers::String* key = data_[b.file].root->named_data()->Get(b.row)->key();
      const std::string path = absl::StrCat("named_data[", b.row, "].key");
      Judge& judge = *data_[b.file].judge;
      judge.Add(Severity::kError, "D13", {judge.container().OffsetOf(key->data()), path},
                absl::StrCat("data file ", a.file, " has the same key"), "keys that differ", ShowKey(b.key), RuntimeReaction::kRefuses);
    }
  }

  void Tensor(const ProgramFacts::External& external) {
    const flatbuffers::String* name = external.tensor->extra_tensor_info()->fully_qualified_name();
    if (TextOf(name).empty()) return;
    const std::string value = absl::StrCat("execution_plan[", external.plan, "].values[", external.value, "].val.");
    const std::string path = value + "extra_tensor_info.fully_qualified_name";
    const Spot spot{judge_.container().OffsetOf(name), path};
    const Entry* entry = Find(TextOf(name));
    if (entry == nullptr) {
      if (is_complete_) judge_.Error("T14", spot, "no data file has the tensor", "a key of one of them", ShowKey(TextOf(name)));
      return;
    }
    const NamedData& row = *data_[entry->file].root->named_data()->Get(entry->row);
    if (row.tensor_layout() == nullptr) {
      judge_.Add(Severity::kError, "T14", spot, "the data file holds no tensor by this name, but opaque bytes", "a tensor layout", "none",
                 RuntimeReaction::kCrashes);
      return;
    }
    Layout(*external.tensor, *row.tensor_layout(), value);
  }

  // That the tensor's bytes are there is the data file's own rule: where both have the same layout, its segment is as large.
  void Layout(const fb::Tensor& tensor, const TensorLayout& layout, const std::string& value) {
    if (tensor.sizes() == nullptr || tensor.dim_order() == nullptr || layout.sizes() == nullptr || layout.dim_order() == nullptr) return;
    const auto differ = [&](flatbuffers::voffset_t slot, std::string_view name, std::string_view what, std::string wanted,
                            std::string found) {
      const std::string path = absl::StrCat(value, ToAbsl(name));
      const Spot place = slot == fb::Tensor::VT_SCALAR_TYPE ? judge_.Field(tensor, slot, path) : judge_.Object(tensor, slot, path);
      judge_.Error("T14", place, absl::StrCat("the data file has the tensor with ", ToAbsl(what)), std::move(wanted), std::move(found));
    };
    if (tensor.scalar_type() != layout.scalar_type()) {
      differ(fb::Tensor::VT_SCALAR_TYPE, "scalar_type", "another element type", absl::StrCat(static_cast<int>(tensor.scalar_type())),
             absl::StrCat(static_cast<int>(layout.scalar_type())));
    } else if (!Same(tensor.sizes(), layout.sizes())) {
      differ(fb::Tensor::VT_SIZES, "sizes", "other sizes", Show(tensor.sizes()), Show(layout.sizes()));
    } else if (!Same(tensor.dim_order(), layout.dim_order())) {
      differ(fb::Tensor::VT_DIM_ORDER, "dim_order", "another dim order", Show(tensor.dim_order()), Show(layout.dim_order()));
    }
  }

  Judge& judge_;
  const ProgramFacts& facts_;
  std::span<const DataFile> data_;
  std::vector<Entry> entries_;
  bool is_complete_ = true;
};

}  // namespace

void JudgePairing(Judge& judge, const ProgramFacts& facts, std::span<const DataFile> data) { Pairing(judge, facts, data).Run(); }

}  // namespace pte
