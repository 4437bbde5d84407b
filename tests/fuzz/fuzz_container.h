// What every fuzz target of the readers does with its bytes.
#ifndef PTE_TESTS_FUZZ_FUZZ_CONTAINER_H_
#define PTE_TESTS_FUZZ_FUZZ_CONTAINER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pte::test {

// Gives the bytes this identifier, so that every input reaches the reader of one kind, and walks them from memory and from a source that
// can only be read: both must judge alike.
void FuzzContainer(const uint8_t* data, size_t size, std::string_view identifier);

}  // namespace pte::test

#endif  // PTE_TESTS_FUZZ_FUZZ_CONTAINER_H_
