#include "src/verify/structure.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "src/base/fault.h"
#include "src/base/utf8.h"
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
  Walk(Judge& judge, const StructureRules& rules, bool has_frame)
      : judge_(judge),
        rules_(rules),
        has_frame_(has_frame),
        base_(reinterpret_cast<const uint8_t*>(judge.container().flatbuffer.data())),
        size_(judge.container().flatbuffer.size()),
        coverage_(size_, judge.container().unread),
        budget_(judge.container().options.limits.MaxUnpackedBytes(judge.container().MetadataSize()), "read out in full") {}

  bool Run(const flatbuffers::TypeTable& root) {
    const ContainerHeader& header = judge_.container().header;
    slot_end_ = header.has_extended_header ? wire::kExtendedHeaderOffset + uint64_t{header.header_length} : wire::kPlainHeadSize;
    known_slot_end_ = std::min(slot_end_, wire::kExtendedHeaderOffset + uint64_t{KnownLength(header)});
    coverage_.Add(0, std::min(slot_end_, size_));
    const uint8_t* table = base_ + header.root_offset;
    if (!Spend(sizeof(uoffset_t))) return false;
    Table(table, plans_.Of(root), top_);
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

  bool Spend(uint64_t bytes) { return budget_.TrySpend(bytes) || Exhaust(bytes); }

  [[gnu::cold]] bool Exhaust(uint64_t bytes) {
    const Fault fault = *FaultOf(budget_.Spend(bytes));
    judge_.Error(fault.rule, {std::nullopt}, fault.what, fault.expected, fault.actual);
    return is_sound_ = false;
  }

  // Something of `size` bytes stands at `address`. Whether something had been there before: the head's bytes are, from the beginning.
  bool Mark(const uint8_t* address, uint64_t size) {
    const uint64_t begin = At(address);
    const bool is_new = !coverage_.Add(begin, begin + size);
    if (is_new) return false;
    if (begin < slot_end_) ReportInHeader(begin);
    return true;
  }

  // The same of an object that fields lead to, of which the first that has several is remembered.
  void MarkObject(const uint8_t* address, uint64_t size) {
    if (Mark(address, size) && !has_shared_) RememberShared(address);
  }

  [[gnu::cold]] void ReportInHeader(uint64_t begin) {
    if (!is_sound_) return;
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
      size_t offset;       // 0 for a union's value that is absent
      size_t type_offset;  // of unions
      bool is_beyond;      // some writers share vtables between tables of different sizes, so that a table's size is not to be trusted
    };

    const uint8_t* vtable = nullptr;
    const TypePlan* type = nullptr;
    size_t vtable_size = 0;
    size_t inline_size = 0;
    bool has_unknown = false;  // room for fields that the schema does not know
    std::vector<Present> fields;

    void Read(const uint8_t* of, const TypePlan& plan) {
      vtable = of;
      type = &plan;
      vtable_size = flatbuffers::ReadScalar<voffset_t>(vtable);
      // One that is shorter than its two sizes verifies, as that of a table without fields, even where the buffer ends behind the first.
      const bool has_sizes = vtable_size >= 2 * sizeof(voffset_t);
      inline_size = has_sizes ? flatbuffers::ReadScalar<voffset_t>(vtable + sizeof(voffset_t)) : 0;
      has_unknown = vtable_size > flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(plan.field_count));
      fields.clear();
      for (const FieldPlan& field : plan.fields) Add(field);
    }
    void Add(const FieldPlan& field) {
      const bool is_union = field.kind == FieldPlan::Kind::kUnion;
      const bool is_scalar = field.kind == FieldPlan::Kind::kScalar;
      const size_t offset = OffsetOf(field.slot);
      const bool is_beyond = offset + (is_scalar ? field.size : sizeof(uoffset_t)) > inline_size;
      if (is_union) {
        const size_t type_offset = OffsetOf(field.type_slot);
        fields.push_back({&field, offset, type_offset, is_beyond || type_offset + 1 > inline_size});
      } else if (offset != 0 && (is_beyond || !is_scalar)) {
        fields.push_back({&field, offset, 0, is_beyond});
      }
    }
    // From the table; 0 where it does not hold the field.
    size_t OffsetOf(voffset_t slot) const {
      return size_t{slot} + sizeof(voffset_t) <= vtable_size ? flatbuffers::ReadScalar<voffset_t>(vtable + slot) : 0;
    }
  };

  // The shapes last met at one depth. A walk goes deeper before it comes back to a shape, so that each depth has its own.
  struct Level {
    std::array<Shape, 4> shapes;
    size_t next = 0;
    std::unique_ptr<Level> below;

    Level& Below() { return below == nullptr ? Deepen() : *below; }
    [[gnu::cold]] Level& Deepen() { return *(below = std::make_unique<Level>()); }
  };

  const Shape& ShapeOfTable(const uint8_t* address, const TypePlan& type, Level& level) {
    const uint8_t* vtable = AsTable(address)->GetVTable();
    for (const Shape& shape : level.shapes) {
      if (shape.vtable == vtable && shape.type == &type) return shape;
    }
    Shape& shape = level.shapes[level.next++ % level.shapes.size()];
    shape.Read(vtable, type);
    Mark(vtable, std::max(shape.vtable_size, 2 * sizeof(voffset_t)));
    return shape;
  }

  [[gnu::cold]] void ReportUnknownFields(const uint8_t* address, const Shape& shape) {
    const size_t known = shape.type->field_count;
    for (size_t i = known; size_t{flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(i))} < shape.vtable_size; ++i) {
      const auto slot = flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(i));
      const size_t offset = shape.OffsetOf(slot);
      if (offset == 0) continue;
      has_unknown_ = true;
      if (judge_.Omits(Severity::kInfo)) continue;
      // Nothing has verified where it is said to be.
      const uint64_t field = At(address) + offset;
      judge_.Inform("F10", {field < size_ ? field : At(shape.vtable + slot)}, "a field that this version does not know",
                    absl::StrCat("fields below ", known), absl::StrCat("field ", i));
    }
  }

  void Table(const uint8_t* address, const TypePlan& type, Level& level) {
    const Shape& shape = ShapeOfTable(address, type, level);
    if (!Spend(shape.vtable_size + shape.inline_size)) return;
    MarkObject(address, std::max(shape.inline_size, sizeof(uoffset_t)));
    for (const Shape::Present& present : shape.fields) {
      if (!is_sound_) return;
      Field(address, present, level);
    }
    if (is_sound_ && shape.has_unknown) ReportUnknownFields(address, shape);
  }

  void Field(const uint8_t* table, const Shape::Present& present, Level& level) {
    const FieldPlan& field = *present.field;
    if (field.kind == FieldPlan::Kind::kUnion) return Union(table, present, level);
    const uint8_t* address = table + present.offset;
    if (present.is_beyond) Mark(address, field.kind == FieldPlan::Kind::kScalar ? field.size : sizeof(uoffset_t));
    switch (field.kind) {
      case FieldPlan::Kind::kString: return String(field, Target(address));
      case FieldPlan::Kind::kScalars: return Scalars(field, Target(address));
      case FieldPlan::Kind::kTables: return Tables(field, Target(address), level);
      case FieldPlan::Kind::kTable: break;
      default: return;
    }
    const FieldPath::Part part(judge_.path(), field.name);
    Table(Target(address), *field.table, level.Below());
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
  void Union(const uint8_t* address, const Shape::Present& present, Level& level) {
    const FieldPlan& field = *present.field;
    const uint8_t type = present.type_offset == 0 ? uint8_t{0} : address[present.type_offset];
    if (present.is_beyond) MarkUnion(address, present);
    const TypePlan* member = type < field.members.size() ? field.members[type] : nullptr;
    if (member == nullptr || present.offset == 0) {
      ReportUnion(address, field, present.type_offset, present.offset, member != nullptr);
    } else {
      const FieldPath::Part part(judge_.path(), field.name);
      Table(Target(address + present.offset), *member, level.Below());
    }
  }

  [[gnu::cold]] void MarkUnion(const uint8_t* address, const Shape::Present& present) {
    if (present.type_offset != 0) Mark(address + present.type_offset, 1);
    if (present.offset != 0) Mark(address + present.offset, sizeof(uoffset_t));
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
    if (!IsUtf8(text) && !judge_.Omits(field.is_name ? Severity::kError : Severity::kWarning)) {
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
    MarkObject(target, sizeof(uoffset_t) + size);
    if (field.is_payload) most_padding_ = std::max(most_padding_, std::gcd(At(bytes.Data()), kLargestAlignment));
  }

  [[gnu::cold]] void ReportNull(const uint8_t* stored) {
    has_null_ = true;
    judge_.Error("F5", {At(stored)}, "an element that is no table", "an offset from 1", "0");
  }

  void Tables(const FieldPlan& field, const uint8_t* target, Level& level) {
    const TableVector& tables = AsTables(target);
    const uint64_t size = uint64_t{tables.size()} * sizeof(uoffset_t);
    if (!Spend(size)) return;
    MarkObject(target, sizeof(uoffset_t) + size);
    const FieldPath::Part list(judge_.path(), field.name);
    FieldPath::Part element(judge_.path(), size_t{0});
    for (uoffset_t i = 0; i < tables.size() && is_sound_; ++i) {
      element.MoveTo(i);
      const uint8_t* stored = tables.Data() + size_t{i} * sizeof(uoffset_t);
      if (flatbuffers::ReadScalar<uoffset_t>(stored) == 0) {
        ReportNull(stored);
        continue;
      }
      Table(Target(stored), *field.table, level.Below());
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
    if (!has_frame_ || (zeros && size_ - begin <= most_padding_) || judge_.container().header.kind == ContainerKind::kPtd) return;
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
  Level top_;
  std::pair<uint64_t, std::string> first_shared_;
  bool has_shared_ = false;
  bool has_unknown_ = false;
  bool has_null_ = false;
  bool is_header_too_long_ = false;
  bool is_sound_ = true;
};

}  // namespace

bool JudgeStructure(Judge& judge, const flatbuffers::TypeTable& root, const StructureRules& rules, bool has_frame) {
  return Walk(judge, rules, has_frame).Run(root);
}

}  // namespace pte
