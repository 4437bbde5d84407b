// A container of any kind, recognised by its content.
#ifndef PTE_SRC_CLI_CONTAINER_H_
#define PTE_SRC_CLI_CONTAINER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/bpte_file.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"

namespace pte::cli {

struct Container {
  std::string path;
  std::shared_ptr<const ByteSource> source;  // the whole file
  ContainerHeader header;
  std::optional<PtdFile> data;     // of a .ptd
  std::optional<BpteFile> bundle;  // of a .bpte
  std::optional<PteFile> program;  // of a .pte, and the one inside a .bpte

  ContainerKind kind() const { return header.kind; }
  Bytes flatbuffer() const;
  uint32_t version() const;
};

absl::StatusOr<Container> OpenContainer(const std::string& path, const OpenOptions& options);

// "program (.pte)".
std::string_view KindText(ContainerKind kind);

// The four characters by which a container says what it is.
inline std::string_view IdentifierOf(const ContainerHeader& header) { return {header.identifier.data(), header.identifier.size()}; }

// Vectors and strings that may be missing.
template <class Vector>
size_t SizeOf(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size();
}
inline std::string_view ViewOf(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

// Tables and vectors may be referred to many times, so that a small file could ask for an endless answer: what is printed is paid for
// before, and the price of all has a limit.
class Budget {
 public:
  explicit Budget(const Container& container);
  //   kResourceExhausted  the limit
  absl::Status Charge(uint64_t bytes);

 private:
  std::string path_;
  uint64_t left_;
};

}  // namespace pte::cli

#endif  // PTE_SRC_CLI_CONTAINER_H_
