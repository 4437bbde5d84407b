#include "pte/schema.h"

namespace pte {
namespace {

struct Dtype {
  std::string_view name;
  uint32_t size = 0;  // 0: elements share bytes
};

Dtype DtypeOf(fb::ScalarType type) {
  switch (type) {
    case fb::ScalarType::BYTE: return {"uint8", 1};
    case fb::ScalarType::CHAR: return {"int8", 1};
    case fb::ScalarType::SHORT: return {"int16", 2};
    case fb::ScalarType::INT: return {"int32", 4};
    case fb::ScalarType::LONG: return {"int64", 8};
    case fb::ScalarType::HALF: return {"float16", 2};
    case fb::ScalarType::FLOAT: return {"float32", 4};
    case fb::ScalarType::DOUBLE: return {"float64", 8};
    case fb::ScalarType::COMPLEX32: return {"complex32", 4};
    case fb::ScalarType::COMPLEX64: return {"complex64", 8};
    case fb::ScalarType::COMPLEX128: return {"complex128", 16};
    case fb::ScalarType::BOOL: return {"bool", 1};
    case fb::ScalarType::QINT8: return {"qint8", 1};
    case fb::ScalarType::QUINT8: return {"quint8", 1};
    case fb::ScalarType::QINT32: return {"qint32", 4};
    case fb::ScalarType::BFLOAT16: return {"bfloat16", 2};
    case fb::ScalarType::QUINT4X2: return {"quint4x2", 0};
    case fb::ScalarType::QUINT2X4: return {"quint2x4", 0};
    case fb::ScalarType::BITS16: return {"bits16", 2};
    case fb::ScalarType::FLOAT8E5M2: return {"float8_e5m2", 1};
    case fb::ScalarType::FLOAT8E4M3FN: return {"float8_e4m3fn", 1};
    case fb::ScalarType::FLOAT8E5M2FNUZ: return {"float8_e5m2fnuz", 1};
    case fb::ScalarType::FLOAT8E4M3FNUZ: return {"float8_e4m3fnuz", 1};
    case fb::ScalarType::UINT16: return {"uint16", 2};
    case fb::ScalarType::UINT32: return {"uint32", 4};
    case fb::ScalarType::UINT64: return {"uint64", 8};
  }
  return {};
}

}  // namespace

std::string_view DtypeName(fb::ScalarType type) { return DtypeOf(type).name; }

std::optional<uint32_t> DtypeSize(fb::ScalarType type) {
  const uint32_t size = DtypeOf(type).size;
  return size == 0 ? std::nullopt : std::optional(size);
}

}  // namespace pte
