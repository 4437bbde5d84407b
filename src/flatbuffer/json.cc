#include "src/flatbuffer/json.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "pte/schema.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/flatbuffer/schema_walk.h"
#include "src/flatbuffer/visit_budget.h"

namespace pte {
namespace {

bool IsSegmentRow(const flatbuffers::TypeTable& type) {
  return &type == fb::DataSegment::MiniReflectTypeTable() || &type == fb::flat_tensor::DataSegment::MiniReflectTypeTable();
}

// The one byte vector that is a list of numbers rather than data.
bool IsNumberList(const FieldView& field) { return field.name == "dim_order"; }

class Walker {
 public:
  Walker(std::span<const std::byte> buffer, const JsonOptions& options, JsonWriter& out)
      : base_(reinterpret_cast<const uint8_t*>(buffer.data())),
        options_(options),
        out_(out),
        budget_(options.max_visited, "written out in full") {}

  absl::Status Table(const uint8_t* address, const flatbuffers::TypeTable& type, size_t index) {
    PTE_RETURN_IF_ERROR(budget_.Spend(sizeof(flatbuffers::soffset_t)));
    out_.BeginObject();
    absl::Status status;
    ForEachField(*AsTable(address), type, [&](const FieldView& field) {
      status = Field(field, type);
      return status.ok() && out_.ok();
    });
    PTE_RETURN_IF_ERROR(status);
    if (options_.digest && IsSegmentRow(type) && index < options_.segments.size()) {
      PTE_RETURN_IF_ERROR(WriteDigests(options_.segments[index].file_offset, options_.segments[index].size));
    }
    out_.EndObject();
    return absl::OkStatus();
  }

 private:
  absl::Status WriteDigests(uint64_t file_offset, uint64_t size) {
    PTE_ASSIGN_OR_RETURN(const PayloadDigests digests, options_.digest(file_offset, size));
    out_.Key("xxh3_64");
    out_.String(digests.xxh3_64);
    out_.Key("sha256");
    out_.String(digests.sha256);
    return absl::OkStatus();
  }

  absl::Status Field(const FieldView& field, const flatbuffers::TypeTable& owner) {
    PTE_RETURN_IF_ERROR(budget_.Spend(field.ElementSize()));
    if (!field.IsOffset()) {
      out_.Key(field.name);
      Scalar(field, field.address);
      return absl::OkStatus();
    }
    const uint8_t* target = Target(field.address);
    if (field.IsUnion()) {
      const flatbuffers::TypeTable* member = UnionMember(*field.ref, field.union_type);
      if (member == nullptr) return absl::OkStatus();  // an unknown type was not verified; its number is shown by the type field
      out_.Key(field.name);
      return Table(target, *member, 0);
    }
    out_.Key(field.name);
    if (field.is_vector) return Vector(field, owner, target);
    if (field.type == flatbuffers::ET_STRING) return String(target);
    return Table(target, *field.ref, 0);
  }

  absl::Status String(const uint8_t* target) {
    const auto& text = *reinterpret_cast<const flatbuffers::String*>(target);
    PTE_RETURN_IF_ERROR(budget_.Spend(text.size()));
    out_.String({text.c_str(), text.size()});
    return absl::OkStatus();
  }

  absl::Status Vector(const FieldView& field, const flatbuffers::TypeTable& owner, const uint8_t* target) {
    if (field.IsTable()) return Tables(field, target);
    const auto& items = *reinterpret_cast<const flatbuffers::Vector<uint8_t>*>(target);
    if (field.type == flatbuffers::ET_UCHAR && !IsNumberList(field)) return ByteVector(owner, items);
    PTE_RETURN_IF_ERROR(budget_.Spend(uint64_t{items.size()} * field.ElementSize()));
    out_.BeginFlatArray();
    for (flatbuffers::uoffset_t i = 0; i < items.size() && out_.ok(); ++i) Scalar(field, items.Data() + size_t{i} * field.ElementSize());
    out_.EndArray();
    return absl::OkStatus();
  }

  absl::Status Tables(const FieldView& field, const uint8_t* target) {
    const TableVector& tables = AsTables(target);
    out_.BeginArray();
    for (flatbuffers::uoffset_t i = 0; i < tables.size() && out_.ok(); ++i) {
      PTE_RETURN_IF_ERROR(Table(reinterpret_cast<const uint8_t*>(tables.Get(i)), *field.ref, i));
    }
    out_.EndArray();
    return absl::OkStatus();
  }

  absl::Status ByteVector(const flatbuffers::TypeTable& owner, const flatbuffers::Vector<uint8_t>& bytes) {
    const uint64_t file_offset = options_.file_offset + static_cast<uint64_t>(bytes.Data() - base_);
    out_.BeginObject();
    out_.Key("offset");
    out_.Unsigned(file_offset);
    out_.Key("size");
    out_.Unsigned(bytes.size());
    if (&owner == fb::CompileSpec::MiniReflectTypeTable()) {
      PTE_RETURN_IF_ERROR(budget_.Spend(bytes.size()));
      out_.Key("base64");
      out_.Base64({reinterpret_cast<const char*>(bytes.Data()), bytes.size()});
    }
    if (options_.digest) PTE_RETURN_IF_ERROR(WriteDigests(file_offset, bytes.size()));
    out_.EndObject();
    return absl::OkStatus();
  }

  // The name that the schema has for an enum's or union type's number.
  bool Named(const FieldView& field, int64_t value) {
    const char* name = field.ref == nullptr ? nullptr : flatbuffers::EnumName(value, field.ref);
    if (name == nullptr) return false;
    out_.String(name);
    return true;
  }

  template <class Number>
  static Number Read(const uint8_t* address) {
    return flatbuffers::ReadScalar<Number>(address);
  }

  void Scalar(const FieldView& field, const uint8_t* at) {
    switch (field.type) {
      case flatbuffers::ET_UTYPE: return Named(field, *at) ? void() : out_.Unsigned(*at);
      case flatbuffers::ET_BOOL: return *at <= 1 ? out_.Bool(*at != 0) : out_.Unsigned(*at);
      case flatbuffers::ET_CHAR: return Named(field, Read<int8_t>(at)) ? void() : out_.Signed(Read<int8_t>(at));
      case flatbuffers::ET_UCHAR: return out_.Unsigned(*at);
      case flatbuffers::ET_SHORT: return out_.Signed(Read<int16_t>(at));
      case flatbuffers::ET_USHORT: return out_.Unsigned(Read<uint16_t>(at));
      case flatbuffers::ET_INT: return out_.Signed(Read<int32_t>(at));
      case flatbuffers::ET_UINT: return out_.Unsigned(Read<uint32_t>(at));
      case flatbuffers::ET_LONG: return out_.Signed(Read<int64_t>(at));
      case flatbuffers::ET_ULONG: return out_.Unsigned(Read<uint64_t>(at));
      case flatbuffers::ET_FLOAT: return out_.Double(static_cast<double>(Read<float>(at)));
      case flatbuffers::ET_DOUBLE: return out_.Double(Read<double>(at));
      default: return;
    }
  }

  const uint8_t* base_;
  const JsonOptions& options_;
  JsonWriter& out_;
  VisitBudget budget_;
};

}  // namespace

absl::Status WriteFlatbufferJson(std::span<const std::byte> buffer, const flatbuffers::TypeTable& root, const JsonOptions& options,
                                 JsonWriter& out) {
  return Walker(buffer, options, out).Table(flatbuffers::GetRoot<uint8_t>(buffer.data()), root, 0);
}

}  // namespace pte
