// NamedDataStore: payloads by key, on their way into containers.
//
//   pte::NamedDataStore store;
//   absl::Status added = store.Add("weights", pte::Bytes::FromString(bytes), {.alignment = 64});
//   added = store.Add("alias", *engine);                               // a FileBackedData; equal payloads share their bytes
//   absl::Status renamed = store.Rename("weights", "encoder.weights");
//   for (const pte::NamedDataEntry& e : store.entries()) Show(e.key(), e.size());
//
// Equal payloads are kept once under all their keys. Only payloads of equal length are ever compared: first by their first and last 4 KiB,
// then byte by byte, in bounded memory; the payload whose length no other has is never read. Keys are compared by full length and may
// hold any byte. A call that fails leaves the store as it was.
//
// Ownership: a value; copies share payloads, not entries. References to entries are valid until the entry is removed or the store goes.
// Thread rule: const calls may run at the same time. Cost: constant time a call, whatever the number of keys, beside the comparing.
// Source of the format's facts: schema/FORMAT.md, "Named data".
#ifndef PTE_NAMED_DATA_STORE_H_
#define PTE_NAMED_DATA_STORE_H_

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pte/export.h"
#include "pte/rope.h"
#include "pte/segment.h"

namespace pte {

struct NamedDataOptions {
  // The payload's first byte stands at a multiple of this in the file: 1 to 65536, not necessarily a power of two. A payload that several
  // keys share stands at a multiple of the least common multiple of their alignments.
  uint64_t alignment = 1;

  // How the bytes are laid out as a tensor; copied. nullopt: an opaque blob. Only .ptd files store it.
  std::optional<TensorLayout> tensor_layout = std::nullopt;

  // The .ptd file that the payload goes to, without folder and ending; "" is the program's own file. See SaveProgramAndData.
  std::string external_tag = {};
};

class PTE_EXPORT NamedDataEntry {
 public:
  const std::string& key() const { return key_; }
  const Rope& data() const;
  uint64_t size() const { return data().size(); }  // in bytes

  // As requested for this key, by all calls that added it; at least 1.
  uint64_t alignment() const { return alignment_; }
  const std::string& external_tag() const { return external_tag_; }

  // Views into the entry.
  std::optional<TensorLayout> tensor_layout() const;

  // Whether two entries share one payload.
  bool SharesPayloadWith(const NamedDataEntry& other) const { return payload_ == other.payload_; }

 private:
  friend class NamedDataStore;
  friend struct StoreAccess;
  struct Payload;
  struct Layout {
    fb::ScalarType scalar_type = fb::ScalarType::BYTE;
    std::vector<int32_t> sizes;
    std::vector<uint8_t> dim_order;
    bool operator==(const Layout&) const = default;
  };

  void SetLayout(const std::optional<TensorLayout>& layout);

  std::string key_;
  std::shared_ptr<Payload> payload_;
  std::vector<Rope> absorbed_;  // ropes given for this key that the payload has the bytes of: their files are consumed all the same
  uint64_t alignment_ = 1;
  std::optional<Layout> layout_;
  std::string external_tag_;
};

struct ExternalizeOptions {
  // The name of the file, and of those after it where one is not enough: "tag", "tag_1", "tag_2"; names that the store uses already are
  // passed over.
  std::string tag = {};

  // No file grows beyond this many bytes in the default layout, padding and directory included, save one that holds a single payload: it
  // may need more.
  uint64_t max_file_size = UINT64_MAX;
};

class PTE_EXPORT NamedDataStore {
 public:
  NamedDataStore();
  NamedDataStore(const NamedDataStore& other);
  NamedDataStore(NamedDataStore&&) noexcept;
  NamedDataStore& operator=(NamedDataStore other) noexcept;
  ~NamedDataStore();

  // Appends an entry. A key that is there with equal bytes, layout and tag gains the new alignment and is left as it is otherwise.
  //   kAlreadyExists    the key is there with other bytes, another layout or another tag
  //   kInvalidArgument  an alignment out of range, a layout that contradicts itself or the payload's size, or alignments of one shared
  //                     payload whose least common multiple is above 1 MiB; the message has both
  //   others            from reading payloads of equal length
  absl::Status Add(std::string_view key, Rope data, const NamedDataOptions& options = {});

  //   kNotFound  no such key
  absl::Status Remove(std::string_view key);

  // Gives the key other bytes; its place, alignment, layout and tag stay, and so do other keys that shared the old bytes.
  //   kNotFound         no such key
  //   kInvalidArgument  the new size contradicts the layout
  absl::Status Replace(std::string_view key, Rope data);

  //   kNotFound       no such key
  //   kAlreadyExists  `to` is there already
  absl::Status Rename(std::string_view from, std::string_view to);

  // Adds all entries of `other` behind these, by the rules of Add: all or none.
  //   kAlreadyExists  keys that both have, differently; the message names each
  absl::Status Merge(const NamedDataStore& other);

  // Gives entries of the program's own file that `which` picks an external tag, in order, and returns the tags used. Keys that share a
  // payload stay together: picking one picks all.
  //   kInvalidArgument  the tag is not a plain file name
  absl::StatusOr<std::vector<std::string>> Externalize(const std::function<bool(const NamedDataEntry&)>& which,
                                                       const ExternalizeOptions& options);

  // The entry with this key, or nullptr.
  const NamedDataEntry* Find(std::string_view key) const;

  // In the order of their adding.
  const std::list<NamedDataEntry>& entries() const;
  size_t size() const { return entries().size(); }
  bool empty() const { return entries().empty(); }

 private:
  friend struct StoreAccess;
  struct State;
  State& state();

  std::unique_ptr<State> state_;  // nullptr: no entry yet
};

}  // namespace pte

#endif  // PTE_NAMED_DATA_STORE_H_
