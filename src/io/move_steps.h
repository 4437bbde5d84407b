// The steps of a move, each a function of the target's journal and of what stands on the disk: the same code runs in the process that
// moves and in the one that recovers, and any step may be repeated.
#ifndef PTE_SRC_IO_MOVE_STEPS_H_
#define PTE_SRC_IO_MOVE_STEPS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/io/file_writer.h"
#include "src/io/journal.h"
#include "src/io/progress.h"
#include "src/io/target.h"

namespace pte {

std::string WorkPath(const Target& target, const Journal& journal);

// An engine is copied and cut off in pieces of this size: large enough that whole extents are freed.
inline constexpr uint64_t kDrainChunk = uint64_t{64} << 20;

// The size in use: tests alone change it, so that small engines have several pieces.
uint64_t DrainChunk();
void SetDrainChunk(uint64_t chunk);

// Whether the target is the file that the journal's move made.
absl::StatusOr<bool> IsPublished(const Target& target, const Journal& journal);

// Whether everything that a recovery would touch is what the journal says.
//   kDataLoss  it is not; the message says what is another
absl::Status CheckJournal(const Target& target, const Journal& journal);

// Makes the engine the work file: its name goes, and a hole comes in front of its bytes. `fd` is the open engine.
absl::Status Adopt(const Target& target, const Journal& journal, const JournalEntry& entry, int fd);

// Gives each engine that is to be drained its hidden name.
//   kAborted  an engine is gone, or another file has its name
absl::Status ClaimEngines(const Journal& journal);

// Everything as it was before the move, which must not be committed. Removes the journal last.
absl::Status UndoMove(const Target& target, const Journal& journal);

// Where the piece of an engine of `size` bytes begins that is drained next: of a whole chunk, but for the last one in front, and at a
// block, so that cutting it off frees as much as it took.
uint64_t LastPiece(uint64_t size, uint64_t block);

// The engine that is drained first: the largest, so that no other has a larger piece than the one that space is reserved for; nullptr
// where there is none.
const JournalEntry* FirstDrained(const Journal& journal);

// From the commit point on. Empties the engines into the work file, from the back to the front.
absl::Status DrainEngines(const Target& target, const Journal& journal, ProgressMeter& meter);

// Gives the complete work file its mode and the target's name.
absl::Status PublishWork(const Target& target, const Journal& journal);

// Removes the sources, whose bytes are in the published target; one message for each that stays, "" for the others, parallel to the
// entries.
std::vector<std::string> RemoveSources(const Journal& journal);

}  // namespace pte

#endif  // PTE_SRC_IO_MOVE_STEPS_H_
