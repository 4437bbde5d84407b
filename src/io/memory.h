// Memory of a size that a file decides: a refusal is a status, never an exception.
#ifndef PTE_SRC_IO_MEMORY_H_
#define PTE_SRC_IO_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "absl/status/statusor.h"
#include "src/base/status_macros.h"

namespace pte {

// At an address that is a multiple of 4096, so that any alignment a file asks for holds in memory too.
struct Memory {
  std::shared_ptr<std::byte> owner;
  std::span<std::byte> span;
};

// `length` uninitialised bytes, on large pages where there are many: a table of keys is read at random places.
//   kResourceExhausted  the system has not that much
absl::StatusOr<Memory> AllocateMemory(uint64_t length);

// The same, zeros.
absl::StatusOr<Memory> AllocateZeroed(uint64_t length);

// `length` zeros that take up address space only until they are written.
absl::StatusOr<Memory> ReserveZeroed(uint64_t length);

// kResourceExhausted, for `length` bytes.
absl::Status NoMemory(uint64_t length);

// What `work` returns; kResourceExhausted where memory ran out in one of the many small allocations that throw. Stands at the library's
// boundary.
template <class Work>
auto WithoutThrowing(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception&) {  // bad_alloc, or length_error where a size is beyond all memory
    return absl::ResourceExhaustedError("memory: the system gave no more");
  }
}

// A list whose largest size is known when it is made.
template <class T>
class FixedList {
 public:
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

  FixedList() = default;

  static absl::StatusOr<FixedList> WithCapacity(size_t capacity) {
    if (capacity > SIZE_MAX / sizeof(T)) return NoMemory(UINT64_MAX);
    FixedList list;
    PTE_ASSIGN_OR_RETURN(list.memory_, AllocateMemory(capacity * sizeof(T)));
    return list;
  }

  // There must be room.
  void push_back(const T& item) { std::construct_at(reinterpret_cast<T*>(memory_.span.data()) + size_++, item); }

  size_t size() const { return size_; }
  const T* data() const { return reinterpret_cast<const T*>(memory_.span.data()); }
  const T& operator[](size_t i) const { return data()[i]; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  Memory memory_;
  size_t size_ = 0;
};

}  // namespace pte

#endif  // PTE_SRC_IO_MEMORY_H_
