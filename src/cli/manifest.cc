#include "src/cli/manifest.h"

#include "pte/byte_sink.h"

namespace pte::cli {

std::string ManifestText(const Container& container, const std::vector<Entry>& entries, const std::vector<ManifestPlace>& places,
                         const std::vector<size_t>& which) {
  std::string text;
  StringSink sink(text);
  JsonStream json(sink);
  json.BeginObject();
  json.Member("pte_json", kJsonVersion);
  json.Member("file", Text(container.path));
  json.Member("kind", ContainerKindName(container.kind()));
  json.BeginArray("entries");
  for (size_t i = 0; i < entries.size(); ++i) {
    Json entry = EntryJson(container, entries[i]);
    entry["path"] = places[which[i]].path;
    entry["sha256"] = places[which[i]].sha256;
    json.Item(entry);
  }
  json.End();
  json.End();
  return text;
}

}  // namespace pte::cli
