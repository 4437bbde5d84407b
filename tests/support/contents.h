// Contents for tests of the writers, and what writing makes of them.
#ifndef PTE_TESTS_SUPPORT_CONTENTS_H_
#define PTE_TESTS_SUPPORT_CONTENTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pte/contents.h"
#include "pte/layout.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "pte/rope.h"
#include "tests/support/counting_source.h"

namespace pte::test {

// Bytes that differ from place to place and, by `start`, from payload to payload.
std::string Bytewise(size_t size, unsigned start = 0);

// A rope that owns a copy of the bytes.
inline Rope Copy(std::string_view bytes) { return Rope(Bytes::FromString(std::string(bytes))); }
// The same, cut into pieces of these lengths and a last one of the rest.
Rope InPieces(std::string_view bytes, const std::vector<size_t>& lengths);
// The whole of a source.
Rope Whole(const std::shared_ptr<const ByteSource>& source);
std::shared_ptr<CountingSource> Counting(std::string_view bytes);

// All bytes; fails the test where they cannot be read.
std::string TextOf(const Rope& rope);
std::string TextOf(const absl::StatusOr<Payload>& payload);

// A program with one empty method and no payload, and one whose method has these delegates, by the index of their payloads.
fb::ProgramT OneMethod();
fb::ProgramT WithDelegates(const std::vector<uint32_t>& payloads);

// The file that writing gives; fails the test where it fails.
std::string Written(const PteContents& contents, const LayoutOptions& layout = {});
std::string Written(const PtdContents& contents, const LayoutOptions& layout = {});

// Opened from memory, which it owns; fails the test where it does not open, and then ends it.
PteFile OpenPte(const std::string& bytes);
PtdFile OpenPtd(const std::string& bytes);
PteContents ContentsOf(const PteFile& file);

// Of length `size`; each read of it fails with kDataLoss.
std::shared_ptr<const ByteSource> Unreadable(uint64_t size);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_CONTENTS_H_
