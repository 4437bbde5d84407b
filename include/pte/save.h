// Planning, writing and saving containers.
//
//   pte::SaveOptions options;
//   options.progress = [](const pte::Progress& p) { Show(p.what, p.done, p.total); return !interrupted; };
//   absl::StatusOr<pte::SaveReport> report = pte::SavePte(contents, "model.pte", pte::LayoutOptions{}, options);
//   if (!report.ok()) return report.status();                          // model.pte is what it was before
//   Show(report->file_size, report->bytes_copied);
//
// Saving is atomic. The container is written to a hidden file beside the target, every call is checked, and one rename publishes it: under
// the target's name stands the old file or the complete new one, never a part. On any failure the target and all inputs are untouched and
// nothing is left behind. The hidden file of a saver that was killed is removed by the next save to the same target.
//
// With SaveOptions::consume, files that were given (FileBackedData::Give) are moved into the output: see pte/save_options.h for what that
// means for them, and pte/recover.h for what finishes it after a kill.
//
// Inputs may be files of any size: they are cloned where the file system can share blocks, else copied by the kernel, else in chunks; holes
// stay holes. The output may be one of the inputs.
//
// Ownership: contents are only read and may be saved again. Thread rule: contents must not change during a call; progress is called on the
// calling thread. Cost: memory for the flatbuffer and a few MiB, whatever the payloads' sizes.
#ifndef PTE_SAVE_H_
#define PTE_SAVE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/byte_sink.h"
#include "pte/contents.h"
#include "pte/export.h"
#include "pte/layout.h"
#include "pte/rope.h"
#include "pte/save_options.h"

namespace pte {

struct SavedPayload {
  PayloadRole role = PayloadRole::kUnused;
  std::string key = {};
  uint64_t file_offset = 0;
  uint64_t size = 0;
  Strategy strategy = Strategy::kWrite;  // the one that took most of its bytes
};

struct SaveReport {
  std::filesystem::path path;  // as given; "" for a sink
  uint64_t file_size = 0;

  // These add up to file_size; holes count as what they were taken for.
  uint64_t bytes_written = 0;  // from memory, padding included
  uint64_t bytes_copied = 0;
  uint64_t bytes_cloned = 0;
  uint64_t bytes_moved = 0;  // adopted and drained

  std::vector<SavedPayload> payloads;

  // With SaveOptions::consume: the given files, those too whose bytes equal another payload's.
  std::vector<SourceOutcome> sources;
};

// Every offset of the file that writing would give. Touches no disk, save where two file-backed delegate payloads have the same length
// and must be compared. Entries with an external tag are no part of the program's file.
//   kInvalidArgument    contents or options contradict themselves; the message names the place
//   kResourceExhausted  a flatbuffer of 2^31 - 1 bytes or more; the message names the largest contributors
PTE_EXPORT absl::StatusOr<LayoutPlan> PlanPte(const PteContents& contents, const LayoutOptions& layout = {});
PTE_EXPORT absl::StatusOr<LayoutPlan> PlanPtd(const PtdContents& contents, const LayoutOptions& layout = {});

// What a save with SaveOptions::consume to `path` would do with each given file, and how many bytes it would take up on the target's disk,
// at the most, beyond what is taken up now. Nothing is changed.
struct MovePlan {
  LayoutPlan layout;
  std::vector<SourceOutcome> sources;  // `removed`: would be
  uint64_t extra_disk = 0;
};
//   codes of PlanPte, kAborted where a file has changed since it was given, and from errno
PTE_EXPORT absl::StatusOr<MovePlan> PlanMoves(const PteContents& contents, const std::filesystem::path& path,
                                              const LayoutOptions& layout = {}, const SaveOptions& options = {});
PTE_EXPORT absl::StatusOr<MovePlan> PlanMoves(const PtdContents& contents, const std::filesystem::path& path,
                                              const LayoutOptions& layout = {}, const SaveOptions& options = {});

// Hands the file's bytes to `sink`, in order; the sink's first error ends it. Of the options, progress alone is used.
//   codes of PlanPte
//   kInvalidArgument  entries with an external tag, which only SaveProgramAndData writes
//   kAborted          a file changed since it was lent or opened
//   kCancelled        by options.progress
//   others            from sources, and from the sink
PTE_EXPORT absl::StatusOr<SaveReport> WritePte(const PteContents& contents, ByteSink& sink, const LayoutOptions& layout = {},
                                               const SaveOptions& options = {});
PTE_EXPORT absl::StatusOr<SaveReport> WritePtd(const PtdContents& contents, ByteSink& sink, const LayoutOptions& layout = {},
                                               const SaveOptions& options = {});

// Saves under `path`, atomically. A symbolic link is followed: the file it leads to is replaced.
//   codes of WritePte
//   kAborted            another process is saving to the same target;
//                       or an interrupted move to it was finished just now, and only a further call replaces it;
//                       or, with consume, the move is unfinished and pte::Recover finishes it
//   kAlreadyExists      options.if_exists is kFail
//   kInvalidArgument    the target is a device, pipe or socket: write to a ByteSink instead
//   kResourceExhausted  no space (ENOSPC, EDQUOT), or above the process's limit for file sizes
//   others              from errno: read-only folder, target is a folder
PTE_EXPORT absl::StatusOr<SaveReport> SavePte(const PteContents& contents, const std::filesystem::path& path,
                                              const LayoutOptions& layout = {}, const SaveOptions& options = {});
PTE_EXPORT absl::StatusOr<SaveReport> SavePtd(const PtdContents& contents, const std::filesystem::path& path,
                                              const LayoutOptions& layout = {}, const SaveOptions& options = {});

// Any bytes, with the same promises: what stands beside a container, such as a debug file.
PTE_EXPORT absl::StatusOr<SaveReport> SaveBytes(const Rope& bytes, const std::filesystem::path& path, const SaveOptions& options = {});

// A file saved after the containers, in the same folder.
struct SideArtefact {
  std::string file_name = {};  // a plain file name
  Rope bytes = {};
};

struct SaveSetReport {
  std::vector<SaveReport> files;  // in the order of their saving, the program first
};

// Saves the program under `path`, then one .ptd for each external tag beside it, "<tag>.ptd", then the side artefacts. What can be found
// wrong before the first byte is written fails before it. A later failure keeps what was published, and its message says which files stand.
//   codes of SavePte
//   kInvalidArgument  a tag or a name that is not a plain file name, two artefacts that would be one file, or bytes of a file lent by its
//                     name that an earlier artefact replaces
PTE_EXPORT absl::StatusOr<SaveSetReport> SaveProgramAndData(const PteContents& contents, const std::filesystem::path& path,
                                                            const LayoutOptions& layout = {}, const SaveOptions& options = {},
                                                            const std::vector<SideArtefact>& side_artefacts = {});

}  // namespace pte

#endif  // PTE_SAVE_H_
