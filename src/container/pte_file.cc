#include "pte/pte_file.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/container/file_access.h"
#include "src/container/keys.h"
#include "src/container/open.h"
#include "src/container/pte_checks.h"

namespace pte {
struct PteFile::State : OpenContainer {
  const fb::Program* program = nullptr;
  FixedList<NamedEntry> named_data;
  KeyIndex keys;

  absl::Status Load();
  // Piece `index` of a segment that is cut at these offsets.
  Payload Piece(const fb::SubsegmentOffsets& table, size_t index) const;
  // The segment that `table` cuts, if it cuts one. Only a lone placeholder may name a segment that is not there.
  std::optional<uint32_t> SegmentOf(const fb::SubsegmentOffsets* table) const {
    const bool cuts = table != nullptr && CountOf(table->offsets()) > 0 && table->segment_index() < segments.size();
    return cuts ? std::optional(table->segment_index()) : std::nullopt;
  }
  const fb::SubsegmentOffsets* MutableOffsets() const {
    return CountOf(program->mutable_data_segments()) == 0 ? nullptr : program->mutable_data_segments()->Get(0);
  }
};

absl::Status PteFile::State::Load() {
  PTE_RETURN_IF_ERROR(ReadFlatbuffer(*this));
  PTE_RETURN_IF_ERROR(VerifyProgram(*this));
  program = flatbuffers::GetRoot<fb::Program>(flatbuffer.data());
  PTE_RETURN_IF_ERROR(CheckVersion(*this, "S2", program->version(), kProgramVersion, OffsetOf(program, fb::Program::VT_VERSION)));
  PTE_RETURN_IF_ERROR(CheckWideVectors(*this, *program));
  PTE_ASSIGN_OR_RETURN(segments, PlaceSegments(*this, program->segments()));
  NoteSegments(*this, segments.span());
  PTE_RETURN_IF_ERROR(CheckConstants(*this, *program, segments.span()));
  PTE_RETURN_IF_ERROR(CheckMutableData(*this, *program, segments.span()));
  PTE_RETURN_IF_ERROR(ReadEntries(
      *this, program->named_data(), segments.size(), program->segments() == nullptr ? kPteKeyRulesWithoutSegments : kPteKeyRules,
      [](const fb::NamedData& row) {
        return NamedEntry{TextOf(row.key()), row.segment_index()};
      },
      named_data, keys));
  return CheckDelegates(*this, *program, segments.span());
}

Payload PteFile::State::Piece(const fb::SubsegmentOffsets& table, size_t index) const {
  const std::optional<uint32_t> index_of_segment = SegmentOf(&table);
  if (!index_of_segment) return InlinePayload(nullptr);
  const Segment& segment = segments[*index_of_segment];
  const auto& offsets = *table.offsets();
  const auto at = static_cast<flatbuffers::uoffset_t>(index);
  const uint64_t begin = offsets.Get(at);
  const uint64_t end = at + 1 < offsets.size() ? offsets.Get(at + 1) : segment.size;
  return PayloadAt(segment.file_offset - file_offset + begin, end - begin);
}

absl::StatusOr<PteFile> FileAccess::OpenProgram(std::shared_ptr<const ByteSource> source, uint64_t file_offset,
                                                const OpenOptions& options) {
  PTE_ASSIGN_OR_RETURN(auto state, OpenState<PteFile::State>(std::move(source), file_offset, ContainerKind::kPte, options));
  return PteFile(std::move(state));
}

absl::StatusOr<PteFile> PteFile::Open(std::shared_ptr<const ByteSource> source, const OpenOptions& options) {
  return FileAccess::OpenProgram(std::move(source), 0, options);
}

absl::StatusOr<PteFile> PteFile::Open(const std::filesystem::path& path, const OpenOptions& options) {
  PTE_ASSIGN_OR_RETURN(std::shared_ptr<const ByteSource> source, OpenFileSource(path));
  return Open(std::move(source), options);
}

const OpenContainer& FileAccess::Container(const PteFile& file) { return *file.state_; }

const ContainerHeader& PteFile::header() const { return state_->header; }
const fb::Program& PteFile::program() const { return *state_->program; }
Bytes PteFile::flatbuffer() const { return state_->flatbuffer; }
uint64_t PteFile::file_offset() const { return state_->file_offset; }
std::span<const Finding> PteFile::notes() const { return state_->notes; }
std::span<const Segment> PteFile::segments() const { return state_->segments.span(); }
std::span<const NamedEntry> PteFile::named_data() const { return state_->named_data.span(); }

absl::StatusOr<Payload> PteFile::FindNamedData(std::string_view key) const {
  const std::optional<uint32_t> entry = state_->keys.Find(key);
  if (!entry) return KeyNotFound(*state_, key);
  return state_->SegmentAt(state_->named_data[*entry].segment_index);
}

absl::StatusOr<Payload> PteFile::SegmentPayload(uint32_t index) const { return state_->SegmentPayload(index); }

absl::StatusOr<Payload> PteFile::DelegatePayload(size_t plan, size_t delegate) const {
  const auto* plans = program().execution_plan();
  if (plan >= CountOf(plans)) return NoSuchIndex(*state_, "execution plan", plan, CountOf(plans));
  const auto* delegates = plans->Get(static_cast<flatbuffers::uoffset_t>(plan))->delegates();
  if (delegate >= CountOf(delegates)) return NoSuchIndex(*state_, "delegate", delegate, CountOf(delegates));
  const fb::BackendDelegateDataReference* reference = delegates->Get(static_cast<flatbuffers::uoffset_t>(delegate))->processed();
  if (reference->location() == fb::DataLocation::SEGMENT) return state_->SegmentAt(reference->index());
  return state_->InlinePayload(program().backend_delegate_data()->Get(reference->index())->data());
}

size_t PteFile::constant_count() const {
  if (!ConstantsInSegment(program())) return CountOf(program().constant_buffer());
  return program().constant_segment() == nullptr ? 0 : CountOf(program().constant_segment()->offsets());
}

std::optional<uint32_t> PteFile::constant_segment() const {
  return ConstantsInSegment(program()) ? state_->SegmentOf(program().constant_segment()) : std::nullopt;
}

absl::StatusOr<Payload> PteFile::Constant(size_t index) const {
  if (index >= constant_count()) return NoSuchIndex(*state_, "constant", index, constant_count());
  if (ConstantsInSegment(program())) return state_->Piece(*program().constant_segment(), index);
  return state_->InlinePayload(program().constant_buffer()->Get(static_cast<flatbuffers::uoffset_t>(index))->storage());
}

size_t PteFile::mutable_data_count() const {
  return state_->MutableOffsets() == nullptr ? 0 : CountOf(state_->MutableOffsets()->offsets());
}

std::optional<uint32_t> PteFile::mutable_data_segment() const { return state_->SegmentOf(state_->MutableOffsets()); }

absl::StatusOr<Payload> PteFile::MutableData(size_t index) const {
  if (index >= mutable_data_count()) return NoSuchIndex(*state_, "mutable data", index, mutable_data_count());
  return state_->Piece(*state_->MutableOffsets(), index);
}

}  // namespace pte
