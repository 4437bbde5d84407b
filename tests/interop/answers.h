// Compares what the runtime answered with the record in a fact file, and with another answer.
#ifndef PTE_TESTS_INTEROP_ANSWERS_H_
#define PTE_TESTS_INTEROP_ANSWERS_H_

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace pte::test {

// "0x23" of "RuntimeError: Failed to load program, error: 0x:23"; "none" where `reason` is no such text.
std::string ErrorCode(const nlohmann::json& reason);

// `found` is the member "run" of an answer, `recorded` that of a fact file. The record comes from another processor: floats may differ in
// the last bits, so only the first eight of each tensor are compared, and nearly; everything else exactly, of reasons the error code. One
// line a difference.
std::vector<std::string> DifferencesFromRecord(const nlohmann::json& recorded, const nlohmann::json& found);

// Two answers of this machine are equal in every bit.
testing::AssertionResult SameOutputs(const nlohmann::json& a, const nlohmann::json& b);

}  // namespace pte::test

#endif  // PTE_TESTS_INTEROP_ANSWERS_H_
