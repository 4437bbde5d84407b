#include "src/container/keys.h"

namespace pte {

absl::Status KeyNotFound(const OpenContainer& container, std::string_view key) {
  return absl::NotFoundError(absl::StrCat(container.source->name(), ": no named data with key \"", absl::CHexEscape(ToAbsl(key)), "\""));
}

absl::Status NoSuchIndex(const OpenContainer& container, std::string_view what, size_t index, size_t count) {
  return absl::InvalidArgumentError(
      absl::StrCat(container.source->name(), ": no such ", ToAbsl(what), "; wanted an index below ", count, ", found ", index));
}

}  // namespace pte
