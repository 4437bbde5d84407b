// The journal of a move: what recovery knows. schema/FORMAT.md, "Journal of a move", has its bytes.
#ifndef PTE_SRC_IO_JOURNAL_H_
#define PTE_SRC_IO_JOURNAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/io/file_backing.h"
#include "src/io/target.h"

namespace pte {

enum class MoveState : uint8_t { kPrepared = 1, kCommitted = 2 };
enum class MoveStrategy : uint8_t { kCopy = 1, kClone = 2, kAdopt = 3, kDrain = 4 };

struct JournalEntry {
  MoveStrategy strategy = MoveStrategy::kCopy;
  std::string path;       // of the source, absolute
  FileIdentity identity;  // of the source before the move
  uint32_t mode = 0;
  uint64_t offset = 0;  // of its bytes in the target
};

struct Journal {
  MoveState state = MoveState::kPrepared;
  bool synced = true;
  bool replace = true;       // whether the target may replace a file
  uint32_t mode = 0;         // that the target will have
  uint64_t file_size = 0;    // of the target
  std::string target_name;   // without the folder
  std::string work_name;     // in the target's folder
  uint64_t work_device = 0;  // of the file that will be the target
  uint64_t work_inode = 0;
  std::vector<JournalEntry> entries;
};

// The hidden name that an engine has while this move empties it; no other move has the same, not one to the same target either.
std::string ClaimPath(const Journal& journal, const JournalEntry& entry);

std::string EncodeJournal(const Journal& journal);

//   kUnimplemented  a newer version
//   kDataLoss       not a journal, or damaged
absl::StatusOr<Journal> DecodeJournal(std::string_view bytes, std::string_view name);

// The journal of a target; nullopt where there is none. Codes of DecodeJournal.
absl::StatusOr<std::optional<Journal>> ReadJournal(const Target& target);

// The targets of the journals in a folder; of one that cannot be read, as its hidden name tells.
absl::StatusOr<std::vector<std::string>> FindJournals(const std::string& folder);

// Replaces the journal whole. With journal.synced it is on the disk when this returns.
absl::Status WriteJournal(const Target& target, const Journal& journal);
absl::Status RemoveJournal(const Target& target);

absl::Status SyncFolder(const std::string& folder);

}  // namespace pte

#endif  // PTE_SRC_IO_JOURNAL_H_
