// Where the corpus is: programs of many exporters and years. They are not part of the project, and tests skip without them.
#ifndef PTE_TESTS_SUPPORT_CORPUS_H_
#define PTE_TESTS_SUPPORT_CORPUS_H_

#include <cstdlib>
#include <filesystem>

namespace pte::test {

// PTE_CORPUS in the environment, else beside the checkout.
inline std::filesystem::path CorpusFolder(const std::filesystem::path& checkout) {
  const char* folder = std::getenv("PTE_CORPUS");
  return folder != nullptr ? std::filesystem::path(folder) : checkout / "../shared/corpus";
}

}  // namespace pte::test

#endif  // PTE_TESTS_SUPPORT_CORPUS_H_
