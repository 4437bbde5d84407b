#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "src/cli/info.h"
#include "src/cli/parts.h"
#include "src/cli/shape.h"
#include "src/cli/text.h"

namespace pte::cli {
namespace {

// One screen: long lists are cut, --json has all.
constexpr size_t kMostMethods = 40;
constexpr size_t kMostValues = 24;
constexpr size_t kMostOperators = 30;
constexpr size_t kMostBackends = 30;
constexpr size_t kMostSuites = 40;
constexpr size_t kMostParts = 40;
constexpr size_t kMostText = 60;
constexpr size_t kLabel = 16;
constexpr size_t kWideLabel = 40;

std::string Line(std::string label, const std::string& text) { return absl::StrCat("  ", Column(std::move(label), kLabel), text, "\n"); }

std::string WideLine(std::string label, const std::string& text) {
  return absl::StrCat("  ", Column(std::move(label), kWideLabel), text, "\n");
}

std::string More(size_t count, size_t shown, std::string_view noun) {
  if (count <= shown) return "";
  return absl::StrCat("  ... and ", Count(count - shown, noun), " more; --json lists all\n");
}

std::string DoubleText(double value) {
  constexpr size_t kLongest = 32;
  std::array<char, kLongest> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// " = 7" of what a method without instructions returns.
std::string ConstantText(const fb::EValue& value) {
  if (const fb::Int* number = value.val_as_Int()) return absl::StrCat(" = ", number->int_val());
  if (const fb::Bool* truth = value.val_as_Bool()) return truth->bool_val() ? " = true" : " = false";
  if (const fb::Double* number = value.val_as_Double()) return absl::StrCat(" = ", DoubleText(number->double_val()));
  const fb::String* text = value.val_as_String();
  if (text == nullptr || text->string_val() == nullptr) return "";
  const std::string_view all = ViewOf(text->string_val());
  return absl::StrCat(" = ", Name(all.substr(0, kMostText)), all.size() > kMostText ? "..." : "");
}

std::string ValueText(const MethodValue& item, bool is_constant) {
  if (item.value == nullptr) return absl::StrFormat("value %d, which the method does not have", item.index);
  const fb::Tensor* tensor = TensorOf(item.value);
  if (tensor != nullptr) return LayoutText(LayoutOf(*tensor), tensor->shape_dynamism());
  const fb::KernelTypes type = item.value->val_type();
  if (type == fb::KernelTypes::NONE) return "no type";
  const char* name = fb::EnumNameKernelTypes(type);
  if (*name == '\0') return absl::StrFormat("type %d", static_cast<int>(type));
  return name + (is_constant ? ConstantText(*item.value) : "");
}

std::string ValuesText(std::string_view label, const std::vector<MethodValue>& values) {
  if (values.empty()) return Line(std::string(label) + "s", "none");
  std::string out;
  for (size_t i = 0; i < std::min(values.size(), kMostValues); ++i) {
    out += Line(std::string(label) + " " + std::to_string(i), ValueText(values[i], false));
  }
  return out + More(values.size(), kMostValues, label);
}

std::string InstructionsText(const InstructionCounts& counts) {
  using enum fb::InstructionArguments;
  std::string out = std::to_string(counts.total());
  std::string_view separator = ": ";
  const auto add = [&](fb::InstructionArguments kind, std::string_view noun) {
    if (counts.of(kind) == 0) return;
    out += separator;
    out += Count(counts.of(kind), noun);
    separator = ", ";
  };
  add(KernelCall, "kernel call");
  add(DelegateCall, "delegate call");
  add(MoveCall, "move");
  add(JumpFalseCall, "jump");
  add(FreeCall, "free");
  add(NONE, "unknown");
  return out;
}

std::string PlannedText(const fb::ExecutionPlan& plan, bool exact) {
  const std::vector<int64_t> sizes = PlannedMemory(plan);
  std::string out;
  for (size_t i = 0; i < std::min(sizes.size(), kMostValues); ++i) {
    if (i != 0) out += " + ";
    out += sizes[i] < 0 ? std::to_string(sizes[i]) : SizeText(static_cast<uint64_t>(sizes[i]), exact);
  }
  return sizes.empty() ? "none" : out + (sizes.size() > kMostValues ? " + ..." : "");
}

std::string MethodText(const Method& method, bool exact) {
  std::string out = absl::StrCat("\nmethod ", Name(method.name), "\n");
  out += ValuesText("input", method.inputs);
  out += ValuesText("output", method.outputs);
  out += Line("instructions", InstructionsText(method.instructions));
  return out + Line("planned memory", PlannedText(*method.table, exact));
}

// Exporters store a model's settings as methods that run nothing.
bool IsConstant(const Method& method) { return method.instructions.total() == 0 && method.inputs.empty() && !method.outputs.empty(); }

std::string ConstantMethodText(const Method& method) {
  std::string values;
  for (size_t i = 0; i < std::min(method.outputs.size(), kMostValues); ++i) {
    if (i != 0) values += ", ";
    values += ValueText(method.outputs[i], true);
  }
  return WideLine(Name(method.name), values + (method.outputs.size() > kMostValues ? ", ..." : ""));
}

std::string MethodsText(const std::vector<Method>& methods, bool exact) {
  std::string ordinary;
  std::string constant;
  for (size_t i = 0; i < std::min(methods.size(), kMostMethods); ++i) {
    if (IsConstant(methods[i])) {
      constant += ConstantMethodText(methods[i]);
    } else {
      ordinary += MethodText(methods[i], exact);
    }
  }
  if (!constant.empty()) constant.insert(0, "\nmethods that return constants\n");
  return ordinary + constant + More(methods.size(), kMostMethods, "method");
}

std::string BackendsText(const std::vector<Backend>& backends, bool exact) {
  if (backends.empty()) return "\nbackends\n  none\n";
  std::string out = "\nbackends\n";
  for (size_t i = 0; i < std::min(backends.size(), kMostBackends); ++i) {
    const Backend& backend = backends[i];
    out += WideLine(Name(backend.id), absl::StrCat(Count(backend.delegates, "delegate"), ", ", SizeText(backend.size, exact)));
  }
  return out + More(backends.size(), kMostBackends, "backend");
}

// Names are kept until all calls are counted; those of real operators have less than 100 characters.
std::string OperatorName(const fb::Operator* op) {
  constexpr size_t kLongest = 256;
  if (op == nullptr) return "calls to operators that the method does not have";
  std::string name = op->name() == nullptr ? "(no name)" : Name(ViewOf(op->name()).substr(0, kLongest));
  if (SizeOf(op->overload()) != 0) absl::StrAppend(&name, ".", Name(ViewOf(op->overload()).substr(0, kLongest)));
  return name;
}

// Kernel calls of all methods by operator, the most frequent first.
std::string OperatorsText(const std::vector<Method>& methods) {
  std::map<std::string, uint64_t> calls;
  for (const Method& method : methods) {
    for (const OperatorCalls& op : method.operators) calls[OperatorName(op.table)] += op.calls;
  }
  if (calls.empty()) return "\noperators\n  none\n";
  std::vector<std::pair<std::string, uint64_t>> sorted(calls.begin(), calls.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = "\noperators\n";
  for (size_t i = 0; i < std::min(sorted.size(), kMostOperators); ++i) {
    out += WideLine(sorted[i].first, Count(sorted[i].second, "call"));
  }
  return out + More(sorted.size(), kMostOperators, "operator");
}

// Parts beyond those that fit are added up, so that the rows still give the file's size.
std::string PartsText(std::vector<Part> parts, uint64_t total, bool exact) {
  if (parts.size() > kMostParts) {
    uint64_t rest = 0;
    for (size_t i = kMostParts; i < parts.size(); ++i) rest += parts[i].size;
    const std::string label = Count(parts.size() - kMostParts, "part") + " more";
    parts.resize(kMostParts);
    parts.push_back({label, rest});
  }
  parts.push_back({"total", total});
  constexpr size_t kSize = 12;
  std::string out = "\nwhere the bytes are\n";
  for (const Part& part : parts) {
    const double percent = total == 0 ? 0.0 : 100.0 * static_cast<double>(part.size) / static_cast<double>(total);
    out += WideLine(part.label, absl::StrCat(RightColumn(SizeText(part.size, exact), kSize), absl::StrFormat("  %5.1f%%", percent)));
  }
  return out;
}

std::string HeaderText(const ContainerHeader& header, uint64_t start, bool exact) {
  if (!header.has_extended_header) return "none";
  std::string out = Count(header.header_length, "byte") + "; flatbuffer " + SizeText(header.program_size, exact);
  if (header.segment_base_offset == 0) return out + ", no segment bytes";
  absl::StrAppend(&out, ", segments from ", Hex(start + header.segment_base_offset));
  if (header.segment_data_size) return out + ", " + SizeText(*header.segment_data_size, exact) + " of them";
  return out + ", their size not said";
}

std::string CountsText(const Counts& counts, ContainerKind kind) {
  std::string out = Count(counts.segments, "segment") + ", " + absl::StrFormat("%d named data", counts.named_data);
  if (kind == ContainerKind::kPtd) return out;
  return out + ", " + Count(counts.constants, "constant") + ", " + Count(counts.mutables, "initial state");
}

std::string HeadText(const ContainerHeader& header, uint32_t version, uint64_t start, bool exact) {
  std::string out =
      Line("kind", absl::StrFormat("%s, identifier %s, schema version %d", KindText(header.kind), Name(IdentifierOf(header)), version));
  out += Line("size", SizeText(header.file_size, exact));
  return out + Line("header", HeaderText(header, start, exact));
}

std::string SuitesText(const BpteFile& bundle) {
  const std::span<const TestSuite> suites = bundle.suites();
  if (suites.empty()) return "\ntest suites\n  none\n";
  std::string out = "\ntest suites\n";
  for (const TestSuite& suite : suites.first(std::min(suites.size(), kMostSuites))) {
    out += WideLine(Name(suite.method_name), Count(suite.case_count, "case"));
  }
  return out + More(suites.size(), kMostSuites, "suite");
}

void PrintProgram(const PteFile& file, const std::vector<Method>& methods, const Division& division, bool exact, Output& out) {
  out.Print(Line("payloads", CountsText(CountsOf(file), ContainerKind::kPte)));
  out.Print(MethodsText(methods, exact));
  out.Print(BackendsText(division.backends, exact));
  out.Print(OperatorsText(methods));
}

}  // namespace

void PrintInfoText(const Container& container, const std::vector<Method>& methods, bool exact, Output& out) {
  const Division division = DivideFile(container, methods);
  out.Print(Escaped(container.path) + "\n");
  out.Print(HeadText(container.header, container.version(), 0, exact));
  if (container.bundle) {
    const PteFile& program = *container.program;
    out.Print(SuitesText(*container.bundle));
    out.Print(absl::StrCat("\nprogram inside, at offset ", Hex(program.file_offset()), "\n"));
    out.Print(HeadText(program.header(), program.program().version(), program.file_offset(), exact));
  }
  if (container.program) PrintProgram(*container.program, methods, division, exact, out);
  if (container.data) out.Print(Line("payloads", CountsText(CountsOf(*container.data), ContainerKind::kPtd)));
  out.Print(PartsText(division.parts, container.header.file_size, exact));
}

}  // namespace pte::cli
