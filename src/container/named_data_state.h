// What a NamedDataStore holds.
#ifndef PTE_SRC_CONTAINER_NAMED_DATA_STATE_H_
#define PTE_SRC_CONTAINER_NAMED_DATA_STATE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/named_data_store.h"
#include "src/container/payload_index.h"

namespace pte {

struct NamedDataEntry::Payload : IndexedPayload, std::enable_shared_from_this<NamedDataEntry::Payload> {
  // What one key asks for, or several: an alignment in the file with this tag.
  struct Request {
    std::string tag;
    uint64_t alignment = 1;
  };
  struct RequestView {
    std::string_view tag;
    uint64_t alignment = 1;
  };
  struct Before {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return std::pair(std::string_view(a.tag), a.alignment) < std::pair(std::string_view(b.tag), b.alignment);
    }
  };
  std::map<Request, size_t, Before> requests;  // with how many keys ask for it
  std::optional<uint32_t> kept_segment;
};

// Seeded, so that a file cannot choose keys that fall into one bucket.
struct KeyHash {
  uint64_t seed;
  size_t operator()(std::string_view key) const;
};

struct NamedDataStore::State {
  State();
  State(const State& other);

  using Entries = std::list<NamedDataEntry>;
  Entries entries;
  std::unordered_map<std::string_view, Entries::iterator, KeyHash> by_key;  // views of the entries' own keys
  PayloadIndex payloads;

  absl::StatusOr<Entries::iterator> Require(std::string_view key);

  // Add, without the check of the alignment's range. What becomes of an entry that is there already waits in `changes`.
  class Changes;
  class Appended;
  absl::Status Add(std::string_view key, const Rope& data, std::vector<Rope> absorbed, const NamedDataOptions& options, Changes& changes);
  absl::Status AddAgain(NamedDataEntry& entry, const Rope& data, std::vector<Rope> absorbed, const NamedDataOptions& options,
                        Changes& changes);

  // The payload with these bytes, which the store may have already; it is not the store's until it has a request.
  absl::StatusOr<std::shared_ptr<NamedDataEntry::Payload>> PayloadOf(Rope data);

  // Whether the payload can have this alignment beside what its keys in the same file ask for.
  absl::Status CheckRequest(const NamedDataEntry::Payload& payload, std::string_view tag, std::string_view key, uint64_t alignment) const;

  // Where these throw, nothing has changed.
  void Request(NamedDataEntry::Payload& payload, const std::string& tag, uint64_t alignment);
  void Append(NamedDataEntry entry);

  // These never throw.
  void TakeBack(NamedDataEntry::Payload& payload, std::string_view tag, uint64_t alignment);
  void Erase(Entries::iterator entry);
};

// Changes of entries that take effect together. Committing cannot fail; what is not committed never was.
class NamedDataStore::State::Changes {
 public:
  explicit Changes(State& state) : state_(state) {}
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;
  ~Changes();

  // Lets the entry have another payload, tag or alignment, and other absorbed ropes.
  void Add(NamedDataEntry& entry, std::shared_ptr<NamedDataEntry::Payload> payload, std::string tag, uint64_t alignment,
           std::vector<Rope> absorbed);
  void Commit();

 private:
  struct Change {
    NamedDataEntry& entry;
    std::shared_ptr<NamedDataEntry::Payload> payload;
    std::string tag;
    uint64_t alignment;
    std::vector<Rope> absorbed;
  };

  State& state_;
  std::vector<Change> changes_;
};

// Entries appended while this lives; without a commit they go again.
class NamedDataStore::State::Appended {
 public:
  explicit Appended(State& state) : state_(state), kept_(state.entries.size()) {}
  Appended(const Appended&) = delete;
  Appended& operator=(const Appended&) = delete;
  ~Appended() {
    while (state_.entries.size() > kept_) state_.Erase(std::prev(state_.entries.end()));
  }

  void Commit() { kept_ = state_.entries.size(); }

 private:
  State& state_;
  size_t kept_;
};

// What the writers and readers of containers may do beyond the public face.
struct StoreAccess {
  static std::optional<uint32_t> KeptSegment(const NamedDataEntry& entry) { return entry.payload_->kept_segment; }
  static const std::vector<Rope>& Absorbed(const NamedDataEntry& entry) { return entry.absorbed_; }
  static const void* PayloadId(const NamedDataEntry& entry) { return entry.payload_.get(); }

  // Appends an entry as a file has it, unchecked; its key must be new. Entries of one segment share its payload.
  using KeptPayloads = std::unordered_map<uint32_t, std::shared_ptr<NamedDataEntry::Payload>>;
  static void AppendKept(NamedDataStore& store, std::string_view key, const Rope& data, uint32_t segment,
                         const std::optional<TensorLayout>& layout, KeptPayloads& payloads);

  // A store of the entries with this tag alone.
  static NamedDataStore WithTag(const NamedDataStore& store, std::string_view tag);
};

}  // namespace pte

#endif  // PTE_SRC_CONTAINER_NAMED_DATA_STATE_H_
