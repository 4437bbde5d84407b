#include "tests/interop/variant.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "pte/bytes.h"
#include "pte/file_backed_data.h"
#include "pte/layout.h"
#include "tests/support/rewrite.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using Path = std::filesystem::path;

// What is added gets a key that no other file has: the runtime refuses a key in two files.
enum class Added : uint8_t { kNothing, kPayload, kMovedEngine };

absl::Status Add(Added added, const std::string& file_name, const TempDir& out, NamedDataStore& store) {
  constexpr size_t kPayloadSize = 10'000;
  constexpr size_t kEngineSize = 3'000'000;
  const std::string key = "added to " + file_name;
  if (added == Added::kPayload) return store.Add(key, Bytes::FromString(std::string(kPayloadSize, '\x5a')), {.alignment = 256});
  const std::filesystem::path engine = out / ("engine of " + file_name);
  WriteFile(engine, std::string(kEngineSize, '\x5b'));
  const auto given = FileBackedData::Give(engine);
  return given.ok() ? store.Add(key, *given, {.alignment = 4096}) : given.status();
}

Variant Rewritten(std::string name, const LayoutOptions& layout, Added added = Added::kNothing) {
  const auto make = [layout, added](const Path& fixture, const TempDir& out) {
    const std::string file_name = fixture.filename().string();
    const Path to = out / ("rewritten_" + file_name);
    SaveOptions options;
    options.consume = added == Added::kMovedEngine;
    const auto add = [&](NamedDataStore& store) { return added == Added::kNothing ? absl::OkStatus() : Add(added, file_name, out, store); };
    EXPECT_THAT(Rewrite(fixture, to, layout, add, options), IsOk());
    EXPECT_FALSE(std::filesystem::exists(out / ("engine of " + file_name)));
    return to;
  };
  return {std::move(name), make, added != Added::kNothing, true};
}

}  // namespace

const std::vector<Variant>& Variants() {
  static const auto* const kVariants = new std::vector<Variant>{
      {"original", [](const Path& fixture, const TempDir&) { return fixture; }},
      Rewritten("rewritten in the reference layout", ReferenceLayout()),
      Rewritten("rewritten in the default layout", LayoutOptions()),
      Rewritten("with one more named payload", LayoutOptions(), Added::kPayload),
      Rewritten("with an engine moved in", LayoutOptions(), Added::kMovedEngine),
  };
  return *kVariants;
}

}  // namespace pte::test
