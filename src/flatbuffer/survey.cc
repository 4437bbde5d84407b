#include "src/flatbuffer/survey.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "pte/schema.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/flatbuffer/field_path.h"
#include "src/flatbuffer/schema_walk.h"
#include "src/flatbuffer/visit_budget.h"

namespace pte {
namespace {

bool IsPayload(const flatbuffers::TypeTable& owner) {
  return &owner == fb::Buffer::MiniReflectTypeTable() || &owner == fb::BackendDelegateInlineData::MiniReflectTypeTable();
}

class Surveyor {
 public:
  Surveyor(std::span<const std::byte> buffer, const SurveyOptions& options)
      : base_(reinterpret_cast<const uint8_t*>(buffer.data())), options_(options), budget_(options.max_visited, "unpacked") {}

  absl::Status Table(const uint8_t* address, const flatbuffers::TypeTable& type) {
    PTE_RETURN_IF_ERROR(budget_.Spend(sizeof(flatbuffers::soffset_t)));
    if (!options_.allow_unknown_fields) PTE_RETURN_IF_ERROR(CheckKnown(address, type));
    absl::Status status;
    ForEachField(*AsTable(address), type, [&](const FieldView& field) {
      status = Field(field, type);
      return status.ok();
    });
    return status;
  }

 private:
  uint64_t OffsetOf(const uint8_t* address) const { return options_.file_offset + static_cast<uint64_t>(address - base_); }

  absl::Status Unknown(std::string rule, const uint8_t* address, std::string what, std::string expected, std::string actual) const {
    return FaultStatus(absl::StatusCode::kUnimplemented,
                       {std::move(rule), OffsetOf(address), path_.Text(), std::move(what), std::move(expected), std::move(actual)});
  }

  absl::Status CheckKnown(const uint8_t* address, const flatbuffers::TypeTable& type) const {
    const flatbuffers::Table& table = *AsTable(address);
    const auto vtable_size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(table.GetVTable());
    for (size_t i = type.num_elems; flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(i)) < vtable_size; ++i) {
      const uint8_t* field = table.GetAddressOf(flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(i)));
      if (field == nullptr) continue;
      return Unknown("F10", field, "a field that this version does not know; rewriting the file would lose it",
                     absl::StrCat("fields below ", type.num_elems), absl::StrCat("field ", i));
    }
    return absl::OkStatus();
  }

  absl::Status Field(const FieldView& field, const flatbuffers::TypeTable& owner) {
    PTE_RETURN_IF_ERROR(budget_.Spend(field.ElementSize()));
    if (!field.IsOffset()) return absl::OkStatus();
    const FieldPath::Part part(path_, field.name);
    const uint8_t* target = Target(field.address);
    if (field.IsUnion()) return Union(field, target);
    if (field.is_vector) return Vector(field, owner, target);
    if (field.type == flatbuffers::ET_STRING) return budget_.Spend(reinterpret_cast<const flatbuffers::String*>(target)->size());
    return Table(target, *field.ref);
  }

  absl::Status Union(const FieldView& field, const uint8_t* target) {
    if (const flatbuffers::TypeTable* member = UnionMember(*field.ref, field.union_type)) return Table(target, *member);
    if (options_.allow_unknown_fields) return absl::OkStatus();
    return Unknown("F6", field.address, "a type that this version does not know; rewriting the file would lose it",
                   absl::StrCat("below ", field.ref->num_elems), absl::StrCat(static_cast<int>(field.union_type)));
  }

  absl::Status Vector(const FieldView& field, const flatbuffers::TypeTable& owner, const uint8_t* target) {
    if (!field.IsTable()) {
      if (IsPayload(owner)) return absl::OkStatus();
      const auto& items = *reinterpret_cast<const flatbuffers::Vector<uint8_t>*>(target);
      return budget_.Spend(uint64_t{items.size()} * field.ElementSize());
    }
    const TableVector& tables = AsTables(target);
    PTE_RETURN_IF_ERROR(budget_.Spend(uint64_t{tables.size()} * sizeof(void*)));
    for (flatbuffers::uoffset_t i = 0; i < tables.size(); ++i) {
      const FieldPath::Part part(path_, i);
      PTE_RETURN_IF_ERROR(Table(reinterpret_cast<const uint8_t*>(tables.Get(i)), *field.ref));
    }
    return absl::OkStatus();
  }

  const uint8_t* base_;
  const SurveyOptions& options_;
  VisitBudget budget_;
  FieldPath path_;
};

}  // namespace

absl::Status SurveyFlatbuffer(std::span<const std::byte> buffer, const flatbuffers::TypeTable& root, const SurveyOptions& options) {
  const auto* table = flatbuffers::GetRoot<uint8_t>(buffer.data());
  return Surveyor(buffer, options).Table(table, root);
}

}  // namespace pte
