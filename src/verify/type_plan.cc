#include "src/verify/type_plan.h"

#include <algorithm>
#include <iterator>

#include "pte/schema.h"
#include "src/flatbuffer/schema_walk.h"

namespace pte {
namespace {

using flatbuffers::TypeTable;
using flatbuffers::voffset_t;

bool IsName(const TypeTable& owner, std::string_view field) {
  static constexpr std::string_view kNames[] = {"name", "overload", "key", "id", "fully_qualified_name", "method_name"};
  if (&owner == fb::Frame::MiniReflectTypeTable()) return false;
  return std::find(std::begin(kNames), std::end(kNames), field) != std::end(kNames);
}

bool IsPayload(const TypeTable& owner, std::string_view field) {
  return (&owner == fb::Buffer::MiniReflectTypeTable() && field == "storage") ||
         (&owner == fb::BackendDelegateInlineData::MiniReflectTypeTable() && field == "data") ||
         (&owner == fb::bundled::Tensor::MiniReflectTypeTable() && field == "data") ||
         (&owner == fb::bundled::BundledProgram::MiniReflectTypeTable() && field == "program");
}

FieldPlan::Kind KindOf(const FieldView& field) {
  if (field.IsUnion()) return FieldPlan::Kind::kUnion;
  if (field.is_vector) return field.IsTable() ? FieldPlan::Kind::kTables : FieldPlan::Kind::kScalars;
  if (field.type == flatbuffers::ET_STRING) return FieldPlan::Kind::kString;
  return field.IsTable() ? FieldPlan::Kind::kTable : FieldPlan::Kind::kScalar;
}

}  // namespace

const TypePlan& TypePlans::Of(const TypeTable& type) {
  std::unique_ptr<TypePlan>& plan = plans_[&type];
  if (plan != nullptr) return *plan;
  plan = std::make_unique<TypePlan>();
  TypePlan& made = *plan;  // types may lead back to this one
  made.field_count = type.num_elems;
  std::vector<FieldPlan> fields;
  for (size_t i = 0; i < type.num_elems; ++i) {
    if (type.type_codes[i].base_type != flatbuffers::ET_UTYPE) fields.push_back(FieldOf(type, i));
  }
  made.fields = std::move(fields);
  return made;
}

FieldPlan TypePlans::FieldOf(const TypeTable& type, size_t index) {
  const FieldView view = FieldViewOf(type, index);
  FieldPlan field;
  field.kind = KindOf(view);
  field.slot = view.slot;
  field.size = static_cast<uint32_t>(view.ElementSize());
  field.name = view.name;
  field.is_name = IsName(type, view.name);
  field.is_payload = IsPayload(type, view.name);
  if (view.IsTable()) field.table = &Of(*view.ref);
  if (!view.IsUnion()) return field;
  field.type_slot = flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(index - 1));
  field.type_name = type.names[index - 1];
  for (size_t value = 0; value < view.ref->num_elems; ++value) {
    const TypeTable* member = UnionMember(*view.ref, static_cast<uint8_t>(value));
    field.members.push_back(member == nullptr ? nullptr : &Of(*member));
  }
  return field;
}

}  // namespace pte
