// Programs of many exporters and years, read and compared with the corpus's own index. The files are not part of the project: the folder
// is looked for in the environment variable PTE_CORPUS, then beside the checkout.
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "pte/bpte_file.h"
#include "pte/dump.h"
#include "pte/header.h"
#include "pte/ptd_file.h"
#include "pte/pte_file.h"
#include "tests/support/corpus.h"
#include "tests/support/files.h"
#include "tests/support/sha256.h"
#include "tests/support/status.h"

namespace pte::test {
namespace {

using Row = std::map<std::string, std::string>;

// The columns of the index that describe a file. "repo", "path", "commit" and "licence" say where it is from.
const std::vector<std::string> kFacts = {
    "size",    "sha256",    "file_id",  "header_len", "program_size", "segment_base_offset",  "segment_data_size",
    "methods", "delegates", "segments", "named_data", "constants",    "mutable_data_segments"};
const std::vector<std::string> kOrigins = {"filename", "repo", "path", "commit", "licence", "anomalies"};

std::vector<Row> ReadIndex(const std::filesystem::path& path) {
  const std::vector<std::string> lines = absl::StrSplit(ReadFile(path), '\n', absl::SkipEmpty());
  std::vector<Row> rows;
  const std::vector<std::string> columns = absl::StrSplit(lines.at(0), '\t');
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = absl::StrSplit(lines[i], '\t');
    EXPECT_EQ(cells.size(), columns.size()) << lines[i];
    Row row;
    for (size_t c = 0; c < columns.size(); ++c) row[columns[c]] = cells.at(c);
    rows.push_back(row);
  }
  return rows;
}

class CorpusTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_ / "INDEX.tsv")) GTEST_SKIP() << "no corpus in " << folder_;
    rows_ = ReadIndex(folder_ / "INDEX.tsv");
    ASSERT_FALSE(rows_.empty());
  }

  const std::filesystem::path folder_ = CorpusFolder(PTE_SOURCE_DIR);
  std::vector<Row> rows_;
};

uint32_t NumberAt(const std::string& bytes, size_t offset) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

std::string FileId(const std::string& bytes) { return bytes.substr(4, 4); }

template <class T>
size_t Count(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

std::string Methods(const fb::Program& program) {
  std::vector<std::string> names;
  for (const fb::ExecutionPlan* plan : *program.execution_plan()) names.push_back(plan->name()->str());
  return absl::StrJoin(names, ",");
}

// "XnnpackBackendx2": backends by name, with how many delegates each has.
std::string Delegates(const fb::Program& program) {
  std::map<std::string, int> counts;
  for (const fb::ExecutionPlan* plan : *program.execution_plan()) {
    if (plan->delegates() == nullptr) continue;
    for (const fb::BackendDelegate* delegate : *plan->delegates()) ++counts[delegate->id()->str()];
  }
  std::vector<std::string> texts;
  for (const auto& [id, count] : counts) texts.push_back(absl::StrCat(id, "x", count));
  return texts.empty() ? "-" : absl::StrJoin(texts, ",");
}

// "inline(3,32B)+segment(idx0,1)": constants inside the flatbuffer with their bytes, then the segment with how many offsets it has.
std::string Constants(const fb::Program& program) {
  std::vector<std::string> texts;
  if (const auto* buffers = program.constant_buffer()) {
    size_t bytes = 0;
    for (const fb::Buffer* buffer : *buffers) bytes += Count(buffer->storage());
    if (buffers->size() == 0)
      texts.push_back("inline-vec0");
    else
      texts.push_back(bytes == 0 ? absl::StrCat("inline-empty(", buffers->size(), ")")
                                 : absl::StrCat("inline(", buffers->size(), ",", bytes, "B)"));
  }
  if (const fb::SubsegmentOffsets* segment = program.constant_segment())
    texts.push_back(absl::StrCat("segment(idx", segment->segment_index(), ",", Count(segment->offsets()), ")"));
  return texts.empty() ? "none" : absl::StrJoin(texts, "+");
}

void AddProgram(const PteFile& file, Row& found) {
  found["methods"] = Methods(file.program());
  found["delegates"] = Delegates(file.program());
  found["segments"] = absl::StrCat(file.segments().size());
  found["named_data"] = absl::StrCat(file.named_data().size());
  found["constants"] = Constants(file.program());
  found["mutable_data_segments"] = absl::StrCat(Count(file.program().mutable_data_segments()));
}

void AddTensorData(size_t segments, size_t named_data, Row& found) {
  found["methods"] = "";
  found["delegates"] = "-";
  found["segments"] = absl::StrCat(segments);
  found["named_data"] = absl::StrCat(named_data);
  found["constants"] = "-";
  found["mutable_data_segments"] = "0";
}

// What the library cannot open has the columns of an empty file, save for the older schema of tensor data, of which the generated types
// know enough to count.
void AddUnreadable(const std::string& bytes, Row& found) {
  if (FileId(bytes) == "FT01") {
    const auto* root = flatbuffers::GetRoot<fb::flat_tensor::LegacyFlatTensor>(bytes.data());
    return AddTensorData(Count(root->segments()), Count(root->tensors()), found);
  }
  AddTensorData(0, 0, found);
  found["constants"] = "none";
}

absl::Status AddContents(const std::string& bytes, Row& found) {
  const MemorySource source(Bytes::Borrow(bytes));
  if (FileId(bytes) == "FT01") {
    const absl::StatusOr<PtdFile> file = PtdFile::Open(source);
    if (file.ok()) AddTensorData(file->segments().size(), file->entries().size(), found);
    return file.status();
  }
  if (FileId(bytes) == "BP08") {
    const absl::StatusOr<BpteFile> bundle = BpteFile::Open(source);
    if (!bundle.ok()) return bundle.status();
    const absl::StatusOr<PteFile> program = bundle->program();
    if (program.ok()) AddProgram(*program, found);
    return program.status();
  }
  const absl::StatusOr<PteFile> file = PteFile::Open(source);
  if (file.ok()) AddProgram(*file, found);
  return file.status();
}

void AddHeader(const std::string& bytes, Row& found) {
  for (const char* column : {"header_len", "program_size", "segment_base_offset", "segment_data_size"}) found[column] = "None";
  const absl::StatusOr<ContainerHeader> header = ReadContainerHeader(MemorySource(Bytes::Borrow(bytes)));
  if (!header.ok() || !header->has_extended_header) return;
  EXPECT_EQ(header->header_length, NumberAt(bytes, 12));
  EXPECT_EQ(header->root_offset, NumberAt(bytes, 0));
  EXPECT_EQ(header->file_size, bytes.size());
  // The index names what the header stores: for tensor data that is the size of the flatbuffer without the header.
  const bool is_data = header->kind == ContainerKind::kPtd;
  found["header_len"] = absl::StrCat(header->header_length);
  found["program_size"] = absl::StrCat(is_data ? header->flatbuffer_size : header->program_size);
  found["segment_base_offset"] = absl::StrCat(header->segment_base_offset);
  if (header->segment_data_size) found["segment_data_size"] = absl::StrCat(*header->segment_data_size);
}

Row FactsOf(const std::string& bytes) {
  Row found = {{"size", absl::StrCat(bytes.size())}, {"sha256", Sha256(bytes)}, {"file_id", FileId(bytes)}};
  AddHeader(bytes, found);
  if (!AddContents(bytes, found).ok()) AddUnreadable(bytes, found);
  return found;
}

void ExpectNamedReason(const std::string& anomaly, const std::string& bytes) {
  Row ignored;
  const absl::Status status = AddContents(bytes, ignored);
  if (anomaly.empty())
    EXPECT_THAT(status, IsOk());
  else if (absl::StartsWith(anomaly, "not an ExecuTorch file"))
    EXPECT_THAT(status, IsFault(absl::StatusCode::kDataLoss, "H2", 4));
  else if (absl::StartsWith(anomaly, "pre-named_data FlatTensor schema"))
    EXPECT_THAT(status, IsFault(absl::StatusCode::kUnimplemented, "D11", NumberAt(bytes, 0)));
  else
    ADD_FAILURE() << "an anomaly that this test does not know: " << anomaly;
}

TEST_F(CorpusTest, FilesOpenOrFailForTheirNamedReason) {
  for (const Row& row : rows_) {
    SCOPED_TRACE(row.at("filename"));
    ExpectNamedReason(row.at("anomalies"), ReadFile(folder_ / row.at("filename")));
  }
}

TEST_F(CorpusTest, FilesHoldWhatTheIndexSays) {
  for (const Row& row : rows_) {
    SCOPED_TRACE(row.at("filename"));
    const Row found = FactsOf(ReadFile(folder_ / row.at("filename")));
    for (const std::string& column : kFacts) EXPECT_EQ(found.at(column), row.at(column)) << column;
  }
}

TEST_F(CorpusTest, IndexHasNoColumnThatIsNotChecked) {
  std::set<std::string> known(kFacts.begin(), kFacts.end());
  known.insert(kOrigins.begin(), kOrigins.end());
  for (const auto& [column, cell] : rows_.front()) EXPECT_TRUE(known.contains(column)) << column;
}

TEST_F(CorpusTest, IndexListsEveryFile) {
  std::set<std::string> listed = {"INDEX.tsv"};
  for (const Row& row : rows_) listed.insert(row.at("filename"));
  std::set<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) present.insert(entry.path().filename());
  EXPECT_EQ(present, listed);
}

template <class File>
void ExpectDumpIsJson(const absl::StatusOr<File>& file, const char* kind) {
  ASSERT_THAT(file, IsOk());
  for (const bool payload_hash : {false, true}) {
    std::string text;
    StringSink sink(text);
    ASSERT_THAT(DumpJson(*file, sink, {.payload_hash = payload_hash}), IsOk());
    const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    ASSERT_FALSE(parsed.is_discarded()) << text.substr(0, 1000);
    EXPECT_EQ(parsed.value("pte_json", 0), 1);
    EXPECT_EQ(parsed.value("kind", ""), kind);
  }
}

TEST_F(CorpusTest, DumpsAreJson) {
  for (const Row& row : rows_) {
    SCOPED_TRACE(row.at("filename"));
    if (!row.at("anomalies").empty()) continue;
    const std::filesystem::path path = folder_ / row.at("filename");
    if (row.at("file_id") == "FT01")
      ExpectDumpIsJson(PtdFile::Open(path), "ptd");
    else if (row.at("file_id") == "BP08")
      ExpectDumpIsJson(BpteFile::Open(path), "bpte");
    else
      ExpectDumpIsJson(PteFile::Open(path), "pte");
  }
}

}  // namespace
}  // namespace pte::test
