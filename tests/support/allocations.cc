#include "tests/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

namespace {

std::atomic<size_t> largest = 0;
thread_local int64_t left_before_refusal = 0;  // 0: none is refused

void* Allocate(size_t size, size_t alignment) noexcept {
  if (left_before_refusal > 0 && --left_before_refusal == 0) return nullptr;
  for (size_t seen = largest; size > seen && !largest.compare_exchange_weak(seen, size);) {
  }
  return alignment <= alignof(std::max_align_t) ? std::malloc(size)
                                                : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return OrThrow(Allocate(size, 1)); }
void* operator new(size_t size, std::align_val_t alignment) { return OrThrow(Allocate(size, static_cast<size_t>(alignment))); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size, 1); }
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace pte::test {

size_t LargestAllocation() { return largest; }
void ForgetLargestAllocation() { largest = 0; }

void RefuseAllocation(int64_t nth) { left_before_refusal = nth; }

bool StopRefusing() { return std::exchange(left_before_refusal, 0) == 0; }

}  // namespace pte::test
