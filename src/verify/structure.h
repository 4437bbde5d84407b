// The rules of the flatbuffer as such, whatever its schema says (F3 to F11, H7, H21 and H25).
#ifndef PTE_SRC_VERIFY_STRUCTURE_H_
#define PTE_SRC_VERIFY_STRUCTURE_H_

#include <string_view>

#include "flatbuffers/minireflect.h"
#include "src/verify/judge.h"

namespace pte {

struct StructureRules {
  std::string_view union_type;  // a union without a type that the schema knows
  std::string_view padding;     // bytes of padding that are not zero
  std::string_view key_text;    // a NUL in a name
};
inline constexpr StructureRules kProgramStructure{"F6", "H21", "F8"};
inline constexpr StructureRules kDirectoryStructure{"F6", "D25", "D26"};
inline constexpr StructureRules kBundleStructure{"B8", "H21", "F8"};

// Judges a verified flatbuffer. `has_frame` says that the head's segment frame is sound, so that the flatbuffer ends where it says. What
// was not read is nobody's to judge. Returns whether the tables may be walked further.
bool JudgeStructure(Judge& judge, const flatbuffers::TypeTable& root, const StructureRules& rules, bool has_frame);

}  // namespace pte

#endif  // PTE_SRC_VERIFY_STRUCTURE_H_
