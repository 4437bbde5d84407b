#include "src/io/file_writer.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "src/base/fault.h"
#include "src/base/status_macros.h"
#include "src/io/syscalls.h"

namespace pte {
namespace {

// One buffer's worth: large enough that calls cost nothing beside the bytes, small enough to stay in the processor's cache.
constexpr uint64_t kChunk = uint64_t{1} << 20;

// From this length on, asking for the disk space first makes writing faster, since the blocks are then found all at once.
constexpr uint64_t kReserveFrom = uint64_t{1} << 20;

// The kernel copies or clones this much a call, so that a caller can follow and cancel. Cloning takes no time by the byte, but some by the
// call.
constexpr uint64_t kKernelStep = ProgressMeter::kStep;
constexpr uint64_t kCloneStep = uint64_t{1} << 30;

// The kernel copies through a pipe of this size. Where each round ends at a multiple of that, the page cache takes it as one large page
// rather than as several small ones: a sixth less time (bench SaveFromFile).
constexpr uint64_t kKernelRound = uint64_t{64} << 10;

struct Extent {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The next bytes of a file range, from `at` on, that are no hole; empty at its end where there are none. Where the file system cannot tell,
// or its answer cannot be, all is data.
Extent NextData(const FileRange& file, uint64_t at) {
  const uint64_t from = file.offset + at;
  const int64_t data = Uninterrupted([&] { return sys::FindData(file.fd, from); });
  if (data < 0 && errno == ENXIO) return {file.length, file.length};
  if (data < 0 || static_cast<uint64_t>(data) < from) return {at, file.length};
  const uint64_t begin = std::min(static_cast<uint64_t>(data) - file.offset, file.length);
  if (begin == file.length) return {begin, begin};
  const int64_t hole = Uninterrupted([&] { return sys::FindHole(file.fd, static_cast<uint64_t>(data)); });
  if (hole <= data) return {begin, file.length};
  return {begin, std::min(static_cast<uint64_t>(hole) - file.offset, file.length)};
}

// Some file systems (ext4 without extents) call a hole what is written but not yet on the disk.
void SettleHoles(const FileRange& file) {
  sys::FileStat stat;
  if (Uninterrupted([&] { return sys::Stat(file.fd, stat); }) != 0 || stat.allocated < stat.size) (void)sys::Sync(file.fd);
}

}  // namespace

absl::StatusOr<FileWriter> FileWriter::Make(int fd, const std::string& name, ProgressMeter& meter, uint64_t position) {
  PTE_ASSIGN_OR_RETURN(Memory buffer, AllocateMemory(kChunk));
  return FileWriter(fd, name, meter, position, std::move(buffer));
}

FileWriter::FileWriter(int fd, const std::string& name, ProgressMeter& meter, uint64_t position, Memory buffer)
    : fd_(fd), name_(name), meter_(meter), buffer_(std::move(buffer)), position_(position) {}

absl::Status FileWriter::Append(const Rope& rope) {
  for (const Rope::Piece& piece : rope.pieces()) PTE_RETURN_IF_ERROR(Append(piece));
  return absl::OkStatus();
}

absl::Status FileWriter::Append(const Rope::Piece& piece) {
  if (const auto* range = std::get_if<Rope::SourceRange>(&piece)) return AppendSource(*range);
  if (const auto* zeros = std::get_if<Rope::Zeros>(&piece)) return AppendZeros(zeros->length);
  return AppendBytes(std::get<Bytes>(piece).span());
}

absl::Status FileWriter::Skip(uint64_t length) {
  PTE_RETURN_IF_ERROR(Flush());
  position_ += length;
  return absl::OkStatus();
}

absl::Status FileWriter::Finish() {
  PTE_RETURN_IF_ERROR(Flush());
  // What was skipped at the end exists only once the file has its size.
  if (Uninterrupted([&] { return sys::Truncate(fd_, position_); }) != 0) return Failed(errno, 0);
  return absl::OkStatus();
}

absl::Status FileWriter::AppendBytes(std::span<const std::byte> bytes) {
  if (bytes.size() < kSmall) {
    PTE_RETURN_IF_ERROR(Buffer(bytes));
    counts_.written += bytes.size();
    return meter_.Advance(bytes.size());
  }
  PTE_RETURN_IF_ERROR(Flush());
  if (bytes.size() >= kReserveFrom) sys::Allocate(fd_, position_, bytes.size());  // a refusal costs speed alone
  while (!bytes.empty()) {
    const std::span<const std::byte> part = bytes.first(std::min<size_t>(bytes.size(), kChunk));
    PTE_RETURN_IF_ERROR(WriteOut(part));
    counts_.written += part.size();
    PTE_RETURN_IF_ERROR(meter_.Advance(part.size()));
    bytes = bytes.subspan(part.size());
  }
  return absl::OkStatus();
}

absl::Status FileWriter::AppendZeros(uint64_t length) {
  if (length >= kSmall) {
    PTE_RETURN_IF_ERROR(Flush());
    return Advance(length, counts_.written);  // a hole
  }
  for (uint64_t left = length; left > 0;) {
    if (buffered_ == buffer_.span.size()) PTE_RETURN_IF_ERROR(Flush());
    const size_t part = std::min<size_t>(buffer_.span.size() - buffered_, static_cast<size_t>(left));
    std::memset(buffer_.span.data() + buffered_, 0, part);
    buffered_ += part;
    left -= part;
  }
  counts_.written += length;
  return meter_.Advance(length);
}

absl::Status FileWriter::AppendSource(const Rope::SourceRange& range) {
  PTE_ASSIGN_OR_RETURN(const std::optional<FileRange> file, OpenFileRange(*range.source, range.offset, range.length));
  if (file) return Append(*file);
  PTE_RETURN_IF_ERROR(Flush());
  return Through(range.length, counts_.written,
                 [&](uint64_t at, std::span<std::byte> out) { return range.source->ReadAt(range.offset + at, out); });
}

absl::Status FileWriter::Append(const FileRange& file) {
  if (file.length < kSmall) {
    if (buffer_.span.size() - buffered_ < file.length) PTE_RETURN_IF_ERROR(Flush());
    const std::span<std::byte> into = buffer_.span.subspan(buffered_, static_cast<size_t>(file.length));
    PTE_RETURN_IF_ERROR(file.ReadAt(0, into));
    buffered_ += into.size();
    counts_.copied += into.size();
    PTE_RETURN_IF_ERROR(meter_.Advance(into.size()));
    return file.CheckUnchanged();
  }
  PTE_RETURN_IF_ERROR(Flush());
  uint64_t at = 0;
  PTE_RETURN_IF_ERROR(CloneBlocks(file, at));
  if (at < file.length) SettleHoles(file);
  while (at < file.length) {
    const Extent data = NextData(file, at);
    if (data.begin > at) PTE_RETURN_IF_ERROR(Advance(data.begin - at, counts_.copied));
    at = data.begin;
    PTE_RETURN_IF_ERROR(CopyData(file, at, data.end));
  }
  return file.CheckUnchanged();
}

absl::Status FileWriter::CloneBlocks(const FileRange& file, uint64_t& at) {
  sys::FileStat stat;
  if (Uninterrupted([&] { return sys::Stat(fd_, stat); }) != 0 || stat.block_size == 0) return absl::OkStatus();
  const uint64_t block = stat.block_size;
  if (file.offset % block != position_ % block) return absl::OkStatus();  // no block of the one is a block of the other
  const uint64_t lead = (block - position_ % block) % block;
  const uint64_t blocks = lead < file.length ? (file.length - lead) / block * block : 0;
  uint64_t cloned = 0;
  const uint64_t to = position_ + lead;
  while (cloned < blocks) {
    const uint64_t part = std::min(blocks - cloned, kCloneStep);
    if (Uninterrupted([&] { return sys::CloneRange(file.fd, file.offset + lead + cloned, part, fd_, to + cloned); }) != 0) break;
    if (cloned == 0) PTE_RETURN_IF_ERROR(CopyData(file, at, lead));  // what stands before the first whole block
    cloned += part;
    at += part;
    PTE_RETURN_IF_ERROR(Advance(part, counts_.cloned));
  }
  return absl::OkStatus();
}

absl::Status FileWriter::CopyData(const FileRange& file, uint64_t& at, uint64_t end) {
  PTE_RETURN_IF_ERROR(CopyInKernel(file, at, end));
  const uint64_t from = at;
  PTE_RETURN_IF_ERROR(
      Through(end - at, counts_.copied, [&](uint64_t offset, std::span<std::byte> out) { return file.ReadAt(from + offset, out); }));
  at = end;
  return absl::OkStatus();
}

absl::Status FileWriter::CopyInKernel(const FileRange& file, uint64_t& at, uint64_t end) {
  while (end - at >= kSmall) {
    const uint64_t step = position_ % kKernelRound == 0 ? kKernelStep : kKernelRound - position_ % kKernelRound;
    const auto part = static_cast<size_t>(std::min(end - at, step));
    const int64_t copied = Uninterrupted([&] { return sys::CopyRange(file.fd, file.offset + at, fd_, position_, part); });
    if (copied <= 0) break;
    at += static_cast<uint64_t>(copied);
    PTE_RETURN_IF_ERROR(Advance(static_cast<uint64_t>(copied), counts_.copied));
  }
  return absl::OkStatus();
}

template <class Read>
absl::Status FileWriter::Through(uint64_t length, uint64_t& count, Read read) {
  for (uint64_t done = 0; done < length;) {
    const std::span<std::byte> part = buffer_.span.first(static_cast<size_t>(std::min(kChunk, length - done)));
    PTE_RETURN_IF_ERROR(read(done, part));
    PTE_RETURN_IF_ERROR(WriteOut(part));
    count += part.size();
    PTE_RETURN_IF_ERROR(meter_.Advance(part.size()));
    done += part.size();
  }
  return absl::OkStatus();
}

absl::Status FileWriter::Buffer(std::span<const std::byte> bytes) {
  if (buffer_.span.size() - buffered_ < bytes.size()) PTE_RETURN_IF_ERROR(Flush());
  if (!bytes.empty()) std::memcpy(buffer_.span.data() + buffered_, bytes.data(), bytes.size());
  buffered_ += bytes.size();
  return absl::OkStatus();
}

absl::Status FileWriter::Flush() {
  const std::span<const std::byte> bytes = buffer_.span.first(std::exchange(buffered_, 0));
  return WriteOut(bytes);
}

absl::Status FileWriter::WriteOut(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const int64_t put = Uninterrupted([&] { return sys::WriteAt(fd_, bytes.data(), std::min(bytes.size(), kMostPerCall), position_); });
    if (put < 0) return Failed(errno, bytes.size());
    if (put == 0) return Failed(ENOSPC, bytes.size());  // no error, and no progress either
    position_ += static_cast<uint64_t>(put);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

absl::Status FileWriter::Advance(uint64_t length, uint64_t& count) {
  position_ += length;
  count += length;
  return meter_.Advance(length);
}

absl::Status FileWriter::Failed(int error, uint64_t length) const {
  return FromErrno(error, name_, absl::StrCat("writing ", Number(length), " bytes at offset ", Number(position_)));
}

}  // namespace pte
