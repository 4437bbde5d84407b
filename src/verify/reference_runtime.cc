#include "src/verify/reference_runtime.h"

#include <algorithm>
#include <iterator>

namespace pte {
namespace {

using enum RuntimeReaction;

struct Known {
  std::string_view rule;
  RuntimeReaction reaction;
};

// Sorted by rule. Rules whose files are refused in one mode and crash another count as crashes.
constexpr Known kKnown[] = {
    {"B1", kCrashes},   {"B10", kAccepts},  {"B2", kCrashes},   {"B3", kCrashes},   {"B5", kCrashes},   {"B6", kCrashes},
    {"B7", kMisreads},  {"B8", kRefuses},   {"B9", kAccepts},   {"D1", kRefuses},   {"D10", kCrashes},  {"D11", kRefuses},
    {"D12", kCrashes},  {"D13", kMisreads}, {"D14", kRefuses},  {"D15", kRefuses},  {"D16", kMisreads}, {"D18", kCrashes},
    {"D19", kCrashes},  {"D2", kRefuses},   {"D20", kAccepts},  {"D21", kCrashes},  {"D22", kMisreads}, {"D24", kAccepts},
    {"D25", kAccepts},  {"D26", kMisreads}, {"D3", kRefuses},   {"D4", kMisreads},  {"D5", kMisreads},  {"D6", kAccepts},
    {"D7", kAccepts},   {"D8", kRefuses},   {"D9", kCrashes},   {"F1", kCrashes},   {"F10", kAccepts},  {"F11", kAccepts},
    {"F2", kRefuses},   {"F3", kRefuses},   {"F4", kRefuses},   {"F5", kRefuses},   {"F6", kRefuses},   {"F7", kAccepts},
    {"F8", kMisreads},  {"F9", kAccepts},   {"H1", kRefuses},   {"H10", kRefuses},  {"H11", kMisreads}, {"H12", kMisreads},
    {"H13", kRefuses},  {"H14", kRefuses},  {"H15", kRefuses},  {"H16", kAccepts},  {"H17", kAccepts},  {"H19", kRefuses},
    {"H2", kRefuses},   {"H20", kAccepts},  {"H21", kAccepts},  {"H22", kAccepts},  {"H23", kRefuses},  {"H24", kCrashes},
    {"H25", kAccepts},  {"H3", kMisreads},  {"H4", kRefuses},   {"H5", kAccepts},   {"H6", kAccepts},   {"H7", kAccepts},
    {"H8", kRefuses},   {"H9", kRefuses},   {"P1", kCrashes},   {"P10", kRefuses},  {"P11", kRefuses},  {"P12", kRefuses},
    {"P13", kCrashes},  {"P14", kCrashes},  {"P15", kCrashes},  {"P16", kCrashes},  {"P17", kRefuses},  {"P18", kAccepts},
    {"P19", kRefuses},  {"P2", kRefuses},   {"P20", kAccepts},  {"P21", kRefuses},  {"P22", kAccepts},  {"P23", kAccepts},
    {"P24", kAccepts},  {"P25", kRefuses},  {"P3", kCrashes},   {"P4", kRefuses},   {"P5", kCrashes},   {"P6", kCrashes},
    {"P7", kRefuses},   {"P8", kRefuses},   {"P9", kMisreads},  {"S1", kRefuses},   {"S10", kAccepts},  {"S11", kAccepts},
    {"S12", kAccepts},  {"S13", kRefuses},  {"S14", kAccepts},  {"S15", kMisreads}, {"S16", kRefuses},  {"S17", kMisreads},
    {"S18", kMisreads}, {"S19", kRefuses},  {"S2", kAccepts},   {"S20", kCrashes},  {"S21", kRefuses},  {"S22", kMisreads},
    {"S23", kRefuses},  {"S24", kMisreads}, {"S25", kMisreads}, {"S26", kRefuses},  {"S27", kAccepts},  {"S28", kMisreads},
    {"S29", kMisreads}, {"S3", kRefuses},   {"S30", kRefuses},  {"S4", kRefuses},   {"S5", kMisreads},  {"S6", kRefuses},
    {"S7", kAccepts},   {"S8", kAccepts},   {"S9", kAccepts},   {"T1", kRefuses},   {"T10", kRefuses},  {"T11", kRefuses},
    {"T12", kMisreads}, {"T13", kRefuses},  {"T14", kRefuses},  {"T15", kRefuses},  {"T16", kMisreads}, {"T17", kAccepts},
    {"T18", kAccepts},  {"T19", kRefuses},  {"T2", kCrashes},   {"T20", kMisreads}, {"T21", kRefuses},  {"T22", kCrashes},
    {"T23", kRefuses},  {"T24", kMisreads}, {"T3", kRefuses},   {"T4", kMisreads},  {"T5", kRefuses},   {"T6", kRefuses},
    {"T7", kRefuses},   {"T8", kAccepts},   {"T9", kMisreads},
};
static_assert(std::is_sorted(std::begin(kKnown), std::end(kKnown), [](const Known& a, const Known& b) { return a.rule < b.rule; }));

}  // namespace

std::optional<RuntimeReaction> ReactionTo(std::string_view rule) {
  const auto* known =
      std::lower_bound(std::begin(kKnown), std::end(kKnown), rule, [](const Known& a, std::string_view b) { return a.rule < b; });
  if (known == std::end(kKnown) || known->rule != rule) return std::nullopt;
  return known->reaction;
}

}  // namespace pte
