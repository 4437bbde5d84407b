#include "src/flatbuffer/verify.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/checked.h"
#include "src/base/fault.h"
#include "src/flatbuffer/field_path.h"
#include "src/flatbuffer/schema_walk.h"

namespace pte {
namespace {

const uint8_t* Data(std::span<const std::byte> buffer) { return reinterpret_cast<const uint8_t*>(buffer.data()); }

std::string AtMost(uint64_t value) { return absl::StrCat("at most ", Number(value)); }

// Repeats the verifier's checks one by one, along the schema, to see which one fails.
class DamageFinder {
 public:
  DamageFinder(std::span<const std::byte> buffer, const Limits& limits, uint64_t unread)
      : base_(Data(buffer)), size_(buffer.size()), verifier_(base_, size_, limits.max_depth, limits.MaxTables(size_ - unread)) {}

  std::optional<Damage> Find(const flatbuffers::TypeTable& root) {
    const size_t offset = verifier_.VerifyOffset(0);  // uoffset_t before flatbuffers 23
    if (offset == 0) {
      return Damage{0,
                    path_.Text(),
                    "its offset leads outside the buffer",
                    AtMost(size_ - 1),
                    Number(flatbuffers::ReadScalar<flatbuffers::uoffset_t>(base_)),
                    false};
    }
    if (Table(base_ + offset, root)) return std::nullopt;
    return damage_;
  }

 private:
  size_t At(const uint8_t* address) const { return static_cast<size_t>(address - base_); }

  bool Fail(const uint8_t* address, std::string_view what, std::string expected, std::string actual) {
    damage_ = {At(address), path_.Text(), std::string(what), std::move(expected), std::move(actual), false};
    return false;
  }

  // `address` is inside the buffer; whatever should begin there is not aligned.
  bool FailAligned(const uint8_t* address, size_t alignment) {
    Fail(address, "is misaligned", absl::StrCat("a multiple of ", alignment), Number(At(address)));
    damage_.misaligned = true;
    return false;
  }

  bool Table(const uint8_t* address, const flatbuffers::TypeTable& type) {
    if (!verifier_.VerifyTableStart(address)) return FailTable(address);
    const bool ok = ForEachField(*AsTable(address), type, [&](const FieldView& field) {
      const FieldPath::Part part(path_, field.name);
      return Field(*AsTable(address), field);
    });
    return verifier_.EndTable() && ok;
  }

  bool FailTable(const uint8_t* address) {
    constexpr size_t kAlignment = sizeof(flatbuffers::soffset_t);
    if (At(address) % kAlignment != 0) return FailAligned(address, kAlignment);
    if (!RangeInside(At(address), kAlignment, size_)) {
      return Fail(address, "the table is cut by the end of the buffer", AtMost(size_ - kAlignment), Number(At(address)));
    }
    const int64_t vtable = static_cast<int64_t>(At(address)) - flatbuffers::ReadScalar<flatbuffers::soffset_t>(address);
    return Fail(address, "the table's vtable is odd, or lies outside the buffer",
                absl::StrCat("even, and inside ", Number(size_), " bytes"), absl::StrCat("at ", vtable));
  }

  // A field of a known size. Where its vtable entry leads outside, that entry is at fault.
  bool Scalar(const flatbuffers::Table& table, const FieldView& field) {
    const size_t size = field.ElementSize();
    bool ok = false;
    switch (size) {
      case 1: ok = table.VerifyField<uint8_t>(verifier_, field.slot, 1); break;
      case 2: ok = table.VerifyField<uint16_t>(verifier_, field.slot, sizeof(uint16_t)); break;
      case 4: ok = table.VerifyField<uint32_t>(verifier_, field.slot, sizeof(uint32_t)); break;
      default: ok = table.VerifyField<uint64_t>(verifier_, field.slot, sizeof(uint64_t)); break;
    }
    return ok || FailField(table, field, size);
  }

  bool FailField(const flatbuffers::Table& table, const FieldView& field, size_t size) {
    if (RangeInside(At(field.address), size, size_)) return FailAligned(field.address, size);
    return Fail(table.GetVTable() + field.slot, "the field lies outside the buffer", AtMost(size_ - size), Number(At(field.address)));
  }

  bool Field(const flatbuffers::Table& table, const FieldView& field) {
    if (!field.IsOffset()) return Scalar(table, field);
    if (!table.VerifyOffset(verifier_, field.slot)) return FailOffset(table, field);
    const uint8_t* target = Target(field.address);
    if (field.is_vector) return Vector(field, target);
    if (field.type == flatbuffers::ET_STRING) return String(target);
    if (field.IsTable()) return Table(target, *field.ref);
    const flatbuffers::TypeTable* member = UnionMember(*field.ref, field.union_type);
    return member == nullptr || Table(target, *member);
  }

  bool FailOffset(const flatbuffers::Table& table, const FieldView& field) {
    constexpr size_t kSize = sizeof(flatbuffers::uoffset_t);
    const bool readable = RangeInside(At(field.address), kSize, size_) && At(field.address) % kSize == 0;
    return readable ? FailTarget(field.address) : FailField(table, field, kSize);
  }

  // A stored offset that can be read, but leads nowhere.
  bool FailTarget(const uint8_t* stored_offset) {
    const uint64_t offset = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(stored_offset);
    return Fail(stored_offset, "the offset leads outside the buffer", absl::StrCat("from 1 to ", Number(size_ - At(stored_offset) - 1)),
                Number(offset));
  }

  bool String(const uint8_t* target) {
    return verifier_.VerifyString(reinterpret_cast<const flatbuffers::String*>(target)) || FailVector(target, 1, 1);
  }

  // `extra` bytes belong to it after its elements: a string's terminator.
  bool FailVector(const uint8_t* target, size_t element, size_t extra) {
    constexpr size_t kLength = sizeof(flatbuffers::uoffset_t);
    if (At(target) % kLength != 0) return FailAligned(target, kLength);
    if (!RangeInside(At(target), kLength, size_)) {
      return Fail(target, "the length is cut by the end of the buffer", AtMost(size_ - kLength), Number(At(target)));
    }
    const uint64_t room = size_ - At(target) - kLength;
    const uint64_t bytes = uint64_t{flatbuffers::ReadScalar<flatbuffers::uoffset_t>(target)} * element + extra;
    if (bytes > room) return Fail(target, "ends outside the buffer", absl::StrCat(AtMost(room), " bytes"), Number(bytes));
    return Fail(target, "the string has no terminator", "0", "another byte");
  }

  bool Vector(const FieldView& field, const uint8_t* target) {
    if (!verifier_.VerifyVectorOrString(target, field.ElementSize())) return FailVector(target, field.ElementSize(), 0);
    if (!field.IsTable()) return true;
    const auto& elements = AsTables(target);
    for (flatbuffers::uoffset_t i = 0; i < elements.size(); ++i) {
      const FieldPath::Part part(path_, size_t{i});
      // The generated verifier takes an offset of 0 for a table without fields at that place; so does reading.
      const uint8_t* stored = elements.Data() + size_t{i} * sizeof(flatbuffers::uoffset_t);
      const bool is_null = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(stored) == 0;
      if (!is_null && verifier_.VerifyOffset(At(stored)) == 0) return FailTarget(stored);
      if (!Table(Target(stored), *field.ref)) return false;
    }
    return true;
  }

  const uint8_t* base_;
  size_t size_;
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

std::optional<Damage> FindDamage(std::span<const std::byte> buffer, const flatbuffers::TypeTable& root, const Limits& limits,
                                 uint64_t unread) {
  return DamageFinder(buffer, limits, unread).Find(root);
}

absl::Status VerifyFlatbuffer(std::span<const std::byte> buffer, const RootSchema& schema, const Limits& limits, uint64_t unread) {
  const uint64_t size = buffer.size() - unread;
  flatbuffers::Verifier verifier(Data(buffer), buffer.size(), limits.max_depth, limits.MaxTables(size));
  if (schema.verify(verifier)) return absl::OkStatus();
  if (!verifier.VerifyComplexity()) return LimitStatus(schema, limits, size);
  const Damage damage = FindDamage(buffer, *schema.type, limits, unread)
                            .value_or(Damage{0, "root", "the flatbuffer does not verify", "a flatbuffer of this schema", "another", false});
  const bool use_alignment_rule = damage.misaligned && schema.damage_rule == "F1";
  return FaultStatus(absl::StatusCode::kDataLoss, {use_alignment_rule ? "F2" : std::string(schema.damage_rule), damage.offset, damage.path,
                                                   damage.what, damage.expected, damage.actual});
}

}  // namespace pte
