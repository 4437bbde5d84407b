#include "tests/interop/runner/values.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace pte::interop {
namespace {

using executorch::aten::BFloat16;
using executorch::aten::Half;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Method;
using nlohmann::json;

// JSON has no numbers for inf and nan.
json Number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

template <class T>
T Load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// The numbers of one element: a complex one has two.
std::vector<json> Element(const std::byte* bytes, ScalarType type) {
  switch (type) {
    case ScalarType::Byte: return {Load<uint8_t>(bytes)};
    case ScalarType::Char: return {Load<int8_t>(bytes)};
    case ScalarType::Short: return {Load<int16_t>(bytes)};
    case ScalarType::Int: return {Load<int32_t>(bytes)};
    case ScalarType::Long: return {Load<int64_t>(bytes)};
    case ScalarType::UInt16: return {Load<uint16_t>(bytes)};
    case ScalarType::UInt32: return {Load<uint32_t>(bytes)};
    case ScalarType::UInt64: return {Load<uint64_t>(bytes)};
    case ScalarType::Bool: return {Load<uint8_t>(bytes) != 0};
    case ScalarType::Half: return {Number(static_cast<float>(Load<Half>(bytes)))};
    case ScalarType::BFloat16: return {Number(static_cast<float>(Load<BFloat16>(bytes)))};
    case ScalarType::Float: return {Number(Load<float>(bytes))};
    case ScalarType::Double: return {Number(Load<double>(bytes))};
    case ScalarType::ComplexFloat: return {Number(Load<float>(bytes)), Number(Load<float>(bytes + sizeof(float)))};
    default: return {nullptr};
  }
}

// Where the element with number `index` in logical order lies, in elements.
ssize_t PlaceOf(const Tensor& tensor, ssize_t index) {
  ssize_t place = 0;
  for (ssize_t dim = tensor.dim() - 1; dim >= 0; --dim) {
    place += index % tensor.size(dim) * tensor.strides()[static_cast<size_t>(dim)];
    index /= tensor.size(dim);
  }
  return place;
}

json First(const Tensor& tensor) {
  constexpr size_t kMost = 8;
  const auto* bytes = static_cast<const std::byte*>(tensor.const_data_ptr());
  json first = json::array();
  for (ssize_t i = 0; i < tensor.numel() && first.size() < kMost; ++i) {
    for (json& number : Element(bytes + PlaceOf(tensor, i) * tensor.element_size(), tensor.scalar_type())) {
      if (first.size() < kMost) first.push_back(std::move(number));
    }
  }
  return first;
}

json TensorOutput(const Tensor& tensor) {
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes());
  return {{"dtype", DtypeName(tensor.scalar_type())},
          {"sizes", Numbers(std::span(tensor.sizes().data(), tensor.sizes().size()))},
          {"dim_order", Numbers(std::span(tensor.dim_order().data(), tensor.dim_order().size()))},
          {"sha256", Sha256(bytes)},
          {"first", First(tensor)}};
}

// The fact files call inf and nan "str", as they do every string.
json DoubleOutput(double value) {
  const json number = Number(value);
  return {{"type", number.is_string() ? "str" : "float"}, {"value", number}};
}

// The bytes of 1 in the lowest ones of a number; in a complex 1 the imaginary part above is zero.
uint64_t OneOf(ScalarType type) {
  switch (type) {
    case ScalarType::Half: return 0x3c00;
    case ScalarType::BFloat16: return 0x3f80;
    case ScalarType::Float:
    case ScalarType::ComplexFloat: return 0x3f800000;
    case ScalarType::Double:
    case ScalarType::ComplexDouble: return 0x3ff0000000000000;
    case ScalarType::Float8_e4m3fn: return 0x38;
    case ScalarType::Float8_e5m2: return 0x3c;
    default: return 1;
  }
}

}  // namespace

std::string Sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) return "no digest";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += {kDigits[digest[i] >> 4], kDigits[digest[i] & 15]};
  return text;
}

std::string DtypeName(ScalarType type) {
  constexpr std::array<std::string_view, 30> kNames = {
      "BYTE",         "CHAR",           "SHORT",          "INT",     "LONG",    "HALF",   "FLOAT",  "DOUBLE",
      "COMPLEX32",    "COMPLEX64",      "COMPLEX128",     "BOOL",    "QINT8",   "QUINT8", "QINT32", "BFLOAT16",
      "QUINT4x2",     "QUINT2x4",       "BITS1X8",        "BITS2X4", "BITS4X2", "BITS8",  "BITS16", "FLOAT8E5M2",
      "FLOAT8E4M3FN", "FLOAT8E5M2FNUZ", "FLOAT8E4M3FNUZ", "UINT16",  "UINT32",  "UINT64"};
  const auto index = static_cast<size_t>(type);
  return index < kNames.size() ? std::string(kNames[index]) : "dtype " + std::to_string(index);
}

executorch::extension::TensorPtr Ones(const Tensor& like) {
  std::vector<uint8_t> bytes(like.nbytes());
  const uint64_t one = OneOf(like.scalar_type());
  const auto width = static_cast<size_t>(like.element_size());
  for (size_t i = 0; i < bytes.size(); i += width) std::memcpy(&bytes[i], &one, std::min(width, sizeof(one)));
  const std::vector<executorch::aten::SizesType> sizes(like.sizes().begin(), like.sizes().end());
  return executorch::extension::make_tensor_ptr(sizes, std::move(bytes), {}, {}, like.scalar_type());
}

Error SetInputs(Method& method) {
  std::vector<EValue> inputs(method.inputs_size());
  Error error = method.get_inputs(inputs.data(), inputs.size());
  for (size_t i = 0; i < inputs.size() && error == Error::Ok; ++i) {
    if (!inputs[i].isTensor()) {
      error = method.set_input(inputs[i], i);
      continue;
    }
    const executorch::extension::TensorPtr ones = Ones(inputs[i].toTensor());
    error = method.set_input(EValue(*ones), i);
  }
  return error;
}

json Output(const EValue& value) {
  if (value.isTensor()) return TensorOutput(value.toTensor());
  if (value.isInt()) return {{"type", "int"}, {"value", value.toInt()}};
  if (value.isDouble()) return DoubleOutput(value.toDouble());
  if (value.isBool()) return {{"type", "bool"}, {"value", value.toBool()}};
  if (value.isString()) return {{"type", "str"}, {"value", std::string(value.toString().data(), value.toString().size())}};
  return {{"type", "tag " + std::to_string(static_cast<uint32_t>(value.tag))}};
}

}  // namespace pte::interop
