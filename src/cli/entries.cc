#include "src/cli/entries.h"

#include <fnmatch.h>

#include <algorithm>
#include <bit>

#include "src/cli/parts.h"
#include "src/cli/shape.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

using flatbuffers::uoffset_t;

// Which tensor uses a constant, or an initial state, first.
struct TensorUses {
  std::vector<const fb::Tensor*> constants;
  std::vector<const fb::Tensor*> mutables;
};

void Use(const fb::Tensor& tensor, TensorUses& uses) {
  const fb::ExtraTensorInfo* extra = tensor.extra_tensor_info();
  if (extra != nullptr && extra->location() != fb::TensorDataLocation::SEGMENT) return;
  std::vector<const fb::Tensor*>& users = tensor.allocation_info() == nullptr ? uses.constants : uses.mutables;
  const uint32_t index = tensor.data_buffer_idx();
  if (index < users.size() && users[index] == nullptr) users[index] = &tensor;
}

TensorUses FindTensors(const PteFile& file) {
  TensorUses uses{std::vector<const fb::Tensor*>(file.constant_count()), std::vector<const fb::Tensor*>(file.mutable_data_count())};
  const auto* plans = file.program().execution_plan();
  for (uoffset_t p = 0; p < SizeOf(plans); ++p) {
    const auto* values = plans->Get(p)->values();
    for (uoffset_t v = 0; v < SizeOf(values); ++v) {
      const fb::Tensor* tensor = values->Get(v)->val_as_Tensor();
      if (tensor != nullptr) Use(*tensor, uses);
    }
  }
  return uses;
}

const fb::ExecutionPlan& PlanOf(const Container& container, const Entry& entry) {
  return *container.program->program().execution_plan()->Get(entry.method);
}

std::string_view BackendOf(const Container& container, const Entry& entry) {
  return ViewOf(PlanOf(container, entry).delegates()->Get(entry.index)->id());
}

class Lister {
 public:
  explicit Lister(const Container& container) : container_(container) {}

  absl::StatusOr<std::vector<Entry>> List() {
    if (container_.program) ListProgram(*container_.program);
    if (container_.data) ListNamed(*container_.data, container_.data->entries());
    if (container_.bundle) ListTests(*container_.bundle);
    if (container_.program) ListUnused(*container_.program);
    if (container_.data) ListUnused(*container_.data);
    const absl::Status charged = Charge();
    if (!charged.ok()) return charged;
    return std::move(entries_);
  }

 private:
  void Add(Entry entry, const absl::StatusOr<Payload>& payload) {
    if (!payload.ok()) return;
    entry.offset = payload->file_offset();
    entry.size = payload->size();
    entries_.push_back(entry);
  }

  static Entry Make(Role role, size_t index, std::optional<uint32_t> segment) {
    Entry entry;
    entry.role = role;
    entry.index = static_cast<uint32_t>(index);
    entry.segment = segment;
    return entry;
  }

  // Index 0 is the placeholder for "no data".
  void ListProgram(const PteFile& file) {
    const TensorUses uses = FindTensors(file);
    for (size_t i = 1; i < file.constant_count(); ++i) {
      Entry entry = Make(Role::kConstant, i, file.constant_segment());
      entry.tensor = uses.constants[i];
      Add(entry, file.Constant(i));
    }
    for (size_t i = 1; i < file.mutable_data_count(); ++i) {
      Entry entry = Make(Role::kMutable, i, file.mutable_data_segment());
      entry.tensor = uses.mutables[i];
      Add(entry, file.MutableData(i));
    }
    ListDelegates(file);
    ListNamed(file, file.named_data());
  }

  void ListDelegates(const PteFile& file) {
    const auto* plans = file.program().execution_plan();
    for (uoffset_t p = 0; p < SizeOf(plans); ++p) {
      const auto* delegates = plans->Get(p)->delegates();
      for (uoffset_t d = 0; d < SizeOf(delegates); ++d) {
        const fb::BackendDelegateDataReference* reference = delegates->Get(d)->processed();
        const bool in_segment = reference != nullptr && reference->location() == fb::DataLocation::SEGMENT;
        Entry entry = Make(Role::kDelegate, d, in_segment ? std::optional(reference->index()) : std::nullopt);
        entry.method = p;
        Add(entry, file.DelegatePayload(p, d));
      }
    }
  }

  template <class File, class NamedEntries>
  void ListNamed(const File& file, const NamedEntries& named) {
    for (size_t i = 0; i < named.size(); ++i) {
      Add(Make(Role::kNamed, i, named[i].segment_index), file.SegmentPayload(named[i].segment_index));
    }
  }

  template <class File>
  void ListUnused(const File& file) {
    const std::vector<bool> used = UsedSegments(file);
    for (const Segment& segment : file.segments()) {
      if (!used[segment.index]) Add(Make(Role::kUnused, segment.index, segment.index), file.SegmentPayload(segment.index));
    }
  }

  void ListTensors(Entry entry, const flatbuffers::Vector<flatbuffers::Offset<fb::bundled::Value>>* values) {
    for (uoffset_t i = 0; i < SizeOf(values); ++i) {
      entry.position = i;
      entry.test_tensor = values->Get(i)->val_as_Tensor();
      if (entry.test_tensor != nullptr) Add(entry, container_.bundle->TensorData(*entry.test_tensor));
    }
  }

  void ListTests(const BpteFile& bundle) {
    for (size_t s = 0; s < bundle.suites().size(); ++s) {
      const auto* cases = bundle.suites()[s].table->test_cases();
      for (uoffset_t c = 0; c < SizeOf(cases); ++c) {
        Entry entry = Make(Role::kTest, c, std::nullopt);
        entry.method = static_cast<uint32_t>(s);
        ListTensors(entry, cases->Get(c)->inputs());
        entry.is_output = true;
        ListTensors(entry, cases->Get(c)->expected_outputs());
      }
    }
  }

  absl::Status Charge() const {
    Budget budget(container_);
    for (const Entry& entry : entries_) {
      const std::optional<TensorLayout> layout = LayoutOfEntry(container_, entry);
      uint64_t shown = KeyOf(container_, entry).value_or("").size() + MethodOf(container_, entry).value_or("").size();
      if (entry.role == Role::kDelegate) shown += BackendOf(container_, entry).size();
      if (layout) shown += kNumberCost * NumbersShown(*layout);
      const absl::Status charged = budget.Charge(shown);
      if (!charged.ok()) return charged;
    }
    return absl::OkStatus();
  }

  const Container& container_;
  std::vector<Entry> entries_;
};

bool Matches(const std::string& pattern, std::string_view key) {
  std::string text(key);
  // A C string would end at the first NUL.
  std::replace(text.begin(), text.end(), '\0', '\x01');
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kConstant: return "constant";
    case Role::kMutable: return "mutable";
    case Role::kDelegate: return "delegate";
    case Role::kNamed: return "named";
    case Role::kTest: return "test";
    case Role::kUnused: break;
  }
  return "unused";
}

absl::StatusOr<std::vector<Entry>> ListEntries(const Container& container) { return Lister(container).List(); }

void KeepMatching(const Container& container, const std::string& pattern, std::vector<Entry>& entries) {
  std::erase_if(entries, [&](const Entry& entry) {
    const std::optional<std::string_view> key = KeyOf(container, entry);
    return !key || !Matches(pattern, *key);
  });
}

std::optional<std::string_view> KeyOf(const Container& container, const Entry& entry) {
  if (entry.role != Role::kNamed) return std::nullopt;
  return container.data ? container.data->entries()[entry.index].key : container.program->named_data()[entry.index].key;
}

std::optional<std::string_view> MethodOf(const Container& container, const Entry& entry) {
  if (entry.role == Role::kDelegate) return ViewOf(PlanOf(container, entry).name());
  if (entry.role == Role::kTest) return container.bundle->suites()[entry.method].method_name;
  return std::nullopt;
}

std::optional<TensorLayout> LayoutOfEntry(const Container& container, const Entry& entry) {
  if (entry.tensor != nullptr) return LayoutOf(*entry.tensor);
  if (entry.test_tensor != nullptr) return LayoutOf(*entry.test_tensor);
  if (entry.role == Role::kNamed && container.data) return container.data->entries()[entry.index].tensor_layout;
  return std::nullopt;
}

uint64_t AlignmentOf(const Entry& entry) {
  constexpr uint64_t kMost = 65536;
  if (entry.offset == 0) return kMost;
  return std::min(kMost, uint64_t{1} << std::countr_zero(entry.offset));
}

Json EntryJson(const Container& container, const Entry& entry) {
  Json json;
  json["role"] = RoleName(entry.role);
  const std::optional<std::string_view> key = KeyOf(container, entry);
  json["key"] = key ? Text(*key) : Json();
  const std::optional<std::string_view> method = MethodOf(container, entry);
  json["method"] = method ? Text(*method) : Json();
  json["index"] = entry.index;
  json["segment"] = NumberOrNull(entry.segment);
  json["offset"] = entry.offset;
  json["size"] = entry.size;
  json["alignment"] = AlignmentOf(entry);
  AddLayout(json, LayoutOfEntry(container, entry));
  return json;
}

std::string TitleOf(const Container& container, const Entry& entry) {
  const std::string number = std::to_string(entry.index);
  switch (entry.role) {
    case Role::kConstant: return "constant " + number;
    case Role::kMutable: return "mutable data " + number;
    case Role::kNamed: return Name(KeyOf(container, entry).value_or(""));
    case Role::kDelegate:
      return Name(MethodOf(container, entry).value_or("")) + " delegate " + number + " " + Name(BackendOf(container, entry));
    case Role::kTest:
      return Name(MethodOf(container, entry).value_or("")) + " case " + number + (entry.is_output ? " output " : " input ") +
             std::to_string(entry.position);
    case Role::kUnused: break;
  }
  return "segment " + number;
}

}  // namespace pte::cli
