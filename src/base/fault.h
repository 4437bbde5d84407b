// Making and annotating the errors that pte/fault.h describes.
#ifndef PTE_SRC_BASE_FAULT_H_
#define PTE_SRC_BASE_FAULT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "pte/fault.h"
#include "pte/finding.h"

namespace pte {

// A status with `fault` as payload, and its parts as message: "offset 0x20: H15: path: what; wanted X, found Y".
absl::Status FaultStatus(absl::StatusCode code, const Fault& fault);

// The same status with "name: " in front of its message.
absl::Status WithName(const absl::Status& status, std::string_view name);

// The same status with its fault, where it has one, moved by `base` bytes: from an inner container to the outermost file.
absl::Status AtFileOffset(const absl::Status& status, uint64_t base);

// The same facts as a finding.
Finding FindingOf(Severity severity, const Fault& fault);

// "0x20"; "4096 (0x1000)": how numbers appear in messages, expected and actual.
std::string Hex(uint64_t value);
std::string Number(uint64_t value);

// Up to 16 bytes as hexadecimal pairs and, where they are printable, text: `45 54 31 31 "ET11"`. Never holds a raw control character.
std::string ShowBytes(std::string_view bytes);

}  // namespace pte

#endif  // PTE_SRC_BASE_FAULT_H_
