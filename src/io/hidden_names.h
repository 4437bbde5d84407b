// The hidden names beside a file: whose they are can be told from the name alone.
#ifndef PTE_SRC_IO_HIDDEN_NAMES_H_
#define PTE_SRC_IO_HIDDEN_NAMES_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace pte {

inline constexpr std::string_view kLockSuffix = ".pte-lock";
inline constexpr std::string_view kWorkSuffix = ".pte-work";            // becomes the target by renaming
inline constexpr std::string_view kJournalSuffix = ".pte-move";         // tells how far a move is
inline constexpr std::string_view kNewJournalSuffix = ".pte-move-new";  // becomes the journal by renaming
inline constexpr std::string_view kClaimSuffix = ".pte-drain";          // an engine that is being emptied

// ".NAME.HASH" + suffix: hidden, matched by no pattern for containers, short enough whatever the name, and different for any two names.
std::string HiddenName(std::string_view name, std::string_view suffix);

// kFailedPrecondition: the file is an engine that a move is emptying; the message says what finishes it.
absl::Status CheckNotClaimed(const std::filesystem::path& path);

}  // namespace pte

#endif  // PTE_SRC_IO_HIDDEN_NAMES_H_
