// The generated flatbuffer types, under one roof, and the names of element types.
//
//   const pte::fb::Program& program = file->program();
//   if (program.execution_plan() != nullptr)
//     for (const pte::fb::ExecutionPlan* plan : *program.execution_plan()) Use(plan->name());
//
// pte::fb is schema/program.fbs, pte::fb::flat_tensor schema/flat_tensor.fbs, pte::fb::bundled schema/bundled_program.fbs; names that exist
// only once are in pte::fb too. Every field of every table is optional: accessors of vectors, strings and tables return nullptr where the
// file leaves them out.
#ifndef PTE_SCHEMA_H_
#define PTE_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "pte/export.h"
#include "pte/fb/bundled_program_generated.h"
#include "pte/fb/flat_tensor_generated.h"
#include "pte/fb/program_generated.h"
#include "pte/fb/scalar_type_generated.h"

namespace pte {

namespace fb {
using bundled::BundledMethodTestCase;
using bundled::BundledMethodTestCaseT;
using bundled::BundledMethodTestSuite;
using bundled::BundledMethodTestSuiteT;
using bundled::BundledProgram;
using bundled::BundledProgramT;
using flat_tensor::FlatTensor;
using flat_tensor::FlatTensorT;
}  // namespace fb

// The newest schema versions this library knows.
inline constexpr uint32_t kProgramVersion = 0;
inline constexpr uint32_t kFlatTensorVersion = 0;
inline constexpr uint32_t kBundledProgramVersion = 2;

// The lower-case name of an element type, such as "float32" or "bfloat16"; "" for a number that the format does not define.
PTE_EXPORT std::string_view DtypeName(fb::ScalarType type);

// Bytes of one element; nullopt for an undefined number, and for the packed types QUINT4X2 and QUINT2X4, whose elements share bytes.
PTE_EXPORT std::optional<uint32_t> DtypeSize(fb::ScalarType type);

}  // namespace pte

#endif  // PTE_SCHEMA_H_
