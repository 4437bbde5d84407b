// SaveOptions: how a file is written and published. See pte/save.h.
//
//   pte::SaveOptions options;
//   options.durability = pte::Durability::kSynced;
//   options.if_exists = pte::IfExists::kFail;
//   absl::StatusOr<pte::SaveReport> report = pte::SavePte(contents, "model.pte", pte::LayoutOptions{}, options);
#ifndef PTE_SAVE_OPTIONS_H_
#define PTE_SAVE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

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

struct SaveOptions {
  // Move given files into the output instead of copying them. Not in this version: kUnimplemented.
  bool consume = false;

  // nullopt: kAtomic.
  std::optional<Durability> durability = std::nullopt;

  IfExists if_exists = IfExists::kReplace;

  // Called before the first byte, then at least after every 8 MiB that are written or copied, and after the last; a hole, or what is cloned
  // at once, is one step. false ends the call with kCancelled.
  std::function<bool(const Progress&)> progress = {};
};

// How bytes came into a file.
enum class Strategy : uint8_t {
  kWrite,  // written from memory, or from a source that is no file
  kCopy,   // copied from a file
  kClone,  // share the blocks of a file
};

// "write", "copy", "clone".
PTE_EXPORT std::string_view StrategyName(Strategy strategy);

}  // namespace pte

#endif  // PTE_SAVE_OPTIONS_H_
