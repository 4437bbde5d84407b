#include "tests/support/recipe.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace pte::test {
namespace {

template <class Base>
std::function<void(Recipe::Objects&)> OnObjects(std::function<void(Base&)> change) {
  return [change = std::move(change)](Recipe::Objects& objects) { change(std::get<Base>(objects)); };
}

const flatbuffers::TypeTable& RootTypeOf(const Recipe::Objects& objects) {
  if (std::holds_alternative<BaseProgram>(objects)) return *fb::Program::MiniReflectTypeTable();
  if (std::holds_alternative<BaseDirectory>(objects)) return *fb::FlatTensor::MiniReflectTypeTable();
  return *fb::BundledProgram::MiniReflectTypeTable();
}

std::string PackObjects(const Recipe::Objects& objects) {
  if (const auto* program = std::get_if<BaseProgram>(&objects)) return Pack(program->program);
  if (const auto* directory = std::get_if<BaseDirectory>(&objects)) return Pack(directory->directory);
  return Pack(std::get<fb::bundled::BundledProgramT>(objects));
}

void FillZeros(std::string& bytes, size_t at, size_t size) { bytes.replace(at, size, size, '\0'); }

}  // namespace

Recipe& Recipe::Header(uint32_t length) {
  header_length_ = length;
  return *this;
}

Recipe& Recipe::Shift(uint64_t zeros) {
  shift_ = zeros;
  return *this;
}

Recipe& Recipe::Model(const std::function<void(BaseProgram&)>& change) {
  model_edits_.push_back(OnObjects(change));
  return *this;
}

Recipe& Recipe::Model(const std::function<void(BaseDirectory&)>& change) {
  model_edits_.push_back(OnObjects(change));
  return *this;
}

Recipe& Recipe::Model(const std::function<void(fb::bundled::BundledProgramT&)>& change) {
  model_edits_.push_back(OnObjects(change));
  return *this;
}

Recipe& Recipe::Slot(std::string path) {
  changes_.absent.insert(std::move(path));
  return *this;
}

Recipe& Recipe::Clear(std::string path) {
  changes_.cleared.insert(std::move(path));
  return *this;
}

Recipe& Recipe::Elem(std::string path) {
  changes_.null.insert(std::move(path));
  return *this;
}

Recipe& Recipe::Extra(std::string path) {
  changes_.extended.insert(std::move(path));
  return *this;
}

Recipe& Recipe::Items(std::string path, std::initializer_list<int64_t> scalars) {
  changes_.items[std::move(path)].assign(scalars.begin(), scalars.end());
  return *this;
}

Recipe& Recipe::Hidden(std::string bytes) {
  hidden_ = std::move(bytes);
  return *this;
}

Recipe& Recipe::Vlen(std::string path, uint32_t length) {
  return Bytewise([=](FlatImage& image) { test::Poke32(image.bytes, image.At(path), length); });
}

Recipe& Recipe::Text(std::string path, std::string text) {
  return Bytewise([=](FlatImage& image) { image.bytes.replace(image.At(path) + sizeof(flatbuffers::uoffset_t), text.size(), text); });
}

Recipe& Recipe::Nudge(std::string path, int32_t distance) {
  return Bytewise([=](FlatImage& image) {
    const size_t at = image.StoredAt(path);
    test::Poke32(image.bytes, at, Peek32(image.bytes, at) + static_cast<uint32_t>(distance));
  });
}

Recipe& Recipe::Share(std::string path, std::string with) {
  return Bytewise([=](FlatImage& image) {
    const size_t own = image.At(path);
    const size_t element = image.StoredAt(path + "[1]") - image.StoredAt(path + "[0]");
    image.Set(path, image.At(with) - image.StoredAt(path));
    FillZeros(image.bytes, own, sizeof(flatbuffers::uoffset_t) + Peek32(image.bytes, own) * element);
  });
}

Recipe& Recipe::Vtable(std::string path, size_t file_offset) {
  return Bytewise([=](FlatImage& image) {
    const size_t table = image.At(path);
    const size_t own = image.VtableAt(path);
    FillZeros(image.bytes, own, Peek32(image.bytes, own) & 0xffff);
    test::Poke32(image.bytes, table, static_cast<uint32_t>(table - file_offset));
  });
}

Recipe& Recipe::Poke32(size_t at, uint32_t value) {
  return Bytewise([=](FlatImage& image) { test::Poke32(image.bytes, at, value); });
}

Recipe& Recipe::Poke64(size_t at, uint64_t value) {
  return Bytewise([=](FlatImage& image) { test::Poke64(image.bytes, at, value); });
}

Recipe& Recipe::Put(size_t at, std::string bytes) {
  return Bytewise([=](FlatImage& image) { image.bytes.replace(at, bytes.size(), bytes); });
}

Recipe& Recipe::Cut(size_t size) {
  return Bytewise([=](FlatImage& image) { image.bytes.resize(std::min(size, image.bytes.size())); });
}

Recipe& Recipe::Append(std::string bytes) {
  return Bytewise([=](FlatImage& image) { image.bytes += bytes; });
}

Recipe& Recipe::Bytewise(ByteEdit edit) {
  byte_edits_.push_back(std::move(edit));
  return *this;
}

FlatImage Recipe::Build() const {
  Objects objects = base_();
  for (const auto& edit : model_edits_) edit(objects);
  const flatbuffers::TypeTable& root = RootTypeOf(objects);
  std::string file = CopyFlatbuffer(PackObjects(objects), root, changes_) + hidden_;
  if (const auto* program = std::get_if<BaseProgram>(&objects); program != nullptr && header_length_ != 0) {
    file = WithPteHeader(std::move(file), program->data.size(), header_length_);
    test::Poke64(file, 24, file.size() + shift_);
    file += std::string(static_cast<size_t>(shift_), '\0') + program->data;
  } else if (const auto* directory = std::get_if<BaseDirectory>(&objects)) {
    file = WithPtdHeader(std::move(file), directory->data.size()) + directory->data;
  }
  FlatImage image(std::move(file), root);
  for (const ByteEdit& edit : byte_edits_) edit(image);
  return image;
}

}  // namespace pte::test
