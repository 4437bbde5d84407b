// SaveOptions: how a file is written and published. See pte/save.h.
//
//   pte::SaveOptions options;
//   options.durability = pte::Durability::kSynced;
//   options.if_exists = pte::IfExists::kFail;
//   absl::StatusOr<pte::SaveReport> report = pte::SavePte(contents, "model.pte", pte::LayoutOptions{}, options);
#ifndef PTE_SAVE_OPTIONS_H_
#define PTE_SAVE_OPTIONS_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pte/export.h"

namespace pte {

enum class Durability : uint8_t {
  kAtomic,  // survives the death of the process: the target is the old file or the new one
  kSynced,  // survives a power cut too: the file and its folder are synced before the call returns
};

enum class IfExists : uint8_t {
  kReplace,  // a file under the target's name is replaced; its mode bits are kept
  kFail,     // kAlreadyExists, also where the file appears while we write
};

struct Progress {
  std::string_view what;  // the key or the part that is being written; valid during the call
  uint64_t done = 0;      // bytes of the file
  uint64_t total = 0;
};

// How bytes came into a file.
enum class Strategy : uint8_t {
  kWrite,  // written from memory, or from a source that is no file
  kCopy,   // copied from a file
  kClone,  // share the blocks of a file
  kAdopt,  // were a given file, which became the new one
  kDrain,  // moved piece by piece out of a given file, which shrank as they went
};

// "write", "copy", "clone", "adopt", "drain".
PTE_EXPORT std::string_view StrategyName(Strategy strategy);

struct SaveOptions {
  // Move given files (FileBackedData::Give) into the output instead of copying them. Afterwards they are gone, and their handles read from
  // the output. A file that cannot be moved is copied and then removed; SaveReport::sources says why.
  //
  // A failure, or a kill, before the output is complete is undone: every file is at its path with its bytes, by this process or by
  // pte::Recover. Only emptying files (kDrain) cannot be undone; it comes last, and what interrupts it is finished by pte::Recover or by
  // the next save to the target.
  bool consume = false;

  // nullopt: kAtomic, and kSynced with consume, since a power cut could otherwise lose what was moved.
  std::optional<Durability> durability = std::nullopt;

  IfExists if_exists = IfExists::kReplace;

  // Called before the first byte, then at least after every 8 MiB, and after the last. false ends the call with kCancelled; while given
  // files are emptied, it ends nothing.
  std::function<bool(const Progress&)> progress = {};

  // Ways of moving that must not be taken: kClone, kAdopt and kDrain. Copying cannot be forbidden.
  std::vector<Strategy> forbidden = {};

  // Given files that somebody else still needs under their own names: cloned or copied, and left where they are.
  std::vector<std::filesystem::path> keep = {};
};

// What became of a given file.
struct SourceOutcome {
  std::filesystem::path path;
  uint64_t file_offset = 0;  // of its bytes in the output
  uint64_t size = 0;
  Strategy strategy = Strategy::kCopy;
  std::string reason = {};    // why no better strategy was taken; "" where it was cloned
  bool removed = false;       // nothing is left under its path
  std::string why_kept = {};  // where it is not removed
};

}  // namespace pte

#endif  // PTE_SAVE_OPTIONS_H_
