// What holds for every container that the library writes.
#ifndef PTE_TESTS_FUZZ_SAVE_LAWS_H_
#define PTE_TESTS_FUZZ_SAVE_LAWS_H_

#include <string>

#include "pte/contents.h"
#include "pte/layout.h"

namespace pte::test {

// `bytes` is what writing gave. These abort where a law is broken.

// It opens, no rule finds an error in it, and everything in it is what the contents hold, aligned as asked for, and shared where equal.
void RequireLaws(const PteContents& contents, const LayoutOptions& layout, const std::string& bytes);
void RequireLaws(const PtdContents& contents, const LayoutOptions& layout, const std::string& bytes);

// The plan told its size, and where everything is.
void RequirePlan(const LayoutPlan& plan, const std::string& bytes);

// Writing what is read from it gives the same file.
void RequireRoundTrip(const PteContents& contents, const LayoutOptions& layout, const std::string& bytes);
void RequireRoundTrip(const PtdContents& contents, const LayoutOptions& layout, const std::string& bytes);

}  // namespace pte::test

#endif  // PTE_TESTS_FUZZ_SAVE_LAWS_H_
