#include "src/flatbuffer/verify.h"

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/flatbuffer/field_path.h"
#include "src/flatbuffer/schema_walk.h"

namespace pte {
namespace {

const uint8_t* Data(std::span<const std::byte> buffer) { return reinterpret_cast<const uint8_t*>(buffer.data()); }

// Repeats the verifier's checks one by one, along the schema, to see which one fails.
class DamageFinder {
 public:
  DamageFinder(std::span<const std::byte> buffer, const Limits& limits)
      : base_(Data(buffer)), verifier_(base_, buffer.size(), limits.max_depth, limits.MaxTables(buffer.size())) {}

  std::optional<Damage> Find(const flatbuffers::TypeTable& root) {
    const size_t offset = verifier_.VerifyOffset(0);  // uoffset_t before flatbuffers 23
    if (offset == 0) return Damage{0, path_.Text(), "its offset leads outside the buffer", false};
    if (Table(base_ + offset, root)) return std::nullopt;
    return damage_;
  }

 private:
  bool Fail(const uint8_t* address, size_t alignment, std::string_view what) {
    const auto offset = static_cast<size_t>(address - base_);
    damage_ = {offset, path_.Text(), std::string(what), offset % alignment != 0};
    return false;
  }

  bool Table(const uint8_t* address, const flatbuffers::TypeTable& type) {
    if (!verifier_.VerifyTableStart(address)) {
      return Fail(address, sizeof(flatbuffers::soffset_t), "the table or its vtable is misaligned or lies outside the buffer");
    }
    const bool ok = ForEachField(*AsTable(address), type, [&](const FieldView& field) {
      const FieldPath::Part part(path_, field.name);
      return Field(*AsTable(address), field);
    });
    return verifier_.EndTable() && ok;
  }

  bool Scalar(const flatbuffers::Table& table, const FieldView& field) {
    bool ok = false;
    switch (field.ElementSize()) {
      case 1: ok = table.VerifyField<uint8_t>(verifier_, field.slot, 1); break;
      case 2: ok = table.VerifyField<uint16_t>(verifier_, field.slot, sizeof(uint16_t)); break;
      case 4: ok = table.VerifyField<uint32_t>(verifier_, field.slot, sizeof(uint32_t)); break;
      default: ok = table.VerifyField<uint64_t>(verifier_, field.slot, sizeof(uint64_t)); break;
    }
    return ok || Fail(field.address, field.ElementSize(), "the field is misaligned or lies outside the buffer");
  }

  bool Field(const flatbuffers::Table& table, const FieldView& field) {
    if (!field.IsOffset()) return Scalar(table, field);
    if (!table.VerifyOffset(verifier_, field.slot)) {
      return Fail(field.address, sizeof(flatbuffers::uoffset_t), "the offset is misaligned or leads outside the buffer");
    }
    const uint8_t* target = Target(field.address);
    if (field.is_vector) return Vector(field, target);
    if (field.type == flatbuffers::ET_STRING) return String(target);
    if (field.IsTable()) return Table(target, *field.ref);
    const flatbuffers::TypeTable* member = UnionMember(*field.ref, field.union_type);
    return member == nullptr || Table(target, *member);
  }

  bool String(const uint8_t* target) {
    if (verifier_.VerifyString(reinterpret_cast<const flatbuffers::String*>(target))) return true;
    return Fail(target, sizeof(flatbuffers::uoffset_t), "the string is misaligned, ends outside the buffer or has no terminator");
  }

  bool Vector(const FieldView& field, const uint8_t* target) {
    if (!verifier_.VerifyVectorOrString(target, field.ElementSize())) {
      return Fail(target, sizeof(flatbuffers::uoffset_t), "the vector is misaligned or ends outside the buffer");
    }
    if (!field.IsTable()) return true;
    const auto& elements = AsTables(target);
    for (flatbuffers::uoffset_t i = 0; i < elements.size(); ++i) {
      const FieldPath::Part part(path_, size_t{i});
      if (!Table(reinterpret_cast<const uint8_t*>(elements.Get(i)), *field.ref)) return false;
    }
    return true;
  }

  const uint8_t* base_;
  flatbuffers::Verifier verifier_;
  FieldPath path_;
  Damage damage_;
};

absl::Status LimitStatus(const RootSchema& schema, const Limits& limits, uint64_t size) {
  return FaultStatus(absl::StatusCode::kResourceExhausted,
                     {std::string(schema.limit_rule), std::nullopt, "root",
                      "a limit of the verifier was reached, not damage found: more tables to visit, or deeper, than Limits allows",
                      absl::StrCat("at most ", limits.MaxTables(size), " visits and depth ", limits.max_depth), "more"});
}

}  // namespace

std::optional<Damage> FindDamage(std::span<const std::byte> buffer, const flatbuffers::TypeTable& root, const Limits& limits) {
  return DamageFinder(buffer, limits).Find(root);
}

absl::Status VerifyFlatbuffer(std::span<const std::byte> buffer, const RootSchema& schema, const Limits& limits) {
  flatbuffers::Verifier verifier(Data(buffer), buffer.size(), limits.max_depth, limits.MaxTables(buffer.size()));
  if (schema.verify(verifier)) return absl::OkStatus();
  if (!verifier.VerifyComplexity()) return LimitStatus(schema, limits, buffer.size());
  const Damage damage = FindDamage(buffer, *schema.type, limits).value_or(Damage{0, "root", "the flatbuffer does not verify", false});
  const bool use_alignment_rule = damage.misaligned && schema.damage_rule == "F1";
  return FaultStatus(absl::StatusCode::kDataLoss,
                     {use_alignment_rule ? "F2" : std::string(schema.damage_rule), damage.offset, damage.path, damage.what, "", ""});
}

}  // namespace pte
