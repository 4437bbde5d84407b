#include "tests/support/flat_image.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "tests/support/build_file.h"

namespace pte::test {
namespace {

// Stands for the first field that a table has beyond its schema.
constexpr std::string_view kUnknownField = "?";

[[noreturn]] void Nowhere(std::string_view path, std::string_view part) {
  throw std::invalid_argument("no such field: " + std::string(path) + " at " + std::string(part));
}

flatbuffers::voffset_t SlotOf(size_t index) { return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(index)); }

// Cuts the next part off a path: a name, or an index with its brackets.
std::string_view TakePart(std::string_view& rest) {
  if (rest.front() == '.') rest.remove_prefix(1);
  const size_t end = rest.front() == '[' ? rest.find(']') + 1 : std::min(rest.find_first_of(".["), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end);
  return part;
}

}  // namespace

FieldType FieldTypeOf(const flatbuffers::TypeTable& type, size_t index) {
  const flatbuffers::TypeCode code = type.type_codes[index];
  return {static_cast<flatbuffers::ElementaryType>(code.base_type), code.is_repeating != 0,
          code.sequence_ref >= 0 ? type.type_refs[code.sequence_ref]() : nullptr};
}

const flatbuffers::TypeTable* MemberOf(const flatbuffers::TypeTable& union_type, uint8_t number) {
  const int64_t index = flatbuffers::LookupEnum(number, union_type.values, union_type.num_elems);
  if (index <= 0 || index >= static_cast<int64_t>(union_type.num_elems)) return nullptr;
  return FieldTypeOf(union_type, static_cast<size_t>(index)).ref;
}

size_t FlatImage::VtableAt(std::string_view path) const {
  return static_cast<size_t>(reinterpret_cast<const char*>(TableAt(At(path))->GetVTable()) - bytes.data());
}

void FlatImage::Set(std::string_view path, uint64_t value) {
  const Node node = Find(path);
  if (node.missing) Nowhere(path, "its table, which does not hold it");
  const size_t size = node.type.IsOffset() ? sizeof(flatbuffers::uoffset_t) : node.type.ElementSize();
  for (size_t i = 0; i < size; ++i) bytes.at(node.stored + i) = static_cast<char>(value >> (8 * i) & 0xff);
}

FlatImage::Node FlatImage::Find(std::string_view path) const {
  Node node{0, Peek32(bytes, 0), {flatbuffers::ET_SEQUENCE, false, root_}, 0, false};
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view part = TakePart(rest);
    if (node.missing) Nowhere(path, part);
    if (part.front() != '[') {
      node = Field(node, part, path);
      continue;
    }
    size_t index = 0;
    std::from_chars(part.data() + 1, part.data() + part.size(), index);
    node = Element(node, index, path);
  }
  return node;
}

const flatbuffers::TypeTable* FlatImage::TableTypeOf(const Node& node) const {
  if (!node.type.IsSequence() || node.type.is_vector) return nullptr;
  return node.type.IsUnion() ? MemberOf(*node.type.ref, node.union_number) : node.type.ref;
}

FlatImage::Node FlatImage::Field(const Node& owner, std::string_view name, std::string_view path) const {
  const flatbuffers::TypeTable* type = TableTypeOf(owner);
  if (type == nullptr) Nowhere(path, name);
  const flatbuffers::Table* table = TableAt(owner.target);
  size_t index = 0;
  while (index < type->num_elems && type->names[index] != name) ++index;
  const bool unknown = index == type->num_elems;
  if (unknown && name != kUnknownField) Nowhere(path, name);
  const uint8_t* address = table->GetAddressOf(SlotOf(index));
  if (address == nullptr) return {owner.target, owner.target, {}, 0, true};
  Node node{
      static_cast<size_t>(reinterpret_cast<const char*>(address) - bytes.data()), 0, {flatbuffers::ET_UINT, false, nullptr}, 0, false};
  if (!unknown) node.type = FieldTypeOf(*type, index);
  node.target = node.type.IsOffset() ? node.stored + Peek32(bytes, node.stored) : node.stored;
  // A union's type is the field before it.
  if (!unknown && node.type.IsUnion()) node.union_number = table->GetField<uint8_t>(SlotOf(index - 1), 0);
  return node;
}

FlatImage::Node FlatImage::Element(const Node& owner, size_t index, std::string_view path) const {
  const bool is_string = owner.type.type == flatbuffers::ET_STRING && !owner.type.is_vector;
  if (!is_string && !owner.type.is_vector) Nowhere(path, "an index");
  Node node = owner;
  node.type.is_vector = false;
  if (is_string) node.type = {flatbuffers::ET_UCHAR, false, nullptr};
  node.stored = owner.target + sizeof(flatbuffers::uoffset_t) + index * node.type.ElementSize();
  if (index >= Peek32(bytes, owner.target)) Nowhere(path, "an index");
  node.target = node.type.IsOffset() ? node.stored + Peek32(bytes, node.stored) : node.stored;
  return node;
}

}  // namespace pte::test
