#include "src/cli/info.h"

#include "src/cli/json.h"
#include "src/cli/parts.h"
#include "src/cli/shape.h"

namespace pte::cli {
namespace {

using flatbuffers::uoffset_t;

Json HeaderJson(const ContainerHeader& header) {
  if (!header.has_extended_header) return {};
  Json json;
  json["length"] = header.header_length;
  if (header.kind == ContainerKind::kPtd) {
    json["flatbuffer_offset"] = header.flatbuffer_offset;
    json["flatbuffer_size"] = header.flatbuffer_size;
  } else {
    json["program_size"] = header.program_size;
  }
  json["segment_base_offset"] = header.segment_base_offset;
  json["segment_data_size"] = NumberOrNull(header.segment_data_size);
  return json;
}

Json ValueJson(const MethodValue& value) {
  Json json;
  const fb::KernelTypes type = value.value == nullptr ? fb::KernelTypes::NONE : value.value->val_type();
  json["type"] = value.value == nullptr ? Json() : EnumJson(type, fb::EnumNameKernelTypes(type));
  const fb::Tensor* tensor = TensorOf(value.value);
  AddLayout(json, tensor == nullptr ? std::nullopt : std::optional(LayoutOf(*tensor)));
  json["dynamism"] =
      tensor == nullptr ? Json() : EnumJson(tensor->shape_dynamism(), fb::EnumNameTensorShapeDynamism(tensor->shape_dynamism()));
  return json;
}

Json ValuesJson(const std::vector<MethodValue>& values) {
  Json list = Json::array();
  for (const MethodValue& value : values) list.push_back(ValueJson(value));
  return list;
}

// Calls that lead to no operator of the list have no name.
Json OperatorsJson(const std::vector<OperatorCalls>& operators) {
  Json list = Json::array();
  for (const OperatorCalls& op : operators) {
    Json json;
    json["name"] = op.table == nullptr || op.table->name() == nullptr ? Json() : Text(ViewOf(op.table->name()));
    json["overload"] = op.table == nullptr || op.table->overload() == nullptr ? Json() : Text(ViewOf(op.table->overload()));
    json["calls"] = op.calls;
    list.push_back(std::move(json));
  }
  return list;
}

Json CompileSpecsJson(const fb::BackendDelegate& delegate) {
  Json list = Json::array();
  for (uoffset_t i = 0; i < SizeOf(delegate.compile_specs()); ++i) {
    const fb::CompileSpec* spec = delegate.compile_specs()->Get(i);
    Json json;
    json["key"] = spec->key() == nullptr ? Json() : Text(ViewOf(spec->key()));
    json["size"] = SizeOf(spec->value());
    list.push_back(std::move(json));
  }
  return list;
}

Json DelegatesJson(const std::vector<DelegateUse>& delegates) {
  Json list = Json::array();
  for (const DelegateUse& delegate : delegates) {
    const fb::BackendDelegateDataReference* reference = delegate.table->processed();
    Json json;
    json["id"] = delegate.table->id() == nullptr ? Json() : Text(delegate.id);
    json["location"] = reference == nullptr ? Json() : EnumJson(reference->location(), fb::EnumNameDataLocation(reference->location()));
    json["index"] = reference == nullptr ? Json() : Json(reference->index());
    json["size"] = delegate.size;
    json["compile_specs"] = CompileSpecsJson(*delegate.table);
    list.push_back(std::move(json));
  }
  return list;
}

Json MethodJson(const Method& method) {
  Json json;
  json["name"] = method.table->name() == nullptr ? Json() : Text(method.name);
  json["inputs"] = ValuesJson(method.inputs);
  json["outputs"] = ValuesJson(method.outputs);
  json["operators"] = OperatorsJson(method.operators);
  json["delegates"] = DelegatesJson(method.delegates);
  json["instructions"] = method.instructions.total();
  json["planned_memory"] = PlannedMemory(*method.table);
  return json;
}

Json CountsJson(const Counts& counts) {
  Json json;
  json["segments"] = counts.segments;
  json["named_data"] = counts.named_data;
  json["constants"] = counts.constants;
  json["mutable"] = counts.mutables;
  return json;
}

// What every container has.
void AddHead(const ContainerHeader& header, uint32_t version, JsonStream& json) {
  json.Member("kind", ContainerKindName(header.kind));
  json.Member("size", header.file_size);
  json.Member("identifier", Text(IdentifierOf(header)));
  json.Member("header", HeaderJson(header));
  json.Member("version", version);
}

void AddProgram(const PteFile& file, const std::vector<Method>& methods, JsonStream& json, const Output& out) {
  json.BeginArray("methods");
  for (size_t i = 0; i < methods.size() && out.ok(); ++i) json.Item(MethodJson(methods[i]));
  json.End();
  json.Member("counts", CountsJson(CountsOf(file)));
}

void AddBundle(const BpteFile& bundle, const PteFile& program, const std::vector<Method>& methods, JsonStream& json, const Output& out) {
  json.BeginArray("suites");
  for (const TestSuite& suite : bundle.suites()) {
    if (!out.ok()) break;
    Json row;
    row["method"] = Text(suite.method_name);
    row["cases"] = suite.case_count;
    json.Item(row);
  }
  json.End();
  json.BeginObject("program");
  AddHead(program.header(), program.program().version(), json);
  AddProgram(program, methods, json, out);
  json.End();
}

// Where the bytes are; the sizes add up to the file's.
void AddParts(const Division& division, JsonStream& json) {
  json.BeginArray("parts");
  for (const Part& part : division.parts) {
    Json row;
    row["part"] = Text(part.label);
    row["size"] = part.size;
    json.Item(row);
  }
  json.End();
}

}  // namespace

void PrintInfoJson(const Container& container, const std::vector<Method>& methods, Output& out) {
  JsonStream json(out);
  json.BeginObject();
  json.Member("pte_json", kJsonVersion);
  json.Member("file", Text(container.path));
  AddHead(container.header, container.version(), json);
  if (container.bundle) {
    AddBundle(*container.bundle, *container.program, methods, json, out);
  } else if (container.program) {
    AddProgram(*container.program, methods, json, out);
  } else {
    json.Member("counts", CountsJson(CountsOf(*container.data)));
  }
  AddParts(DivideFile(container, methods), json);
  json.End();
}

}  // namespace pte::cli
