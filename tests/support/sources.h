// The same bytes through each way of reading them.
#ifndef PTE_TESTS_SUPPORT_SOURCES_H_
#define PTE_TESTS_SUPPORT_SOURCES_H_

#include <memory>
#include <ostream>
#include <string>

#include "pte/byte_source.h"

namespace pte::test {

enum class SourceKind { kMemory, kFile, kMapping, kDescriptor, kReadOnly };
inline constexpr SourceKind kSourceKinds[] = {SourceKind::kMemory, SourceKind::kFile, SourceKind::kMapping, SourceKind::kDescriptor,
                                              SourceKind::kReadOnly};
std::string NameOf(SourceKind kind);
inline void PrintTo(SourceKind kind, std::ostream* out) { *out << NameOf(kind); }

// kMemory: bytes on the heap, exactly as many. kFile: a file by path. kMapping: memory that is a mapping of a file. kDescriptor: a range of
// a larger file, 7 bytes in, by descriptor. kReadOnly: a source of the caller's own, which cannot be viewed. Files are removed once opened.
std::shared_ptr<const ByteSource> MakeSource(SourceKind kind, const std::string& bytes);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_SOURCES_H_
