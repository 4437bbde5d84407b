// BpteFile: a program bundled with test cases, opened and checked without reading the program.
//
//   absl::StatusOr<pte::BpteFile> bundle = pte::BpteFile::Open("model.bpte");
//   if (!bundle.ok()) return bundle.status();
//   for (const pte::TestSuite& suite : bundle->suites()) Use(suite.method_name, suite.case_count);
//   absl::StatusOr<pte::PteFile> program = bundle->program();          // reads the program's head and flatbuffer, in place
//
// Ownership: a handle; copies share one state, which keeps the source open. Views that it returns are valid while a copy lives.
// Thread rule: const calls may run at the same time on one object and on its copies.
// Cost: Open reads the head, four small ranges that lead to the program, and what lies before and after it. Address space of the file's
//   size is reserved, memory only for what was read.
#ifndef PTE_BPTE_FILE_H_
#define PTE_BPTE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "pte/byte_source.h"
#include "pte/export.h"
#include "pte/finding.h"
#include "pte/header.h"
#include "pte/options.h"
#include "pte/payload.h"
#include "pte/pte_file.h"
#include "pte/schema.h"

namespace pte {

// The test cases of one method.
struct TestSuite {
  std::string_view method_name;                       // "" where the file leaves it out
  const fb::BundledMethodTestSuite* table = nullptr;  // never nullptr in BpteFile::suites()
  size_t case_count = 0;
};

class PTE_EXPORT BpteFile {
 public:
  // Opens a bundled program. Codes as PteFile::Open.
  static absl::StatusOr<BpteFile> Open(const std::filesystem::path& path, const OpenOptions& options = {});
  static absl::StatusOr<BpteFile> Open(std::shared_ptr<const ByteSource> source, const OpenOptions& options = {});

  const ContainerHeader& header() const;

  // The verified flatbuffer of the bundle. Its program() vector has the right length, but its bytes were not read and show as zeros; use
  // program() or ProgramPayload() below.
  const fb::BundledProgram& bundled_program() const;

  // The bytes of that flatbuffer, the program's as zeros: [0, header().program_size) of the container.
  Bytes flatbuffer() const;

  // What opening noticed that is legal but unusual.
  std::span<const Finding> notes() const;

  // In the order of the file.
  std::span<const TestSuite> suites() const;

  // The program inside, opened in place: nothing is copied, and its segments and payloads report offsets of the outermost file. Opened anew
  // at each call; without options, by those that the bundle was opened with. Codes as PteFile::Open.
  absl::StatusOr<PteFile> program(const std::optional<OpenOptions>& options = std::nullopt) const;

  // Its bytes as one payload.
  Payload ProgramPayload() const;

  // The bytes of a test tensor; `tensor` must be reached from bundled_program(). Empty where the file leaves them out.
  Payload TensorData(const fb::bundled::Tensor& tensor) const;

 private:
  friend struct FileAccess;
  struct State;
  explicit BpteFile(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace pte

#endif  // PTE_BPTE_FILE_H_
