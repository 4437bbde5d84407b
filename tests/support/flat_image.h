// A finished container whose fields are found by path, along flatbuffers' own type tables: "execution_plan[0].values[4].val.sizes[1]".
// A union's type is the field with "_type" behind its name; the root is "".
#ifndef PTE_TESTS_SUPPORT_FLAT_IMAGE_H_
#define PTE_TESTS_SUPPORT_FLAT_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"

namespace pte::test {

// What the schema says about field `index` of a table or union.
struct FieldType {
  flatbuffers::ElementaryType type = flatbuffers::ET_SEQUENCE;
  bool is_vector = false;
  const flatbuffers::TypeTable* ref = nullptr;  // of tables, unions and enums

  bool IsOffset() const { return is_vector || type == flatbuffers::ET_STRING || IsSequence(); }
  bool IsSequence() const { return type == flatbuffers::ET_SEQUENCE; }
  bool IsUnion() const { return IsSequence() && ref->st == flatbuffers::ST_UNION; }
  size_t ElementSize() const { return flatbuffers::InlineSize(type, ref); }
};
FieldType FieldTypeOf(const flatbuffers::TypeTable& type, size_t index);

// The type table of a union's member; nullptr for NONE and for numbers that the schema does not know.
const flatbuffers::TypeTable* MemberOf(const flatbuffers::TypeTable& union_type, uint8_t number);

class FlatImage {
 public:
  FlatImage(std::string file, const flatbuffers::TypeTable& root) : bytes(std::move(file)), root_(&root) {}

  // Where what a path names begins: a scalar, a table, the length of a vector or string, an element. Of a field that its table does not
  // hold, that table. std::invalid_argument where the path leads nowhere.
  size_t At(std::string_view path) const { return Find(path).target; }
  // Where the offset to it stands; for a scalar the same as At.
  size_t StoredAt(std::string_view path) const { return Find(path).stored; }
  // Where the vtable of a table begins.
  size_t VtableAt(std::string_view path) const;

  // Overwrites a stored scalar or the offset of a field with as many low bytes of `value` as it has.
  void Set(std::string_view path, uint64_t value);

  std::string bytes;

 private:
  struct Node {
    size_t stored = 0;
    size_t target = 0;
    FieldType type = {};
    uint8_t union_number = 0;
    bool missing = false;
  };
  Node Find(std::string_view path) const;
  Node Field(const Node& owner, std::string_view name, std::string_view path) const;
  Node Element(const Node& owner, size_t index, std::string_view path) const;
  const flatbuffers::TypeTable* TableTypeOf(const Node& node) const;
  const flatbuffers::Table* TableAt(size_t at) const { return reinterpret_cast<const flatbuffers::Table*>(bytes.data() + at); }

  const flatbuffers::TypeTable* root_;
};

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_FLAT_IMAGE_H_
