// The bytes of the containers' heads: the only home of magics, field offsets and lengths. schema/FORMAT.md describes them.
#ifndef PTE_SRC_FORMAT_WIRE_H_
#define PTE_SRC_FORMAT_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pte::wire {

inline constexpr size_t kRootOffset = 0;        // u32, from byte 0 to the root table
inline constexpr size_t kIdentifierOffset = 4;  // four characters
inline constexpr size_t kIdentifierLength = 4;
inline constexpr size_t kPlainHeadSize = 8;  // what every container begins with

inline constexpr std::string_view kPteIdentifier = "ET12";
inline constexpr std::string_view kPtdIdentifier = "FT01";
inline constexpr std::string_view kBpteIdentifier = "BP08";
inline constexpr size_t kIdentifierFamilyLength = 2;  // the letters; the digits are the version

// The extended header, inserted at byte 8 of the flatbuffer. Its length field counts from byte 8.
inline constexpr size_t kExtendedHeaderOffset = 8;
inline constexpr size_t kMagicLength = 4;
inline constexpr size_t kHeaderLengthOffset = 12;  // u32

inline constexpr std::string_view kPteMagic = "eh00";
inline constexpr size_t kPteMagicFamilyLength = 2;
inline constexpr size_t kPteProgramSizeOffset = 16;  // u64, three of them
inline constexpr size_t kPteSegmentBaseOffset = 24;
inline constexpr size_t kPteSegmentDataSizeOffset = 32;
inline constexpr uint32_t kPteShortHeaderLength = 24;  // before ExecuTorch 1.0: no segment_data_size
inline constexpr uint32_t kPteHeaderLength = 32;

inline constexpr std::string_view kPtdMagic = "FH01";
inline constexpr size_t kPtdFlatbufferOffsetOffset = 16;  // u64, four of them
inline constexpr size_t kPtdFlatbufferSizeOffset = 24;
inline constexpr size_t kPtdSegmentBaseOffset = 32;
inline constexpr size_t kPtdSegmentDataSizeOffset = 40;
inline constexpr uint32_t kPtdHeaderLength = 40;

inline constexpr size_t kHeadSize = kExtendedHeaderOffset + kPtdHeaderLength;  // the longest known head: one read gets any of them

// No reader of flatbuffers addresses this many bytes or more.
inline constexpr uint64_t kFlatbufferLimit = 0x7fffffff;
inline constexpr size_t kSmallestRootTable = 4;  // the offset to its vtable

// The smallest alignment that any writer's defaults give the segment base.
inline constexpr uint64_t kSmallestUsualAlignment = 16;

// The reference runtime reads this much before it looks at anything, and refuses files that are shorter.
inline constexpr uint64_t kReferenceHeadSize = 64;

// Other formats that are met under our file names.
struct Foreign {
  size_t offset;
  std::string_view magic;
  std::string_view name;
};
inline constexpr Foreign kForeign[] = {
    {0, "version https://git-lfs", "a Git LFS pointer; the file itself was not fetched"},
    {0, "<!DOCTYPE", "an HTML page"},
    {0, "<!doctype", "an HTML page"},
    {0, "<html", "an HTML page"},
    {0, "PK\x03\x04", "a zip archive"},
    {0, "\x1f\x8b", "gzip data"},
    {0, "GGUF", "a GGUF file"},
    {0,
     "\x7f"
     "ELF",
     "an ELF object"},
    {0, "\x93NUMPY", "a NumPy array"},
    {8, "{\"", "a safetensors file"},
};

}  // namespace pte::wire

#endif  // PTE_SRC_FORMAT_WIRE_H_
