// Containers for tests, built with flatbuffers' own packer and headers inserted here: a second, independent opinion of the format beside
// the library's own code. Numbers of the heads are spelled out on purpose.
#ifndef PTE_TESTS_SUPPORT_BUILD_FILE_H_
#define PTE_TESTS_SUPPORT_BUILD_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "pte/schema.h"

namespace pte::test {

// Little-endian numbers in place.
void Poke32(std::string& bytes, size_t at, uint32_t value);
void Poke64(std::string& bytes, size_t at, uint64_t value);
uint32_t Peek32(std::string_view bytes, size_t at);
uint64_t Peek64(std::string_view bytes, size_t at);

std::string Pack(const fb::ProgramT& program);
std::string Pack(const fb::flat_tensor::FlatTensorT& directory);
std::string Pack(const fb::bundled::BundledProgramT& bundle);

// A flatbuffer with an extended header of `length` (24, 32 or more) in a slot of at least 32 bytes, padded with zeros up to the segment
// base, the next multiple of `alignment`. The segments' bytes, `data_size` of them, are the caller's to append.
std::string WithPteHeader(std::string flatbuffer, uint64_t data_size, uint32_t length = 32, uint64_t alignment = 128);
std::string WithPtdHeader(std::string flatbuffer, uint64_t data_size, uint64_t alignment = 128);

// A value, or an instruction, of one of the kinds that the unions have.
template <class Kind>
std::unique_ptr<fb::EValueT> ValueOf(Kind kind) {
  auto value = std::make_unique<fb::EValueT>();
  value->val.Set(std::move(kind));
  return value;
}
template <class Call>
std::unique_ptr<fb::InstructionT> InstructionOf(Call call) {
  auto instruction = std::make_unique<fb::InstructionT>();
  instruction->instr_args.Set(std::move(call));
  return instruction;
}

// A float tensor of 2 x 2 for a test case, each byte of it `byte`.
std::unique_ptr<fb::bundled::ValueT> TestTensor(uint8_t byte);

std::unique_ptr<fb::DataSegmentT> SegmentRow(uint64_t offset, uint64_t size);

// The smallest program that the runtime loads: one empty method and the constant placeholder in an empty segment 0.
fb::ProgramT MinimalProgram();

// A: values [Int, Int, Null, String, Tensor(planned), Tensor(constant 1), Tensor(constant 2), IntList, DoubleList], a
// kernel call, a delegate in a segment, two constants of 16 bytes; no scalar that matters has its default. Segments: 0 constants (32
// bytes), 1 delegate (99 bytes at 128); `data` is what follows the segment base.
struct BaseProgram {
  fb::ProgramT program;
  std::string data;
};
BaseProgram BaseA();
// B = A + a mutable segment of 20 bytes at 256. C = A + two keys, "alpha" and "beta", on one segment of 40 bytes at 256.
BaseProgram BaseB();
BaseProgram BaseC();
// P: two tensors, "weight" and "bias", and an opaque blob, "blob", in three segments of 64, 8 and 5 bytes.
struct BaseDirectory {
  fb::flat_tensor::FlatTensorT directory;
  std::string data;
};
BaseDirectory BaseP();
// Q: the file A in a bundle with one test case.
fb::bundled::BundledProgramT BaseQ();

// Edits of a finished file, by the place of its tables.
class Editor {
 public:
  explicit Editor(std::string file) : file_(std::move(file)) {}

  // The root table, valid until the next edit.
  template <class Root>
  const Root& root() const {
    return *flatbuffers::GetRoot<Root>(file_.data());
  }
  // Where something reached from root() stands in the file.
  size_t At(const void* address) const { return static_cast<size_t>(static_cast<const char*>(address) - file_.data()); }
  // Where a field of a table stands.
  size_t At(const void* table, flatbuffers::voffset_t field) const {
    return At(static_cast<const flatbuffers::Table*>(table)->GetAddressOf(field));
  }

  // Makes a field absent, in every table that shares the vtable.
  void Drop(const void* table, flatbuffers::voffset_t field);

  std::string& file() { return file_; }

 private:
  std::string file_;
};

std::string Build(const BaseProgram& base, uint32_t header_length = 32);
std::string Build(const BaseDirectory& base);

// A program of one method with this many values, tensors and lists; about 66 bytes each.
fb::ProgramT LargeProgram(size_t values);

// A program with `count` keys of `prefix` + number, all in one segment of `size` bytes.
fb::ProgramT ProgramWithKeys(uint32_t count, uint64_t size, std::string_view prefix = "key.");

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_BUILD_FILE_H_
