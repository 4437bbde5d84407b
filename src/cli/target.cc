#include "src/cli/target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "src/cli/interrupt.h"

namespace pte::cli {
namespace {

absl::Status FromErrno(int error, const std::string& path, const char* what) {
  return absl::ErrnoToStatus(error, absl::StrCat(path, ": ", what));
}

// By what the file is, not by its name.
bool IsSameFile(const std::string& path, const struct stat& other) {
  struct stat own = {};
  return ::stat(path.c_str(), &own) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

absl::StatusOr<Target> FindFile(const TargetRequest& request) {
  const Target target = {request.out, false};
  struct stat found = {};
  if (::stat(request.out.c_str(), &found) != 0) {
    if (errno == ENOENT) return target;
    return FromErrno(errno, request.out, "looking for it");
  }
  if (S_ISDIR(found.st_mode)) return FromErrno(EISDIR, request.out, "opening for writing");
  const bool holds_bytes = S_ISREG(found.st_mode) || S_ISBLK(found.st_mode);
  if (!holds_bytes) return Target{request.out, true};
  if (!request.input.empty() && IsSameFile(request.input, found)) {
    return absl::InvalidArgumentError(absl::StrCat(request.out, ": this is ", request.input, " itself; --in-place changes a file"));
  }
  if (S_ISBLK(found.st_mode)) return absl::InvalidArgumentError(absl::StrCat(request.out, ": this is a disk; -o - writes to a pipe"));
  if (!request.force) return absl::AlreadyExistsError(absl::StrCat(request.out, ": the file exists; --force replaces it"));
  return target;
}

}  // namespace

absl::StatusOr<Target> FindTarget(const TargetRequest& request) {
  if (request.in_place != request.out.empty()) {
    return absl::InvalidArgumentError(request.input.empty() ? "-o OUT is needed" : "exactly one of -o OUT and --in-place is needed");
  }
  if (request.in_place) return Target{request.input, false};
  if (request.out == "-") return Target{request.out, true};
  return FindFile(request);
}

StreamSink::~StreamSink() { (void)Close(); }

absl::Status StreamSink::Failed(const char* what) {
  if (errno == EPIPE) closed_by_reader_ = true;
  return FromErrno(errno, name_, what);
}

absl::Status StreamSink::Open(const Target& target) {
  owned_ = target.path != "-";
  name_ = owned_ ? target.path : "standard output";
  fd_ = owned_ ? ::open(target.path.c_str(), O_WRONLY | O_CLOEXEC) : STDOUT_FILENO;
  if (fd_ >= 0) return absl::OkStatus();
  return errno == EINTR && Interrupted() ? CheckInterrupted() : Failed("opening for writing");
}

absl::Status StreamSink::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    absl::Status wanted = CheckInterrupted();
    if (!wanted.ok()) return wanted;
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("writing");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status StreamSink::Close() {
  const int fd = fd_;
  fd_ = -1;
  if (!owned_ || fd < 0 || ::close(fd) == 0 || errno == EINTR) return absl::OkStatus();
  return Failed("closing");
}

}  // namespace pte::cli
