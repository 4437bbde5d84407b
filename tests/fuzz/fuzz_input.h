// Fuzz bytes as choices.
#ifndef PTE_TESTS_FUZZ_FUZZ_INPUT_H_
#define PTE_TESTS_FUZZ_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace pte::test {

// Hands out bytes from the front; zeros once they are used up, so that every input is a whole set of choices.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : left_(data, size) {}

  bool empty() const { return left_.empty(); }

  uint8_t Byte() {
    if (left_.empty()) return 0;
    const uint8_t byte = left_.front();
    left_ = left_.subspan(1);
    return byte;
  }

  bool Flag() { return (Byte() & 1) != 0; }

  // From 0 to count - 1; `count` is from 1 to 256.
  size_t Below(size_t count) { return Byte() % count; }

  // One of the choices; the first one where nothing is left.
  template <class T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Below(choices.size())];
  }

  // Of any bytes, at most `most` of them.
  std::string Text(size_t most) {
    const size_t size = std::min(Below(most + 1), left_.size());
    std::string text(reinterpret_cast<const char*>(left_.data()), size);
    left_ = left_.subspan(size);
    return text;
  }

 private:
  std::span<const uint8_t> left_;
};

}  // namespace pte::test

#endif  // PTE_TESTS_FUZZ_FUZZ_INPUT_H_
