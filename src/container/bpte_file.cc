#include "pte/bpte_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/status_macros.h"
#include "src/container/bpte_checks.h"
#include "src/container/file_access.h"
#include "src/container/open.h"
#include "src/flatbuffer/verify.h"

namespace pte {

struct BpteFile::State : OpenContainer {
  const fb::BundledProgram* root = nullptr;
  ByteRange program;
  std::vector<TestSuite> suites;

  absl::Status Load();
};

absl::Status VerifyBundle(const OpenContainer& container) {
  PTE_RETURN_IF_ERROR(VerifyFlatbuffer(container.flatbuffer.span(), SchemaOf<fb::BundledProgram>("B2", "F3"), container.options.limits,
                                       container.unread.size));
  return CheckNothingInside(container.flatbuffer.span(), container.unread);
}

absl::Status AsBundled(const absl::Status& status) {
  std::optional<Fault> fault = FaultOf(status);
  if (!fault || fault->rule != "H2") return status;
  fault->rule = "B3";
  return FaultStatus(absl::IsInvalidArgument(status) ? absl::StatusCode::kDataLoss : status.code(), *fault);
}

void NoteBundleVersion(OpenContainer& container, const fb::BundledProgram& root) {
  if (root.version() == kBundledProgramVersion) return;
  container.Note(Severity::kWarning,
                 {"B10", container.OffsetOf(&root, fb::BundledProgram::VT_VERSION), "version",
                  "another schema version than this library knows", absl::StrCat(kBundledProgramVersion), absl::StrCat(root.version())});
}

absl::Status BpteFile::State::Load() {
  PTE_ASSIGN_OR_RETURN(program, FindBundledProgram(*source, header));
  PTE_RETURN_IF_ERROR(ReadFlatbuffer(*this, program));
  PTE_RETURN_IF_ERROR(VerifyBundle(*this));
  root = flatbuffers::GetRoot<fb::BundledProgram>(flatbuffer.data());
  NoteBundleVersion(*this, *root);
  if (root->method_test_suites() == nullptr) return absl::OkStatus();
  for (const fb::BundledMethodTestSuite* suite : *root->method_test_suites()) {
    suites.push_back({TextOf(suite->method_name()), suite, CountOf(suite->test_cases())});
  }
  return absl::OkStatus();
}

absl::StatusOr<BpteFile> BpteFile::Open(std::shared_ptr<const ByteSource> source, const OpenOptions& options) {
  PTE_ASSIGN_OR_RETURN(auto state, OpenState<State>(std::move(source), 0, ContainerKind::kBpte, options));
  return BpteFile(std::move(state));
}

absl::StatusOr<BpteFile> BpteFile::Open(const std::filesystem::path& path, const OpenOptions& options) {
  PTE_ASSIGN_OR_RETURN(std::shared_ptr<const ByteSource> source, OpenFileSource(path));
  return Open(std::move(source), options);
}

const OpenContainer& FileAccess::Container(const BpteFile& file) { return *file.state_; }

const ContainerHeader& BpteFile::header() const { return state_->header; }
const fb::BundledProgram& BpteFile::bundled_program() const { return *state_->root; }
Bytes BpteFile::flatbuffer() const { return state_->flatbuffer; }
std::span<const Finding> BpteFile::notes() const { return state_->notes; }
std::span<const TestSuite> BpteFile::suites() const { return state_->suites; }

absl::StatusOr<PteFile> BpteFile::program(const std::optional<OpenOptions>& options) const {
  return WithoutThrowing([&]() -> absl::StatusOr<PteFile> {
    const ByteRange range = state_->program;
    PTE_ASSIGN_OR_RETURN(std::shared_ptr<const ByteSource> source, RangeSource(state_->source, range.offset, range.size));
    absl::StatusOr<PteFile> program = FileAccess::OpenProgram(std::move(source), range.offset, options.value_or(state_->options));
    const absl::Status bundled = AsBundled(program.status());
    if (bundled == program.status()) return program;
    return WithName(bundled, state_->source->name());
  });
}

Payload BpteFile::ProgramPayload() const { return state_->PayloadAt(state_->program.offset, state_->program.size); }

Payload BpteFile::TensorData(const fb::bundled::Tensor& tensor) const { return state_->InlinePayload(tensor.data()); }

}  // namespace pte
