// The rules of where a tensor's bytes are (S17, S18, S20 to S22, T12, T13, T15 to T17, P21).
#ifndef PTE_SRC_VERIFY_TENSOR_DATA_H_
#define PTE_SRC_VERIFY_TENSOR_DATA_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/verify/judge.h"
#include "src/verify/program_facts.h"

namespace pte {

class TensorDataJudge {
 public:
  TensorDataJudge(Judge& judge, const fb::ExecutionPlan& plan, ProgramFacts& facts);

  // `bytes` is what the tensor's shape asks for, where that is known; `is_port` says that it is an input or output of the method. The path
  // is at the tensor.
  void Run(const fb::Tensor& tensor, std::optional<uint64_t> bytes, bool is_port);

 private:
  void Extra(const fb::Tensor& tensor, const fb::ExtraTensorInfo& extra);
  struct Device {
    fb::DeviceType type = fb::DeviceType::CPU;
    int index = 0;
  };
  Device DeviceOf(uint32_t buffer) const;
  void PlannedDevice(const fb::Tensor& tensor, const fb::ExtraTensorInfo* extra, const fb::AllocationDetails& place);
  void Planned(const fb::AllocationDetails& place, std::optional<uint64_t> bytes);
  [[gnu::cold]] void ReportNoStorage(uint32_t index, const fb::Buffer& buffer);
  [[gnu::cold]] void ReportNoBytes(const fb::Tensor& tensor);
  [[gnu::cold]] void ReportNoBuffer(const fb::AllocationDetails& place);
  [[gnu::cold]] void ReportBeyondBuffer(const fb::AllocationDetails& place, uint64_t offset, uint64_t bytes);
  void Constant(const fb::Tensor& tensor, std::optional<uint64_t> bytes);
  void InlineConstant(const fb::Tensor& tensor, std::optional<uint64_t> bytes);
  void Mutable(const fb::Tensor& tensor, std::optional<uint64_t> bytes);
  void Alignment(const fb::Tensor& tensor, uint64_t offset);
  bool IndexInside(const fb::Tensor& tensor, size_t count, std::string_view what);

  Judge& judge_;
  const flatbuffers::Vector<int64_t>* buffers_;  // the sizes of the planned ones
  ProgramFacts& facts_;
  std::vector<const fb::NonConstBufferDevice*> devices_;  // of each planned buffer; nullptr is the CPU
};

}  // namespace pte

#endif  // PTE_SRC_VERIFY_TENSOR_DATA_H_
