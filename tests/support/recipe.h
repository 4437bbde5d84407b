// Files for the rules: the base files of rules A to Q, and edits of them by field path, so that one line says what is wrong with a file.
//
//   A().Slot("execution_plan[0].values[4].val.sizes")                  // the field is absent
//   A().Set("segments[1].offset", 127).Append("junk")
//   C().Model([](BaseProgram& base) { base.program.named_data[1]->key = "alpha"; })
//
// A recipe is built when File() is asked for, in three steps, whatever the order of the calls: Model() on the objects; Slot, Clear, Items,
// Elem, Extra and Hidden while they are packed, which leaves no stray bytes behind; everything else on the finished file, in the order of
// the calls. Paths are those of FlatImage.
#ifndef PTE_TESTS_SUPPORT_RECIPE_H_
#define PTE_TESTS_SUPPORT_RECIPE_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/support/build_file.h"
#include "tests/support/flat_copy.h"
#include "tests/support/flat_image.h"

namespace pte::test {

class Recipe {
 public:
  using Objects = std::variant<BaseProgram, BaseDirectory, fb::bundled::BundledProgramT>;
  using ByteEdit = std::function<void(FlatImage&)>;

  explicit Recipe(std::function<Objects()> base) : base_(std::move(base)) {}

  // --- How the file is put together.

  // The length of a program's extended header; 0 for a file without one.
  Recipe& Header(uint32_t length);
  // Zeros between the flatbuffer and the segments, beyond those that align them.
  Recipe& Shift(uint64_t zeros);

  // --- On the objects.

  Recipe& Model(const std::function<void(BaseProgram&)>& change);
  Recipe& Model(const std::function<void(BaseDirectory&)>& change);
  Recipe& Model(const std::function<void(fb::bundled::BundledProgramT&)>& change);

  // --- While packing.

  Recipe& Slot(std::string path);                                           // the field is absent
  Recipe& Clear(std::string path);                                          // the list or string is there and empty
  Recipe& Elem(std::string path);                                           // the element of a vector of tables is null
  Recipe& Extra(std::string path);                                          // the table has a field that its schema does not know
  Recipe& Items(std::string path, std::initializer_list<int64_t> scalars);  // what a vector of scalars holds
  Recipe& Hidden(std::string bytes);                                        // bytes behind the last object, within the flatbuffer

  // --- On the finished file.

  template <std::integral Value>
  Recipe& Set(std::string path, Value value) {
    return Bytewise([path, value](FlatImage& image) { image.Set(path, static_cast<uint64_t>(value)); });
  }
  Recipe& Vlen(std::string path, uint32_t length);       // the length of a vector or string
  Recipe& Text(std::string path, std::string bytes);     // the bytes of a string or byte vector, in place
  Recipe& Nudge(std::string path, int32_t distance);     // the offset of a field or element leads that much further
  Recipe& Share(std::string path, std::string with);     // a field leads to the vector of another; its own becomes zeros
  Recipe& Vtable(std::string path, size_t file_offset);  // a table's vtable is said to be there; its own becomes zeros
  Recipe& Poke32(size_t at, uint32_t value);
  Recipe& Poke64(size_t at, uint64_t value);
  Recipe& Put(size_t at, std::string bytes);
  Recipe& Cut(size_t size);  // to so many bytes
  Recipe& Append(std::string bytes);
  Recipe& Bytewise(ByteEdit edit);

  FlatImage Build() const;
  std::string File() const { return Build().bytes; }

 private:
  std::function<Objects()> base_;
  uint32_t header_length_ = 32;
  uint64_t shift_ = 0;
  std::vector<std::function<void(Objects&)>> model_edits_;
  FlatChanges changes_;
  std::string hidden_;
  std::vector<ByteEdit> byte_edits_;
};

// A: one method with a value of every kind, an instruction of every kind, two constants and a delegate, each in a segment. Values: 0 and 1
// Int, 2 Null, 3 String, 4 Tensor (planned, in and out), 5 and 6 Tensor (constants), 7 IntList, 8 DoubleList, 9 TensorList, 10
// OptionalTensorList, 11 BoolList, 12 Bool, 13 Double. Instructions: KernelCall, DelegateCall, MoveCall, JumpFalseCall, FreeCall.
BaseProgram ProgramA();
Recipe A();
// B = A + initial states in segment 2, and two tensors that have them: values 14 (16 bytes) and 15 (4 bytes).
Recipe B();
// C = A + keys "alpha" and "beta" on segment 2.
Recipe C();
// D: a method with everything inline, its constant 1 and its delegate, and no extended header.
Recipe D();
// E = A with a header of 24 bytes, as before ExecuTorch 1.0.
Recipe E();
// M: the smallest program, without values and without extended header.
Recipe M();
// X = A + value 14, a tensor whose bytes are the key "weight" of P.
Recipe X();
// P: tensors "weight" (4 x 4) and "bias" (2), and an opaque "blob", in three segments.
Recipe P();
// Q = A in a bundle with one test case.
Recipe Q();
// Q with another program.
Recipe BundleOf(const Recipe& program);

// Changes for Model().

// A without its delegate, and without the segment and the call of it.
void DropDelegate(BaseProgram& base);
// One more method, without values.
void AddMethod(BaseProgram& base, std::string name);
// One more tensor of floats, which the caller gives the bytes of, as value 14 of A.
void AddInput(BaseProgram& base, std::vector<int32_t> sizes);
// One more key and a segment for it.
void AddKey(BaseProgram& base, std::string key, uint64_t offset, uint64_t size);
void AddKey(BaseDirectory& base, std::string key, uint64_t offset, uint64_t size);
// One more delegate, whose bytes are as given.
void AddDelegate(BaseProgram& base, fb::DataLocation location, uint32_t index);

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_RECIPE_H_
