// The example that other projects were given for writing: its names may not change.
#include <pte/contents.h>
#include <pte/named_data_store.h>
#include <pte/save.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

void Show(std::string_view what, uint64_t done, uint64_t total) {
  std::printf("%s %llu %llu\n", std::string(what).c_str(), (unsigned long long)done, (unsigned long long)total);
}

}  // namespace

absl::Status Export(pte::fb::ProgramT program, std::span<const std::byte> constants, pte::Bytes blob) {
  pte::PteContents contents;
  contents.program = std::move(program);
  contents.constants.push_back(pte::Bytes::Borrow(constants));
  contents.delegate_payloads.push_back(blob);
  auto engine = pte::FileBackedData::Give("engine.plan");
  if (!engine.ok()) return engine.status();
  absl::Status added = contents.named_data.Add("engine", *engine, {.alignment = 4096});
  if (!added.ok()) return added;
  pte::SaveOptions options;
  options.consume = true;
  options.durability = pte::Durability::kSynced;
  options.progress = [](const pte::Progress& p) {
    Show(p.what, p.done, p.total);
    return true;
  };
  absl::StatusOr<pte::SaveReport> report = pte::SavePte(contents, "model.pte", pte::LayoutOptions{}, options);
  if (!report.ok()) return report.status();
  Show("saved", report->bytes_written + report->bytes_copied + report->bytes_cloned + report->bytes_moved, report->file_size);
  for (const pte::SavedPayload& payload : report->payloads) Show(payload.key, payload.file_offset, static_cast<uint64_t>(payload.strategy));
  return absl::OkStatus();
}

// Planning, writing to a sink, data files, and all that a store can do.
absl::Status ExportData(const pte::PteContents& contents, pte::ByteSink& sink) {
  absl::StatusOr<pte::LayoutPlan> plan = pte::PlanPte(contents, pte::LayoutOptions{});
  if (!plan.ok()) return plan.status();
  if (absl::StatusOr<pte::SaveReport> written = pte::WritePte(contents, sink, pte::LayoutOptions{}); !written.ok()) return written.status();
  pte::PtdContents data;
  const std::vector<int32_t> sizes = {2, 2};
  const std::vector<uint8_t> dim_order = {0, 1};
  const pte::TensorLayout layout{pte::fb::ScalarType::FLOAT, sizes, dim_order};
  absl::Status status = data.named_data.Add("weights", pte::Bytes::FromString(std::string(16, '\0')), {.tensor_layout = layout});
  status.Update(data.named_data.Add("lent", *pte::FileBackedData::Lend("engine.plan", 0, 16), {.external_tag = "engines"}));
  status.Update(data.named_data.Rename("weights", "bias"));
  status.Update(data.named_data.Replace("lent", pte::Bytes::FromString("other")));
  status.Update(data.named_data.Merge(contents.named_data));
  status.Update(data.named_data.Remove("bias"));
  if (!status.ok()) return status;
  for (const pte::NamedDataEntry& entry : data.named_data.entries()) Show(entry.key(), entry.size(), entry.alignment());
  if (data.named_data.Find("lent") == nullptr) return absl::NotFoundError("lent");
  if (absl::StatusOr<pte::LayoutPlan> data_plan = pte::PlanPtd(data); !data_plan.ok()) return data_plan.status();
  if (absl::StatusOr<pte::SaveReport> saved = pte::SavePtd(data, "weights.ptd"); !saved.ok()) return saved.status();
  return pte::SaveProgramAndData(contents, "dir/model.pte").status();
}

// To be compiled and linked, not run: the files it names are not there.
int main(int argc, char**) {
  if (argc == 1) return 0;
  std::string text;
  pte::StringSink sink(text);
  return Export({}, {}, {}).ok() && ExportData({}, sink).ok() ? 0 : 1;
}
