#include "tests/interop/variant.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "pte/bytes.h"
#include "pte/layout.h"
#include "tests/support/rewrite.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using Path = std::filesystem::path;

Variant Rewritten(std::string name, const LayoutOptions& layout, bool add_payload = false) {
  const auto make = [layout, add_payload](const Path& fixture, const TempDir& out) {
    const std::string file_name = fixture.filename().string();
    // Of an alignment of its own, and under a key that no other file has: the runtime refuses a key in two files.
    const auto add = [&](NamedDataStore& store) {
      constexpr size_t kSize = 10'000;
      return store.Add("added to " + file_name, Bytes::FromString(std::string(kSize, '\x5a')), {.alignment = 256});
    };
    const Path to = out / ("rewritten_" + file_name);
    EXPECT_THAT(add_payload ? Rewrite(fixture, to, layout, add) : Rewrite(fixture, to, layout), IsOk());
    return to;
  };
  return {std::move(name), make, add_payload, true};
}

}  // namespace

const std::vector<Variant>& Variants() {
  static const auto* const kVariants = new std::vector<Variant>{
      {"original", [](const Path& fixture, const TempDir&) { return fixture; }},
      Rewritten("rewritten in the reference layout", ReferenceLayout()),
      Rewritten("rewritten in the default layout", LayoutOptions()),
      Rewritten("with one more named payload", LayoutOptions(), true),
  };
  return *kVariants;
}

}  // namespace pte::test
