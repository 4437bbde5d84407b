// Fault: the machine-readable half of an error status.
//
//   absl::StatusOr<pte::PteFile> file = pte::PteFile::Open("model.pte");
//   if (!file.ok()) {
//     if (std::optional<pte::Fault> fault = pte::FaultOf(file.status())) Report(fault->rule, fault->file_offset);
//   }
//
// Every error that libpte finds in a file's bytes carries one; errors of the operating system and of the caller may not.
// Codes, the same for all three containers:
//   kDataLoss           the bytes contradict themselves
//   kOutOfRange         the file is shorter than it promises
//   kUnimplemented      a newer version or a feature that this library does not know
//   kInvalidArgument    the caller's fault
//   kNotFound, kAlreadyExists
//   kResourceExhausted  a limit (pte/options.h) or a full disk
//   kAborted            the source changed while it was read
//   others              from errno
// The message is "FILE: offset 0x20: H15: header.segment_data_size: what is wrong; wanted X, found Y", as far as each part applies.
//
// Ownership: a plain value.  Thread rule: none needed.  Cost: the payload is built on the error path only.
#ifndef PTE_FAULT_H_
#define PTE_FAULT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "pte/export.h"

namespace pte {

struct Fault {
  std::string rule;                     // id of the violated rule, such as "H15"; "" where no rule applies
  std::optional<uint64_t> file_offset;  // of the offending bytes, in bytes from the start of the outermost file
  std::string path;                     // of the offending field, such as "segments[3].offset"
  std::string what;                     // one clause, no values
  std::string expected;                 // "" where nothing can be said
  std::string actual;
};

// The fault inside `status`, or nullopt where it carries none.
PTE_EXPORT std::optional<Fault> FaultOf(const absl::Status& status);

}  // namespace pte

#endif  // PTE_FAULT_H_
