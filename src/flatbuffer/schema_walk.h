// Going over a flatbuffer by its schema's type tables rather than by generated accessors: what naming a damaged table, looking for
// overlaps and writing JSON have in common. Addresses are resolved by flatbuffers' own classes; nothing here reads a raw offset.
#ifndef PTE_SRC_FLATBUFFER_SCHEMA_WALK_H_
#define PTE_SRC_FLATBUFFER_SCHEMA_WALK_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"

namespace pte {

// One field of a table that the schema knows and the buffer holds.
struct FieldView {
  flatbuffers::voffset_t slot = 0;  // its entry in the vtable
  std::string_view name;
  flatbuffers::ElementaryType type = flatbuffers::ET_BOOL;
  bool is_vector = false;
  const flatbuffers::TypeTable* ref = nullptr;  // of tables, unions and enums
  const uint8_t* address = nullptr;             // of the scalar or of the stored offset
  uint8_t union_type = 0;                       // of unions: the type field's value

  bool IsTable() const { return type == flatbuffers::ET_SEQUENCE && ref->st == flatbuffers::ST_TABLE; }
  bool IsUnion() const { return type == flatbuffers::ET_SEQUENCE && ref->st == flatbuffers::ST_UNION; }
  bool IsOffset() const { return is_vector || type == flatbuffers::ET_STRING || type == flatbuffers::ET_SEQUENCE; }
  size_t ElementSize() const { return flatbuffers::InlineSize(type, ref); }
};

inline const flatbuffers::Table* AsTable(const uint8_t* address) { return reinterpret_cast<const flatbuffers::Table*>(address); }

using TableVector = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;
inline const TableVector& AsTables(const uint8_t* address) { return *reinterpret_cast<const TableVector*>(address); }

// What the schema says of a field, without a table that holds it.
inline FieldView FieldViewOf(const flatbuffers::TypeTable& type, size_t index) {
  const flatbuffers::TypeCode code = type.type_codes[index];
  FieldView field;
  field.slot = flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(index));
  field.name = type.names[index];
  field.type = static_cast<flatbuffers::ElementaryType>(code.base_type);
  field.is_vector = code.is_repeating != 0;
  field.ref = code.sequence_ref >= 0 ? type.type_refs[code.sequence_ref]() : nullptr;
  return field;
}

// Calls visit(FieldView) -> bool for each field that `table` holds, in the order of the schema, until it returns false; returns whether all
// calls were true. The table's vtable must have been verified; for unions, also its one-byte fields.
template <class Visit>
bool ForEachField(const flatbuffers::Table& table, const flatbuffers::TypeTable& type, Visit visit) {
  uint8_t previous_byte = 0;
  for (size_t i = 0; i < type.num_elems; ++i) {
    FieldView field = FieldViewOf(type, i);
    field.address = table.GetAddressOf(field.slot);
    field.union_type = previous_byte;
    previous_byte = 0;
    if (field.address == nullptr) continue;
    if (!visit(field)) return false;
    if (field.type == flatbuffers::ET_UTYPE) previous_byte = *field.address;
  }
  return true;
}

// What a stored offset points to. The offset must have been verified.
inline const uint8_t* Target(const uint8_t* stored_offset) {
  return stored_offset + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(stored_offset);
}

// The type table of a union's member, or nullptr where the schema does not know the type (then nothing behind it was verified).
inline const flatbuffers::TypeTable* UnionMember(const flatbuffers::TypeTable& type, uint8_t value) {
  const int64_t index = flatbuffers::LookupEnum(value, type.values, type.num_elems);
  if (index <= 0 || index >= static_cast<int64_t>(type.num_elems)) return nullptr;
  const flatbuffers::TypeCode code = type.type_codes[index];
  return code.sequence_ref >= 0 ? type.type_refs[code.sequence_ref]() : nullptr;
}

}  // namespace pte

#endif  // PTE_SRC_FLATBUFFER_SCHEMA_WALK_H_
