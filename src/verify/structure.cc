#include "src/verify/structure.h"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "src/base/fault.h"
#include "src/flatbuffer/json_writer.h"
#include "src/flatbuffer/schema_walk.h"
#include "src/flatbuffer/visit_budget.h"
#include "src/format/wire.h"
#include "src/verify/coverage.h"
#include "src/verify/type_plan.h"

namespace pte {
namespace {

using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

// Goes over every table once a visit, with a budget for what aliasing can repeat.
class Walk {
 public:
  Walk(Judge& judge, const StructureRules& rules, bool has_frame, ByteRange hole)
      : judge_(judge),
        rules_(rules),
        has_frame_(has_frame),
        base_(reinterpret_cast<const uint8_t*>(judge.container().flatbuffer.data())),
        size_(judge.container().flatbuffer.size()),
        coverage_(size_),
        budget_(judge.container().options.limits.MaxUnpackedBytes(size_), "read out in full") {
    coverage_.Add(hole.offset, hole.offset + hole.size);
  }

  bool Run(const flatbuffers::TypeTable& root) {
    const ContainerHeader& header = judge_.container().header;
    slot_end_ = header.has_extended_header ? wire::kExtendedHeaderOffset + uint64_t{header.header_length} : wire::kPlainHeadSize;
    known_slot_end_ = std::min(slot_end_, wire::kExtendedHeaderOffset + uint64_t{KnownLength(header)});
    coverage_.Add(0, std::min(slot_end_, size_));
    const uint8_t* table = base_ + header.root_offset;
    if (!Spend(sizeof(uoffset_t))) return false;
    Table(table, plans_.Of(root));
    ReportSharing();
    if (is_sound_ && !has_unknown_) JudgeGaps();
    return is_sound_;
  }

 private:
  static uint32_t KnownLength(const ContainerHeader& header) {
    if (!header.has_extended_header) return 0;
    return std::min(header.header_length, header.kind == ContainerKind::kPtd ? wire::kPtdHeaderLength : wire::kPteHeaderLength);
  }

  uint64_t At(const uint8_t* address) const { return static_cast<uint64_t>(address - base_); }

  bool Spend(uint64_t bytes) { return is_sound_ && (budget_.TrySpend(bytes) || Exhaust(bytes)); }

  [[gnu::cold]] bool Exhaust(uint64_t bytes) {
    const Fault fault = *FaultOf(budget_.Spend(bytes));
    judge_.Error(fault.rule, {std::nullopt}, fault.what, fault.expected, fault.actual);
    return is_sound_ = false;
  }

  // Something of `size` bytes stands at `address`.
  void Mark(const uint8_t* address, uint64_t size) {
    const uint64_t begin = At(address);
    if (begin < slot_end_) ReportInHeader(begin);
    coverage_.Add(begin, begin + size);
  }

  [[gnu::cold]] void ReportInHeader(uint64_t begin) {
    const Spot spot{begin};
    if (begin >= known_slot_end_) {
      if (std::exchange(is_header_too_long_, true)) return;
      judge_.Warn("H7", {wire::kHeaderLengthOffset, "header.length"}, "the extended header runs into the flatbuffer's first object",
                  absl::StrCat("at most ", begin - wire::kExtendedHeaderOffset), absl::StrCat(judge_.container().header.header_length));
      return;
    }
    judge_.Error("H25", spot, "a part of the flatbuffer lies in the bytes of the head", absl::StrCat("at least ", Number(known_slot_end_)),
                 Number(begin));
    is_sound_ = false;
  }

  // What a vtable says of the tables that share it, worked out once for them all: the fields that must be looked at, with their offsets
  // from the table. Scalars inside the table's size need no look.
  struct Shape {
    struct Present {
      const FieldPlan* field;
      size_t offset;  // 0 for a union's value that is absent
    };

    const uint8_t* vtable = nullptr;
    const TypePlan* type = nullptr;
    size_t vtable_size = 0;
    size_t inline_size = 0;
    std::vector<Present> fields;

    void Read(const uint8_t* of, const TypePlan& plan) {
      vtable = of;
      type = &plan;
      vtable_size = flatbuffers::ReadScalar<voffset_t>(vtable);
      // One that is shorter than its two sizes verifies, as that of a table without fields, even where the buffer ends behind the first.
      const bool has_sizes = vtable_size >= 2 * sizeof(voffset_t);
      inline_size = has_sizes ? flatbuffers::ReadScalar<voffset_t>(vtable + sizeof(voffset_t)) : 0;
      fields.clear();
      for (const FieldPlan& field : plan.fields) {
        const size_t offset = OffsetOf(field.slot);
        const bool is_plain = field.kind == FieldPlan::Kind::kScalar && offset + field.size <= inline_size;
        if (field.kind == FieldPlan::Kind::kUnion || (offset != 0 && !is_plain)) fields.push_back({&field, offset});
      }
    }
    // From the table; 0 where it does not hold the field.
    size_t OffsetOf(voffset_t slot) const {
      return size_t{slot} + sizeof(voffset_t) <= vtable_size ? flatbuffers::ReadScalar<voffset_t>(vtable + slot) : 0;
    }
  };

  // A walk goes deeper before it comes back to a shape, so that each depth has its own.
  const Shape& ShapeOfTable(const uint8_t* address, const TypePlan& type) {
    if (depth_ >= shapes_.size()) shapes_.resize(depth_ + 1);
    const uint8_t* vtable = AsTable(address)->GetVTable();
    Shapes& known = shapes_[depth_];
    for (Shape& shape : known) {
      if (shape.vtable == vtable && shape.type == &type) return shape;
    }
    Shape& shape = known[next_shape_++ % known.size()];
    shape.Read(vtable, type);
    Mark(vtable, std::max(shape.vtable_size, 2 * sizeof(voffset_t)));
    return shape;
  }

  [[gnu::cold]] void ReportUnknownFields(const uint8_t* address, const Shape& shape, size_t known) {
    for (size_t i = known; size_t{flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(i))} < shape.vtable_size; ++i) {
      const auto slot = flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(i));
      const size_t offset = shape.OffsetOf(slot);
      if (offset == 0) continue;
      has_unknown_ = true;
      // Nothing has verified where it is said to be.
      const uint64_t field = At(address) + offset;
      judge_.Inform("F10", {field < size_ ? field : At(shape.vtable + slot)}, "a field that this version does not know",
                    absl::StrCat("fields below ", known), absl::StrCat("field ", i));
    }
  }

  void Table(const uint8_t* address, const TypePlan& type) {
    const Shape& shape = ShapeOfTable(address, type);
    if (!Visit(address) || !Spend(shape.vtable_size + shape.inline_size)) return;
    Mark(address, std::max(shape.inline_size, sizeof(uoffset_t)));
    ++depth_;
    for (const Shape::Present& present : shape.fields) {
      if (!is_sound_) break;
      if (present.field->kind == FieldPlan::Kind::kUnion) {
        Union(address, shape, *present.field);
      } else {
        Field(address + present.offset, present.offset, shape, *present.field);
      }
    }
    --depth_;
    const size_t known = flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(type.field_count));
    if (is_sound_ && shape.vtable_size > known) ReportUnknownFields(address, shape, type.field_count);
  }

  // Some writers share vtables between tables of different sizes, so that a table's size is not to be trusted.
  void MarkField(const uint8_t* address, size_t offset, size_t size, const Shape& shape) {
    if (offset + size > shape.inline_size) Mark(address, size);
  }

  void Field(const uint8_t* address, size_t offset, const Shape& shape, const FieldPlan& field) {
    if (field.kind == FieldPlan::Kind::kScalar) return MarkField(address, offset, field.size, shape);
    MarkField(address, offset, sizeof(uoffset_t), shape);
    const uint8_t* target = Target(address);
    switch (field.kind) {
      case FieldPlan::Kind::kString: return String(field, target);
      case FieldPlan::Kind::kScalars: return Scalars(field, target);
      case FieldPlan::Kind::kTables: return Tables(field, target);
      default: break;
    }
    const FieldPath::Part part(judge_.path(), field.name);
    Table(target, *field.table);
  }

  [[gnu::cold]] void ReportUnion(const uint8_t* address, const FieldPlan& field, size_t type_offset, size_t offset, bool is_known) {
    if (is_known) {
      judge_.Error(rules_.union_type, {At(address), field.name}, "the union has a type, but no value", "a value", "nothing");
      return;
    }
    has_unknown_ = has_unknown_ || offset != 0;
    const uint8_t type = type_offset == 0 ? uint8_t{0} : address[type_offset];
    judge_.Error(rules_.union_type, {At(address + type_offset), field.type_name}, "no such type of value",
                 absl::StrCat("from 1 to ", field.members.size() - 1), absl::StrCat(int{type}));
  }

  // A type without value, and a value without a type that is known.
  void Union(const uint8_t* address, const Shape& shape, const FieldPlan& field) {
    const size_t type_offset = shape.OffsetOf(field.type_slot);
    const size_t offset = shape.OffsetOf(field.slot);
    const uint8_t type = type_offset == 0 ? uint8_t{0} : address[type_offset];
    if (type_offset != 0) MarkField(address + type_offset, type_offset, 1, shape);
    const TypePlan* member = type < field.members.size() ? field.members[type] : nullptr;
    if (member == nullptr || offset == 0) {
      ReportUnion(address, field, type_offset, offset, member != nullptr);
    } else {
      MarkField(address + offset, offset, sizeof(uoffset_t), shape);
      const FieldPath::Part part(judge_.path(), field.name);
      Table(Target(address + offset), *member);
    }
  }

  // Whether the object is to be gone over: it always is, but an object met before is remembered as shared.
  bool Visit(const uint8_t* address) {
    if (coverage_.Has(At(address)) && !has_shared_) RememberShared(address);
    return is_sound_;
  }

  [[gnu::cold]] void RememberShared(const uint8_t* address) {
    has_shared_ = true;
    first_shared_ = {At(address), judge_.path().Text()};
  }

  void ReportSharing() {
    if (!has_shared_ || !is_sound_) return;
    judge_.Inform("F9", {first_shared_.first}, "what two fields lead to, as others may", "an object of its own",
                  absl::StrCat("the same for ", first_shared_.second));
  }

  // Writers keep equal texts once, which is no sharing to speak of.
  void String(const FieldPlan& field, const uint8_t* target) {
    const auto& string = *reinterpret_cast<const flatbuffers::String*>(target);
    if (!Spend(string.size())) return;
    Mark(target, sizeof(uoffset_t) + uint64_t{string.size()} + 1);
    const std::string_view text(string.c_str(), string.size());
    const Spot spot{At(target), field.name};
    if (!IsUtf8(text)) {
      judge_.Add(field.is_name ? Severity::kError : Severity::kWarning, "F7", spot, "the text is not UTF-8", "UTF-8", ShowBytes(text));
    }
    if (field.is_name && text.find('\0') != std::string_view::npos) {
      const std::string_view rule = field.name == "key" ? rules_.key_text : "F8";
      judge_.Error(rule, spot, "a NUL inside a name, which C code takes for its end", "no NUL",
                   absl::StrCat("\"", absl::CHexEscape(ToAbsl(text.substr(0, kShown))), "\""));
    }
  }

  // The flatbuffers verifier checks that vectors lie inside the buffer, but not that wide elements are aligned.
  [[gnu::cold]] void ReportMisaligned(const FieldPlan& field, const uint8_t* target) {
    judge_.Error("F2", {At(target), field.name}, "the vector's elements are misaligned", "a multiple of 8",
                 Number(At(target) + sizeof(uoffset_t)));
    is_sound_ = false;
  }

  void Scalars(const FieldPlan& field, const uint8_t* target) {
    const auto& bytes = *reinterpret_cast<const flatbuffers::Vector<uint8_t>*>(target);
    const uint64_t size = uint64_t{bytes.size()} * field.size;
    if (!Spend(field.is_payload ? size / kPayloadBytesPerStep : size)) return;
    // Empty ones stand at any multiple of 4 in files of exporters: there is no element to be misaligned.
    if (field.size == sizeof(uint64_t) && size != 0 && At(bytes.Data()) % sizeof(uint64_t) != 0) return ReportMisaligned(field, target);
    Visit(target);
    Mark(target, sizeof(uoffset_t) + size);
    if (field.is_payload) most_padding_ = std::max(most_padding_, std::gcd(At(bytes.Data()), kLargestAlignment));
  }

  [[gnu::cold]] void ReportNull(const uint8_t* stored) {
    has_null_ = true;
    judge_.Error("F5", {At(stored)}, "an element that is no table", "an offset from 1", "0");
  }

  void Tables(const FieldPlan& field, const uint8_t* target) {
    const TableVector& tables = AsTables(target);
    const uint64_t size = uint64_t{tables.size()} * sizeof(uoffset_t);
    if (!Spend(size)) return;
    Visit(target);
    Mark(target, sizeof(uoffset_t) + size);
    const FieldPath::Part list(judge_.path(), field.name);
    for (uoffset_t i = 0; i < tables.size() && is_sound_; ++i) {
      const FieldPath::Part element(judge_.path(), size_t{i});
      const uint8_t* stored = tables.Data() + size_t{i} * sizeof(uoffset_t);
      if (flatbuffers::ReadScalar<uoffset_t>(stored) == 0) {
        ReportNull(stored);
        continue;
      }
      Table(Target(stored), *field.table);
    }
    if (has_null_) is_sound_ = false;
  }

  // Bytes that nothing refers to. Zeros that an alignment explains are padding.
  void JudgeGaps() {
    uint64_t first = 0;
    uint64_t bytes = 0;
    coverage_.ForEachGap([&](uint64_t begin, uint64_t end) {
      const bool zeros = std::all_of(base_ + begin, base_ + end, [](uint8_t byte) { return byte == 0; });
      if (begin - slot_end_ <= 1) {
        AfterHead(begin, end, zeros);
      } else if (end == size_ && (!has_frame_ || !judge_.container().header.has_extended_header)) {
        Trailing(begin, zeros);
      } else if (!zeros || end - begin > most_padding_) {
        if (bytes == 0) first = begin;
        bytes += end - begin;
      }
    });
    if (bytes == 0) return;
    judge_.Warn("F11", {first}, "bytes of the flatbuffer that nothing refers to, from here on", "none",
                absl::StrCat(Number(bytes), " bytes"));
  }

  // Between the head and the first object. Almost a header's magic has been noted with the head.
  void AfterHead(uint64_t begin, uint64_t end, bool zeros) {
    const ContainerHeader& header = judge_.container().header;
    const bool is_header = !header.has_extended_header && begin == wire::kPlainHeadSize && end - begin >= wire::kPteShortHeaderLength;
    if (zeros || is_header) return;
    const uint8_t* at = std::find_if(base_ + begin, base_ + end, [](uint8_t byte) { return byte != 0; });
    judge_.Warn(rules_.padding, {At(at), "header"}, "padding after the head that is not zero", "0", Hex(*at));
  }

  // Without a header, or with a wrong one, nothing says where the flatbuffer ends.
  void Trailing(uint64_t begin, bool zeros) {
    if (!has_frame_ || (zeros && size_ - begin <= most_padding_) || judge_.container().header.kind != ContainerKind::kPte) return;
    judge_.Inform("H20", {begin, "file size"}, "bytes follow the flatbuffer's last object", Number(begin), Number(size_));
  }

  static constexpr size_t kShown = 64;
  static constexpr uint64_t kPayloadBytesPerStep = 128;  // payloads are not read, but marked
  static constexpr uint64_t kUsualPadding = 16;
  static constexpr uint64_t kLargestAlignment = uint64_t{1} << 20;

  Judge& judge_;
  const StructureRules& rules_;
  bool has_frame_;
  const uint8_t* base_;
  uint64_t size_;
  Coverage coverage_;
  TypePlans plans_;
  VisitBudget budget_;
  uint64_t slot_end_ = 0;
  uint64_t known_slot_end_ = 0;
  uint64_t most_padding_ = kUsualPadding;  // less than the largest alignment of anything in the flatbuffer
  using Shapes = std::array<Shape, 4>;
  std::deque<Shapes> shapes_;  // by depth; a deque, since the outer ones are in use
  size_t depth_ = 0;
  size_t next_shape_ = 0;
  std::pair<uint64_t, std::string> first_shared_;
  bool has_shared_ = false;
  bool has_unknown_ = false;
  bool has_null_ = false;
  bool is_header_too_long_ = false;
  bool is_sound_ = true;
};

}  // namespace

bool JudgeStructure(Judge& judge, const flatbuffers::TypeTable& root, const StructureRules& rules, bool has_frame, ByteRange hole) {
  return Walk(judge, rules, has_frame, hole).Run(root);
}

}  // namespace pte
