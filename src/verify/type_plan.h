// The tables of a schema as a walk over millions of them needs it: everything looked up once a type rather than once a table.
#ifndef PTE_SRC_VERIFY_TYPE_PLAN_H_
#define PTE_SRC_VERIFY_TYPE_PLAN_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"

namespace pte {

struct TypePlan;

struct FieldPlan {
  enum class Kind : uint8_t { kScalar, kString, kScalars, kTable, kTables, kUnion };

  Kind kind = Kind::kScalar;
  flatbuffers::voffset_t slot = 0;
  uint32_t size = 0;  // of a scalar, or of an element
  std::string_view name;
  bool is_name = false;                  // texts that programs compare and look things up by
  bool is_payload = false;               // bytes that are handed to others, not read as part of the flatbuffer
  const TypePlan* table = nullptr;       // of kTable and kTables
  std::vector<const TypePlan*> members;  // of unions, by the type's number; nullptr is none
  flatbuffers::voffset_t type_slot = 0;  // of unions: where the type is
  std::string_view type_name;
};

struct TypePlan {
  std::vector<FieldPlan> fields;  // the types of unions apart, which go with their values
  size_t field_count = 0;         // in the schema
};

class TypePlans {
 public:
  // Valid as long as this object.
  const TypePlan& Of(const flatbuffers::TypeTable& type);

 private:
  FieldPlan FieldOf(const flatbuffers::TypeTable& type, size_t index);

  std::unordered_map<const flatbuffers::TypeTable*, std::unique_ptr<TypePlan>> plans_;
};

}  // namespace pte

#endif  // PTE_SRC_VERIFY_TYPE_PLAN_H_
