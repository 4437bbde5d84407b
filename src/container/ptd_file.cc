#include "pte/ptd_file.h"

#include <bit>
#include <utility>

#include "src/base/status_macros.h"
#include "src/container/file_access.h"
#include "src/container/keys.h"
#include "src/container/open.h"
#include "src/container/ptd_checks.h"
#include "src/flatbuffer/verify.h"

namespace pte {
namespace {

static_assert(std::endian::native == std::endian::little, "TensorLayout::sizes shows the file's numbers in place");

}  // namespace

absl::Status VerifyDirectory(const OpenContainer& container) {
  absl::Status verified = VerifyFlatbuffer(container.flatbuffer.span(), SchemaOf<fb::FlatTensor>("D10", "F3"), container.options.limits);
  const auto* root = flatbuffers::GetRoot<fb::FlatTensor>(container.flatbuffer.data());
  if (verified.ok() && root->named_data() != nullptr) return verified;
  if (absl::IsResourceExhausted(verified)) return verified;
  // The fourth field, which no table of the current schema has.
  const bool is_legacy =
      VerifyFlatbuffer(container.flatbuffer.span(), SchemaOf<fb::flat_tensor::LegacyFlatTensor>("D10", "F3"), container.options.limits)
          .ok() &&
      flatbuffers::GetRoot<fb::flat_tensor::LegacyFlatTensor>(container.flatbuffer.data())->segments() != nullptr;
  if (!is_legacy) return verified;
  return FaultStatus(absl::StatusCode::kUnimplemented,
                     {"D11", container.header.root_offset, "named_data",
                      "an older FlatTensor schema, which lists tensors by offset in one segment; export the data again to read it",
                      "segments and named_data", "tensor_alignment, tensors and segments"});
}

absl::Status CheckPresent(OpenContainer& container, const fb::FlatTensor& root) {
  const auto refuse = [&](std::string_view missing) {
    return container.Refuse({"D11", container.OffsetOf(&root), std::string(missing), "the list is missing", "a list", "nothing"});
  };
  if (root.segments() == nullptr) PTE_RETURN_IF_ERROR(refuse("segments"));
  return root.named_data() == nullptr ? refuse("named_data") : absl::OkStatus();
}

namespace {

template <class Element>
std::span<const Element> SpanOf(const flatbuffers::Vector<Element>* vector) {
  return vector == nullptr ? std::span<const Element>() : std::span<const Element>(vector->data(), vector->size());
}

std::optional<TensorLayout> LayoutOf(const fb::flat_tensor::TensorLayout* layout) {
  if (layout == nullptr) return std::nullopt;
  return TensorLayout{layout->scalar_type(), SpanOf(layout->sizes()), SpanOf(layout->dim_order())};
}

}  // namespace

struct PtdFile::State : OpenContainer {
  const fb::FlatTensor* root = nullptr;
  FixedList<PtdEntry> entries;
  KeyIndex keys;

  absl::Status Load();
};

absl::Status PtdFile::State::Load() {
  PTE_RETURN_IF_ERROR(ReadFlatbuffer(*this));
  PTE_RETURN_IF_ERROR(VerifyDirectory(*this));
  root = flatbuffers::GetRoot<fb::FlatTensor>(flatbuffer.data());
  PTE_RETURN_IF_ERROR(CheckVersion(*this, "D24", root->version(), kFlatTensorVersion, OffsetOf(root, fb::FlatTensor::VT_VERSION)));
  PTE_RETURN_IF_ERROR(CheckPresent(*this, *root));
  PTE_ASSIGN_OR_RETURN(segments, PlaceSegments(*this, root->segments()));
  return ReadEntries(
      *this, root->named_data(), segments.size(), kPtdKeyRules,
      [](const fb::flat_tensor::NamedData& row) {
        return PtdEntry{TextOf(row.key()), row.segment_index(), LayoutOf(row.tensor_layout())};
      },
      entries, keys);
}

absl::StatusOr<PtdFile> PtdFile::Open(std::shared_ptr<const ByteSource> source, const OpenOptions& options) {
  PTE_ASSIGN_OR_RETURN(auto state, OpenState<State>(std::move(source), 0, ContainerKind::kPtd, options));
  return PtdFile(std::move(state));
}

absl::StatusOr<PtdFile> PtdFile::Open(const std::filesystem::path& path, const OpenOptions& options) {
  PTE_ASSIGN_OR_RETURN(std::shared_ptr<const ByteSource> source, OpenFileSource(path));
  return Open(std::move(source), options);
}

const OpenContainer& FileAccess::Container(const PtdFile& file) { return *file.state_; }

const ContainerHeader& PtdFile::header() const { return state_->header; }
const fb::FlatTensor& PtdFile::flat_tensor() const { return *state_->root; }
Bytes PtdFile::flatbuffer() const { return state_->flatbuffer; }
std::span<const Finding> PtdFile::notes() const { return state_->notes; }
std::span<const Segment> PtdFile::segments() const { return state_->segments.span(); }
std::span<const PtdEntry> PtdFile::entries() const { return state_->entries.span(); }

const PtdEntry* PtdFile::FindEntry(std::string_view key) const {
  const std::optional<uint32_t> entry = state_->keys.Find(key);
  return entry ? &state_->entries[*entry] : nullptr;
}

absl::StatusOr<Payload> PtdFile::Find(std::string_view key) const {
  const PtdEntry* entry = FindEntry(key);
  if (entry == nullptr) return KeyNotFound(*state_, key);
  return state_->SegmentAt(entry->segment_index);
}

absl::StatusOr<Payload> PtdFile::SegmentPayload(uint32_t index) const { return state_->SegmentPayload(index); }

}  // namespace pte
