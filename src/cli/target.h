// Where a verb writes: a file, replaced as a whole, or a pipe or device, written through to.
#ifndef PTE_SRC_CLI_TARGET_H_
#define PTE_SRC_CLI_TARGET_H_

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_sink.h"

namespace pte::cli {

struct Target {
  std::string path;
  bool is_stream = false;  // standard output, a pipe or a device
};

struct TargetRequest {
  std::string out;    // "-" for standard output; "" where there is none
  std::string input;  // the container that is changed; "" for a new one
  bool in_place = false;
  bool force = false;
};

// Judges where to write before anything is read.
//   kInvalidArgument     neither or both of `out` and `in_place`, or `out` is `input` by another name or the same
//   kAlreadyExists       `out` is a file, and no `force`
//   kFailedPrecondition  `out` is a folder
//   others               from errno
absl::StatusOr<Target> FindTarget(const TargetRequest& request);

// Bytes on their way to a pipe or device.
class StreamSink final : public ByteSink {
 public:
  StreamSink() = default;
  ~StreamSink() override;
  StreamSink(const StreamSink&) = delete;
  StreamSink& operator=(const StreamSink&) = delete;

  // Opening a pipe waits for its reader.
  absl::Status Open(const Target& target);
  absl::Status Append(std::span<const std::byte> bytes) override;

  // Must be called: the last error may come here.
  absl::Status Close();

  // Whether writing has ended because the reader wanted no more.
  bool closed_by_reader() const { return closed_by_reader_; }

 private:
  absl::Status Failed(const char* what);

  std::string name_;
  int fd_ = -1;
  bool owned_ = false;
  bool closed_by_reader_ = false;
};

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_TARGET_H_
