// Writes a flatbuffer again with fields left out, lists emptied or filled, and elements without an object: what an edit in place could only
// do by leaving bytes behind that nothing refers to. Every table gets a vtable of its own and every scalar is stored, defaults too, so that
// any of them can be overwritten.
#ifndef PTE_TESTS_SUPPORT_FLAT_COPY_H_
#define PTE_TESTS_SUPPORT_FLAT_COPY_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flatbuffers/minireflect.h"

namespace pte::test {

// Fields by path, as in FlatImage.
struct FlatChanges {
  std::set<std::string> absent;                        // the field is left out
  std::set<std::string> cleared;                       // the list or string is written with length 0
  std::set<std::string> null;                          // the element's offset is 0
  std::set<std::string> extended;                      // the table has one field more than its schema
  std::map<std::string, std::vector<uint64_t>> items;  // what a vector of scalars holds
};

// `flatbuffer` must be sound, and its tables of type `root`.
std::string CopyFlatbuffer(const std::string& flatbuffer, const flatbuffers::TypeTable& root, const FlatChanges& changes);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_FLAT_COPY_H_
