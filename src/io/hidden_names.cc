#include "src/io/hidden_names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/base/text.h"

namespace pte {
namespace {

constexpr size_t kLongestNamePart = 200;

}  // namespace

std::string HiddenName(std::string_view name, std::string_view suffix) {
  const auto hash = static_cast<uint32_t>(XXH3_64bits(name.data(), name.size()));
  return absl::StrCat(".", ToAbsl(name.substr(0, kLongestNamePart)), ".", absl::Hex(hash, absl::kZeroPad8), ToAbsl(suffix));
}

absl::Status CheckNotClaimed(const std::filesystem::path& path) {
  if (!absl::EndsWith(path.filename().string(), ToAbsl(kClaimSuffix))) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path.string(), ": an interrupted move is emptying this file into a container; recovering that container finishes it"));
}

}  // namespace pte
