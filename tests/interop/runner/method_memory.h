// What a method needs before it can run.
#ifndef PTE_TESTS_INTEROP_RUNNER_METHOD_MEMORY_H_
#define PTE_TESTS_INTEROP_RUNNER_METHOD_MEMORY_H_

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace pte::interop {

// Its planned memory starts as zeros, so that two runs of one file give equal bytes.
class MethodMemory {
 public:
  explicit MethodMemory(const executorch::runtime::MethodMeta& meta) {
    for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i)
      buffers_.emplace_back(static_cast<size_t>(meta.memory_planned_buffer_size(i).get()));
    for (std::vector<uint8_t>& buffer : buffers_) spans_.emplace_back(buffer.data(), buffer.size());
    planned_.emplace(executorch::runtime::Span<executorch::runtime::Span<uint8_t>>(spans_.data(), spans_.size()));
    manager_.emplace(&method_allocator_, &*planned_, &temp_allocator_);
  }

  executorch::runtime::MemoryManager* manager() { return &*manager_; }

 private:
  std::vector<std::vector<uint8_t>> buffers_;
  std::vector<executorch::runtime::Span<uint8_t>> spans_;
  std::optional<executorch::runtime::HierarchicalAllocator> planned_;
  executorch::extension::MallocMemoryAllocator method_allocator_;
  executorch::extension::MallocMemoryAllocator temp_allocator_;
  std::optional<executorch::runtime::MemoryManager> manager_;
};

}  // namespace pte::interop

#endif  // PTE_TESTS_INTEROP_RUNNER_METHOD_MEMORY_H_
