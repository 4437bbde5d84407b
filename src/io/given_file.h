// What moving needs to know of a file that was given, and the way to tell its handles where its bytes went.
#ifndef PTE_SRC_IO_GIVEN_FILE_H_
#define PTE_SRC_IO_GIVEN_FILE_H_

#include <cstdint>
#include <filesystem>

#include "pte/byte_source.h"
#include "pte/rope.h"
#include "src/io/file_backing.h"

namespace pte {

// Implemented by the source behind a FileBackedData, beside ByteSource.
class GivenFile {
 public:
  virtual ~GivenFile() = default;

  // Whether the whole of a file was given, and it is still where it was given.
  virtual bool IsMovable() const = 0;
  virtual std::filesystem::path GivenPath() const = 0;
  virtual FileIdentity GivenIdentity() const = 0;

  // From now on the bytes are read from `offset` of another file; the one given is no longer this object's.
  virtual void ReadFrom(const std::filesystem::path& path, uint64_t offset, const FileIdentity& identity) const = 0;
};

// The movable given file that all of a range is; nullptr for other ranges.
inline const GivenFile* MovableFile(const Rope::SourceRange& range) {
  const auto* given = dynamic_cast<const GivenFile*>(range.source.get());
  const bool is_whole = range.offset == 0 && range.length == range.source->size() && range.length > 0;
  return given != nullptr && is_whole && given->IsMovable() ? given : nullptr;
}

}  // namespace pte

#endif  // PTE_SRC_IO_GIVEN_FILE_H_
