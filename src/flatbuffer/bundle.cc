#include "src/flatbuffer/bundle.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "pte/schema.h"
#include "src/base/checked.h"
#include "src/base/fault.h"
#include "src/base/little_endian.h"
#include "src/base/status_macros.h"
#include "src/base/text.h"
#include "src/flatbuffer/field_path.h"
#include "src/flatbuffer/schema_walk.h"

namespace pte {
namespace {

absl::Status NoProgram(uint64_t offset, std::string_view what, std::string_view actual) {
  return FaultStatus(absl::StatusCode::kDataLoss, {"B3", offset, "program", std::string(what), "a .pte", std::string(actual)});
}

// Reads `N` bytes at an offset that the file gave.
template <size_t N>
absl::StatusOr<std::array<std::byte, N>> Read(const ByteSource& source, uint64_t offset, uint64_t named_at, std::string_view what) {
  if (!RangeInside(offset, N, source.size())) {
    return FaultStatus(absl::StatusCode::kDataLoss,
                       {"B2", named_at, "program", absl::StrCat(ToAbsl(what), " lies outside the file"),
                        absl::StrCat("at most ", Number(source.size() - std::min<uint64_t>(N, source.size()))), Number(offset)});
  }
  std::array<std::byte, N> bytes;
  PTE_RETURN_IF_ERROR(source.ReadAt(offset, bytes));
  return bytes;
}

// Walks a verified flatbuffer and compares the extent of every object with one range.
class InsideFinder {
 public:
  InsideFinder(std::span<const std::byte> buffer, ByteRange range)
      : base_(reinterpret_cast<const uint8_t*>(buffer.data())), range_(range) {}

  absl::Status Check(const uint8_t* root, const flatbuffers::TypeTable& type) {
    if (Table(root, type)) return absl::OkStatus();
    return FaultStatus(absl::StatusCode::kDataLoss,
                       {"B2", at_, at_path_, "lies inside the bytes of the program",
                        absl::StrCat("outside ", Number(range_.offset), " + ", Number(range_.size)), Number(at_)});
  }

 private:
  bool Outside(const uint8_t* address, uint64_t size) {
    const auto begin = static_cast<uint64_t>(address - base_);
    if (begin >= range_.offset + range_.size || begin + size <= range_.offset) return true;
    at_ = begin;
    at_path_ = path_.Text();
    return false;
  }

  bool Table(const uint8_t* address, const flatbuffers::TypeTable& type) {
    const uint8_t* vtable = AsTable(address)->GetVTable();
    if (!Outside(address, sizeof(flatbuffers::soffset_t)) || !Outside(vtable, sizeof(flatbuffers::voffset_t))) return false;
    if (!Outside(vtable, flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable))) return false;
    return ForEachField(*AsTable(address), type, [&](const FieldView& field) {
      const FieldPath::Part part(path_, field.name);
      return Field(field, type);
    });
  }

  bool Field(const FieldView& field, const flatbuffers::TypeTable& owner) {
    if (!Outside(field.address, field.IsOffset() ? sizeof(flatbuffers::uoffset_t) : field.ElementSize())) return false;
    const bool is_program = &owner == fb::BundledProgram::MiniReflectTypeTable() && field.slot == fb::BundledProgram::VT_PROGRAM;
    if (!field.IsOffset() || is_program) return true;
    const uint8_t* target = Target(field.address);
    if (field.is_vector || field.type == flatbuffers::ET_STRING) return Vector(field, target);
    const flatbuffers::TypeTable* member = field.IsTable() ? field.ref : UnionMember(*field.ref, field.union_type);
    return member == nullptr || Table(target, *member);
  }

  bool Vector(const FieldView& field, const uint8_t* target) {
    const auto& bytes = *reinterpret_cast<const flatbuffers::Vector<uint8_t>*>(target);
    const size_t element = field.type == flatbuffers::ET_STRING ? 1 : field.ElementSize();
    if (!Outside(target, sizeof(flatbuffers::uoffset_t)) || !Outside(bytes.Data(), uint64_t{bytes.size()} * element)) return false;
    if (!field.IsTable()) return true;
    const TableVector& tables = AsTables(target);
    for (flatbuffers::uoffset_t i = 0; i < tables.size(); ++i) {
      const FieldPath::Part part(path_, size_t{i});
      if (!Table(reinterpret_cast<const uint8_t*>(tables.Get(i)), *field.ref)) return false;
    }
    return true;
  }

  const uint8_t* base_;
  ByteRange range_;
  FieldPath path_;
  uint64_t at_ = 0;
  std::string at_path_;
};

}  // namespace

absl::StatusOr<ByteRange> FindBundledProgram(const ByteSource& source, const ContainerHeader& header) {
  constexpr flatbuffers::voffset_t kSlot = fb::BundledProgram::VT_PROGRAM;
  const uint64_t root = header.root_offset;
  PTE_ASSIGN_OR_RETURN(const auto to_vtable, (Read<sizeof(uint32_t)>(source, root, 0, "the root table")));
  // Signed and subtracted; modulo 2^64 the difference wraps to a value that the bounds refuse.
  const uint64_t vtable = root - static_cast<uint64_t>(int64_t{static_cast<int32_t>(LoadU32(to_vtable.data()))});
  PTE_ASSIGN_OR_RETURN(const auto entries, (Read<kSlot + sizeof(uint16_t)>(source, vtable, root, "the vtable of the root table")));
  const uint16_t vtable_size = LoadU16(entries.data());
  const uint16_t field_offset = vtable_size > kSlot ? LoadU16(entries.data() + kSlot) : uint16_t{0};
  if (field_offset == 0) return NoProgram(root, "the bundle holds no program", "nothing");
  const uint64_t field = root + field_offset;
  PTE_ASSIGN_OR_RETURN(const auto to_vector, (Read<sizeof(uint32_t)>(source, field, vtable + kSlot, "the field")));
  const uint64_t vector = field + LoadU32(to_vector.data());
  PTE_ASSIGN_OR_RETURN(const auto length, (Read<sizeof(uint32_t)>(source, vector, field, "the vector")));
  const ByteRange program{vector + sizeof(uint32_t), LoadU32(length.data())};
  if (program.size == 0) return NoProgram(vector, "the bundle's program is empty", "0 bytes");
  if (!RangeInside(program.offset, program.size, source.size())) {
    return FaultStatus(absl::StatusCode::kOutOfRange,
                       {"B2", vector, "program", "the program ends beyond the file",
                        absl::StrCat("at most ", Number(source.size() - program.offset), " bytes"), Number(program.size)});
  }
  return program;
}

absl::Status CheckNothingInside(std::span<const std::byte> buffer, ByteRange program) {
  const auto* root = flatbuffers::GetRoot<uint8_t>(buffer.data());
  return InsideFinder(buffer, program).Check(root, *fb::BundledProgram::MiniReflectTypeTable());
}

}  // namespace pte
