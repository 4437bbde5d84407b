#include "src/cli/payload_check.h"

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "pte/fault.h"
#include "pte/rope.h"
#include "src/cli/container.h"
#include "src/cli/entries.h"
#include "src/cli/manifest.h"
#include "src/cli/manifest_reader.h"
#include "src/cli/progress.h"
#include "src/cli/sha256.h"

namespace pte::cli {
namespace {

// What tells one payload from the others of its container; test tensors of one case are told by their order.
std::string IdentityOf(const Json& entry) {
  Json identity;
  for (const char* member : {"role", "key", "method", "index"}) identity[member] = entry.contains(member) ? entry[member] : Json();
  return ToText(identity);
}

class PayloadChecker {
 public:
  explicit PayloadChecker(const Container& container) : container_(container), line_(container.path) {}

  absl::StatusOr<PayloadFindings> Run(const Json& entries, const std::string& manifest) {
    const absl::StatusOr<std::vector<Entry>> all = ListEntries(container_);
    if (!all.ok()) return all.status();
    for (const Entry& entry : *all) own_[IdentityOf(EntryJson(container_, entry))].push_back(&entry);
    for (const Json& wanted : entries) {
      const bool is_listed = wanted.is_object() && wanted.contains("sha256") && wanted["sha256"].is_string();
      if (!is_listed) return absl::DataLossError(absl::StrCat(manifest, ": wanted entries with a sha256 each, as extract writes them"));
      const absl::Status compared = Compare(wanted);
      if (!compared.ok()) return compared;
    }
    for (const Entry& entry : *all) ReportUnlisted(entry);
    return std::move(findings_);
  }

 private:
  void Add(Severity severity, std::optional<uint64_t> offset, std::string path, std::string what, std::string expected,
           std::string actual) {
    if (counts_[severity]++ >= Limits{}.max_findings) {
      ++findings_.omitted;
      return;
    }
    findings_.findings.push_back({"", severity, offset, std::move(path), std::move(what), std::move(expected), std::move(actual)});
  }

  absl::Status Compare(const Json& wanted) {
    const std::string identity = IdentityOf(wanted);
    const auto known = own_.find(identity);
    const size_t which = met_[identity]++;
    if (known == own_.end() || which >= known->second.size()) {
      Add(Severity::kError, std::nullopt, identity, "the manifest's payload is not in the file", "the payload", "none");
      return absl::OkStatus();
    }
    const Entry& entry = *known->second[which];
    const absl::StatusOr<std::string> hash = HashOf(entry);
    if (!hash.ok()) return hash.status();
    const auto sha256 = wanted["sha256"].get<std::string>();
    if (*hash == sha256) return absl::OkStatus();
    Add(Severity::kError, entry.offset, TitleOf(container_, entry), "the payload's bytes are not those of the manifest",
        absl::StrCat("SHA-256 ", sha256), *hash);
    return absl::OkStatus();
  }

  void ReportUnlisted(const Entry& entry) {
    const std::string identity = IdentityOf(EntryJson(container_, entry));
    if (passed_[identity]++ < met_[identity]) return;
    Add(Severity::kWarning, entry.offset, TitleOf(container_, entry), "a payload that the manifest does not list", "an entry", "none");
  }

  // Payloads that share their bytes are read once.
  absl::StatusOr<std::string> HashOf(const Entry& entry) {
    auto known = hashes_.find({entry.offset, entry.size});
    if (known != hashes_.end()) return known->second;
    const uint64_t most = container_.header.file_size;
    if (entry.size > most - done_) {
      return absl::ResourceExhaustedError(
          absl::StrCat(container_.path, ": its payloads overlap: reading them would take more than the file's ", most, " bytes"));
    }
    Rope bytes;
    const absl::Status in_file = bytes.Append(container_.source, entry.offset, entry.size);
    if (!in_file.ok()) return in_file;
    absl::StatusOr<std::string> hash = Sha256(bytes, [&](uint64_t seen) { line_.Show(TitleOf(container_, entry), done_ + seen, most); });
    if (!hash.ok()) return hash;
    done_ += entry.size;
    hashes_.emplace(std::pair(entry.offset, entry.size), *hash);
    return hash;
  }

  const Container& container_;
  ProgressLine line_;
  std::map<std::string, std::vector<const Entry*>> own_;
  std::map<std::string, size_t> met_;     // in the manifest
  std::map<std::string, size_t> passed_;  // in the file
  std::map<std::pair<uint64_t, uint64_t>, std::string> hashes_;
  uint64_t done_ = 0;
  std::map<Severity, uint64_t> counts_;
  PayloadFindings findings_;
};

}  // namespace

absl::StatusOr<PayloadFindings> CheckPayloads(const std::string& file, const std::string& manifest, bool is_damaged) {
  std::filesystem::path path = manifest;
  if (std::filesystem::is_directory(path)) path /= kManifestName;
  const absl::StatusOr<Json> json = ReadManifestJson(path);
  if (!json.ok()) return json.status();
  OpenOptions options;
  options.allow_newer = true;
  const absl::StatusOr<Container> container = OpenContainer(file, options);
  if (is_damaged && FaultOf(container.status())) return PayloadFindings();
  if (!container.ok()) return container.status();
  return PayloadChecker(*container).Run((*json)["entries"], path.string());
}

}  // namespace pte::cli
