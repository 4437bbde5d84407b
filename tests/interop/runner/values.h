// Values of the runtime: inputs of ones, and JSON of what comes out.
#ifndef PTE_TESTS_INTEROP_RUNNER_VALUES_H_
#define PTE_TESTS_INTEROP_RUNNER_VALUES_H_

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/executor/method.h>

#include <cstddef>
#include <span>
#include <string>

#include "nlohmann/json.hpp"

namespace pte::interop {

// In lower-case hexadecimal.
std::string Sha256(std::span<const std::byte> bytes);

// "FLOAT", as the fact files spell it.
std::string DtypeName(executorch::aten::ScalarType type);

// Sizes and dim orders.
template <class T>
nlohmann::json Numbers(std::span<const T> numbers) {
  nlohmann::json list = nlohmann::json::array();
  for (const T number : numbers) list.push_back(static_cast<int64_t>(number));
  return list;
}

// A tensor of ones in the default dim order, with the dtype and the sizes of `like`. Shares nothing with it.
executorch::extension::TensorPtr Ones(const executorch::aten::Tensor& like);

// Gives a method tensors of ones; everything else stays as the program stores it.
executorch::runtime::Error SetInputs(executorch::runtime::Method& method);

// One item of `outputs` in a fact file.
nlohmann::json Output(const executorch::runtime::EValue& value);

}  // namespace pte::interop

#endif  // PTE_TESTS_INTEROP_RUNNER_VALUES_H_
