// What the public API reads from a container, told in the members of the fact files in tests/data/fixtures.
#ifndef PTE_TESTS_SUPPORT_FACTS_H_
#define PTE_TESTS_SUPPORT_FACTS_H_

#include <memory>
#include <string>

#include "nlohmann/json.hpp"
#include "pte/byte_source.h"
#include "pte/payload.h"
#include "pte/pte_file.h"
#include "pte/schema.h"

namespace pte::test {

// Opens the container in `source` and tells every fact of it; `file_name` becomes the member "file". Where the library reports an error, a
// member "error" holds it in the place of the facts, so that comparing shows it.
nlohmann::json ReadFacts(const std::shared_ptr<const ByteSource>& source, const std::string& file_name);

// The parts, each in a file of its own.
namespace facts {

// {"size", "sha256"}, read in every way that there is: all must agree. `outermost` is what Payload::file_offset counts in.
nlohmann::json Digest(const absl::StatusOr<Payload>& payload, const ByteSource& outermost);

// {"size", "sha256"} of bytes inside the flatbuffer.
nlohmann::json Digest(const flatbuffers::Vector<uint8_t>* bytes);

// "FLOAT", as the reference spells it.
std::string Dtype(fb::ScalarType type);

// A JSON number, or "inf", "-inf", "nan", which JSON has no numbers for.
nlohmann::json Double(double value);

std::string Text(const flatbuffers::String* text);

template <class T>
nlohmann::json List(const flatbuffers::Vector<T>* list) {
  nlohmann::json result = nlohmann::json::array();
  if (list != nullptr) {
    for (const T item : *list) result.push_back(item);
  }
  return result;
}

// The members of a program: of a .pte, and of "program" in a .bpte.
nlohmann::json Program(const PteFile& file, const ByteSource& outermost);

// One item of "methods", and the operators of a plan.
nlohmann::json Method(const fb::ExecutionPlan& plan);
nlohmann::json Operators(const fb::ExecutionPlan& plan);

}  // namespace facts
}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_FACTS_H_
