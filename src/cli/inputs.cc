#include "src/cli/inputs.h"

#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "src/cli/arguments.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

absl::Status Unreadable(std::string_view option, const std::string& text, std::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(option), ": wanted ", std::string(wanted), ", found ", Name(text)));
}

// A list of numbers with commas between; "" is the empty list, the shape of a scalar.
template <class Number>
std::optional<std::vector<Number>> ParseList(const std::string& text) {
  std::vector<Number> numbers;
  if (text.empty()) return numbers;
  for (const std::string& item : std::vector<std::string>(absl::StrSplit(text, ','))) {
    int32_t number = 0;
    if (!absl::SimpleAtoi(item, &number) || !std::in_range<Number>(number)) return std::nullopt;
    numbers.push_back(static_cast<Number>(number));
  }
  return numbers;
}

class Reader {
 public:
  explicit Reader(std::vector<Input> known) {
    for (Input& input : known) Add(std::move(input));
  }

  void Add(Input input) {
    const auto [place, is_new] = places_.try_emplace(input.key, inputs_.size());
    if (!is_new) Fail(absl::InvalidArgumentError(absl::StrCat("key ", Name(input.key), " is given twice")));
    inputs_.push_back(std::move(input));
  }

  // Keys that hold "=" are --entry's.
  void AddPair(const std::string& text) {
    const size_t split = text.find('=');
    if (split == std::string::npos || split == 0 || split + 1 == text.size()) return Fail(Unreadable("KEY=FILE", text, "KEY=FILE"));
    AddEntry(text.substr(0, split), text.substr(split + 1));
  }

  // Other bytes than UTF-8 are legal in a file, but break what reads keys as text (rule F7): nobody should begin with them.
  void AddEntry(std::string key, std::string file) {
    if (!IsUtf8(key)) return Fail(absl::InvalidArgumentError(absl::StrCat("key ", Name(key), " is not UTF-8")));
    Input input;
    input.key = std::move(key);
    input.file = std::move(file);
    Add(std::move(input));
  }

  // Gives `set` the input and the value of each KEY=VALUE; no value holds "=", so keys may.
  template <class Set>
  void Apply(std::string_view option, std::string_view wanted, const std::vector<std::string>& texts, const Set& set) {
    for (const std::string& text : texts) {
      const size_t split = text.rfind('=');
      if (split == std::string::npos) return Fail(Unreadable(option, text, wanted));
      const auto place = places_.find(text.substr(0, split));
      if (place == places_.end()) {
        return Fail(
            absl::InvalidArgumentError(absl::StrCat(std::string(option), ": no file is given for key ", Name(text.substr(0, split)))));
      }
      if (!set(inputs_[place->second], text.substr(split + 1))) return Fail(Unreadable(option, text, wanted));
    }
  }

  absl::StatusOr<std::vector<Input>> Finish() {
    for (const Input& input : inputs_) {
      if (input.dtype.has_value() != input.sizes.has_value() || (input.dim_order && !input.sizes)) {
        Fail(absl::InvalidArgumentError(absl::StrCat("key ", Name(input.key), ": --dtype and --shape go together, --dim-order with them")));
      }
    }
    if (!status_.ok()) return status_;
    for (Input& input : inputs_) AddDefaultOrder(input);
    return std::move(inputs_);
  }

 private:
  void Fail(absl::Status status) { status_.Update(std::move(status)); }

  static void AddDefaultOrder(Input& input) {
    if (!input.sizes || input.dim_order) return;
    input.dim_order.emplace(input.sizes->size());
    std::iota(input.dim_order->begin(), input.dim_order->end(), uint8_t{0});
  }

  std::vector<Input> inputs_;
  std::map<std::string, size_t> places_;
  absl::Status status_;
};

}  // namespace

std::optional<TensorLayout> Input::layout() const {
  if (!dtype || !sizes || !dim_order) return std::nullopt;
  return TensorLayout{*dtype, *sizes, *dim_order};
}

void AddInputOptions(CLI::App& command, InputOptions& options) {
  CLI::Option* pairs = command.add_option("KEY=FILE", "A key and the file with its bytes; the key ends at the first \"=\"");
  options.pairs = TakesTheRest(pairs);
  constexpr int kKeyAndFile = 2;
  CLI::Option* entries = command.add_option("--entry", "The same as two arguments, for keys that hold \"=\"; repeatable");
  options.entries = Repeatable(entries->type_size(kKeyAndFile)->type_name("KEY FILE"));
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* text, const char* type) {
    Repeatable(command.add_option(name, values, text)->type_name(type));
  };
  add("--dtype", options.dtypes, "The element type of a tensor; needs --shape; repeatable", "KEY=DTYPE");
  add("--shape", options.shapes, "Its sizes; \"KEY=\" for a scalar; repeatable", "KEY=N,N,...");
  add("--dim-order", options.dim_orders, "Its dimensions from the outermost in memory; repeatable", "KEY=N,N,...");
  add("--align", options.alignments, "Bytes that a payload's offset is a multiple of, 1 to 65536; repeatable", "KEY=N");
}

absl::StatusOr<std::vector<Input>> ReadInputs(const InputOptions& options, std::vector<Input> known) {
  Reader reader(std::move(known));
  for (const std::string& pair : options.pairs->results()) reader.AddPair(pair);
  const std::vector<std::string>& entries = options.entries->results();
  for (size_t i = 0; i + 1 < entries.size(); i += 2) reader.AddEntry(entries[i], entries[i + 1]);
  reader.Apply("--dtype", "KEY=DTYPE, such as w=float32", options.dtypes, [](Input& input, const std::string& value) {
    input.dtype = DtypeByName(value);
    return input.dtype.has_value();
  });
  reader.Apply("--shape", "KEY=N,N,...", options.shapes, [](Input& input, const std::string& value) {
    input.sizes = ParseList<int32_t>(value);
    return input.sizes.has_value();
  });
  reader.Apply("--dim-order", "KEY=N,N,...", options.dim_orders, [](Input& input, const std::string& value) {
    input.dim_order = ParseList<uint8_t>(value);
    return input.dim_order.has_value();
  });
  reader.Apply("--align", "KEY=N", options.alignments, [](Input& input, const std::string& value) {
    uint64_t number = 0;
    const bool is_number = absl::SimpleAtoi(value, &number);
    input.alignment = number;
    return is_number;
  });
  return reader.Finish();
}

std::optional<fb::ScalarType> DtypeByName(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const fb::ScalarType type : fb::EnumValuesScalarType()) {
    if (DtypeName(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace pte::cli
