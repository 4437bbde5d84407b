#include "tests/support/flat_copy.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pte/schema.h"
#include "tests/support/build_file.h"
#include "tests/support/flat_image.h"

namespace pte::test {
namespace {

using flatbuffers::Offset;
using flatbuffers::Table;
using flatbuffers::TypeTable;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;
using TableVector = flatbuffers::Vector<Offset<Table>>;

// What exporters leave out when it is empty. Everything else they write with length 0.
bool IsAbsentWhenEmpty(const TypeTable& owner, std::string_view name) {
  static const std::pair<const TypeTable*, std::string_view> kFields[] = {
      {fb::Program::MiniReflectTypeTable(), "mutable_data_segments"},
      {fb::Program::MiniReflectTypeTable(), "named_data"},
      {fb::ExecutionPlan::MiniReflectTypeTable(), "non_const_buffer_device"},
      {fb::Chain::MiniReflectTypeTable(), "stacktrace"},
      {fb::ExtraTensorInfo::MiniReflectTypeTable(), "fully_qualified_name"}};
  return std::find(std::begin(kFields), std::end(kFields), std::pair(&owner, name)) != std::end(kFields);
}

// The schema's force_align, which type tables do not carry.
size_t ForcedAlignment(std::string_view name) { return name == "program" ? 32 : name == "data" || name == "storage" ? 16 : 1; }

class Copier {
 public:
  explicit Copier(const FlatChanges& changes) : changes_(changes) {
    builder_.ForceDefaults(true);
    builder_.DedupVtables(false);
  }

  std::string Run(const std::string& flatbuffer, const TypeTable& root) {
    const auto* table = flatbuffers::GetRoot<Table>(flatbuffer.data());
    builder_.Finish(CopyTable(*table, root, ""), flatbuffer.substr(4, flatbuffers::kFileIdentifierLength).c_str());
    return {reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize()};
  }

 private:
  struct Field {
    voffset_t slot = 0;
    FieldType type;
    const uint8_t* address = nullptr;
    uoffset_t copied = 0;  // where the object behind an offset was written
  };

  // The value of every scalar that is not stored.
  alignas(uint64_t) static constexpr uint8_t kDefault[sizeof(uint64_t)] = {};

  static const uint8_t* TargetOf(const uint8_t* stored) { return stored + flatbuffers::ReadScalar<uoffset_t>(stored); }

  Offset<Table> CopyTable(const Table& table, const TypeTable& type, const std::string& path) {
    std::vector<Field> fields;
    for (size_t i = 0; i < type.num_elems; ++i) AddField(table, type, i, path, fields);
    const uoffset_t start = builder_.StartTable();
    for (const Field& field : fields) Store(field);
    if (changes_.extended.count(path) != 0) {
      builder_.AddElement<uint32_t>(flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(type.num_elems)), 7, 0);
    }
    return {builder_.EndTable(start)};
  }

  void AddField(const Table& table, const TypeTable& type, size_t i, const std::string& path, std::vector<Field>& fields) {
    const std::string name = path.empty() ? type.names[i] : path + "." + type.names[i];
    Field field{flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(i)), FieldTypeOf(type, i), nullptr, 0};
    field.address = table.GetAddressOf(field.slot);
    if (field.address == nullptr && !field.type.IsOffset()) field.address = kDefault;
    if (field.address == nullptr || changes_.absent.count(name) != 0) return;
    if (field.type.IsOffset()) {
      const uint8_t number = field.type.IsUnion() ? table.GetField<uint8_t>(static_cast<voffset_t>(field.slot - 2), 0) : uint8_t{0};
      const bool has_length = !field.type.IsSequence() || field.type.is_vector;
      const bool is_empty = has_length && flatbuffers::ReadScalar<uoffset_t>(TargetOf(field.address)) == 0;
      const bool is_kept = changes_.cleared.count(name) != 0 || changes_.items.count(name) != 0;
      if (is_empty && !is_kept && IsAbsentWhenEmpty(type, type.names[i])) return;
      field.copied = CopyObject(field.type, number, TargetOf(field.address), name, type.names[i]);
    }
    fields.push_back(field);
  }

  uoffset_t CopyObject(const FieldType& type, uint8_t number, const uint8_t* target, const std::string& path, std::string_view name) {
    if (type.is_vector) return type.IsSequence() ? CopyTables(*type.ref, target, path) : CopyScalars(type, target, path, name);
    if (type.type == flatbuffers::ET_STRING) {
      if (changes_.cleared.count(path) != 0) return builder_.CreateString("").o;
      const auto& text = *reinterpret_cast<const flatbuffers::String*>(target);
      return builder_.CreateString(text.c_str(), text.size()).o;
    }
    const TypeTable* table = type.IsUnion() ? MemberOf(*type.ref, number) : type.ref;
    if (table == nullptr) throw std::invalid_argument("a union of an unknown type: " + path);
    return CopyTable(*reinterpret_cast<const Table*>(target), *table, path).o;
  }

  uoffset_t CopyTables(const TypeTable& type, const uint8_t* target, const std::string& path) {
    std::vector<Offset<Table>> copied;
    const auto& tables = *reinterpret_cast<const TableVector*>(target);
    const uoffset_t count = changes_.cleared.count(path) != 0 ? 0 : tables.size();
    for (uoffset_t i = 0; i < count; ++i) {
      const std::string element = path + "[" + std::to_string(i) + "]";
      // No builder writes an offset of 0; what is written last stands in for it until the buffer is finished.
      const bool is_null = changes_.null.count(element) != 0;
      copied.push_back(is_null ? Offset<Table>(builder_.GetSize()) : CopyTable(*tables.Get(i), type, element));
    }
    return builder_.CreateVector(copied).o;
  }

  template <class Element>
  uoffset_t CopyElements(std::vector<Element> elements, const std::string& path, size_t alignment) {
    if (changes_.cleared.count(path) != 0) elements.clear();
    if (const auto found = changes_.items.find(path); found != changes_.items.end()) {
      elements.clear();
      for (const uint64_t value : found->second) elements.push_back(static_cast<Element>(value));
    }
    builder_.ForceVectorAlignment(elements.size(), sizeof(Element), std::max(alignment, sizeof(Element)));
    return builder_.CreateVector(elements.data(), elements.size()).o;
  }

  template <class Element>
  static std::vector<Element> ElementsAt(const uint8_t* target) {
    const auto& vector = *reinterpret_cast<const flatbuffers::Vector<Element>*>(target);
    return {vector.begin(), vector.end()};
  }

  uoffset_t CopyScalars(const FieldType& type, const uint8_t* target, const std::string& path, std::string_view name) {
    switch (type.ElementSize()) {
      case 1: return CopyElements(ElementsAt<uint8_t>(target), path, ForcedAlignment(name));
      case 4: return CopyElements(ElementsAt<uint32_t>(target), path, 1);
      default: return CopyElements(ElementsAt<uint64_t>(target), path, 1);
    }
  }

  void Store(const Field& field) {
    if (field.type.IsOffset()) {
      builder_.AddOffset(field.slot, Offset<void>(field.copied));
      return;
    }
    switch (field.type.ElementSize()) {
      case 1: builder_.AddElement<uint8_t>(field.slot, *field.address, 0); break;
      case 4: builder_.AddElement(field.slot, flatbuffers::ReadScalar<uint32_t>(field.address), 0U); break;
      default: builder_.AddElement(field.slot, flatbuffers::ReadScalar<uint64_t>(field.address), uint64_t{0}); break;
    }
  }

  const FlatChanges& changes_;
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace

std::string CopyFlatbuffer(const std::string& flatbuffer, const TypeTable& root, const FlatChanges& changes) {
  FlatImage image(Copier(changes).Run(flatbuffer, root), root);
  for (const std::string& element : changes.null) image.Set(element, 0);
  return std::move(image.bytes);
}

}  // namespace pte::test
