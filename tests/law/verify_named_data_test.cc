// C.3: the keys of a program, its methods' names, and what it must have.
#include <string>
#include <vector>

#include "tests/law/verify_rows.h"

namespace pte::test {
namespace {

Recipe SecondKey(std::string key) {
  return C().Model([=](BaseProgram& base) { base.program.named_data[1]->key = key; });
}

Recipe SecondMethod(std::string name) {
  return A().Model([=](BaseProgram& base) { AddMethod(base, name); });
}

std::vector<Row> ProgramRows() {
  const auto two_constants = [] { return M().Items("constant_segment.offsets", {0, 0}); };
  return {
      Breaks("S1", "NoMethods", kError, M().Slot("execution_plan"), "root").Reference(RuntimeReaction::kRefuses),
      Breaks("S1", "EmptyMethods", kWarning, M().Clear("execution_plan"), "execution_plan").Reference(RuntimeReaction::kAccepts),
      Keeps("S1", "OneMethod", M()),
      Breaks("S2", "Version77", kError, A().Set("version", 77), "version").Reference(RuntimeReaction::kAccepts),
      Breaks("S2", "Version1", kError, A().Set("version", 1), "version"),
      Keeps("S2", "Version0", A().Set("version", 0)),
      Breaks("S3", "ConstantsNeedOne", kError, two_constants().Slot("segments"), "constant_segment.segment_index")
          .Reference(RuntimeReaction::kRefuses),
      // The placeholder needs none, which is noted.
      Breaks("S3", "KeyNeedsOne", kError, M().Model([](BaseProgram& base) { AddKey(base, "key", 0, 0); }).Slot("segments"),
             "named_data[0].segment_index")
          .Allow({"S13"}),
      Keeps("S3", "ConstantsHaveOne", two_constants()),
  };
}

std::vector<Row> KeyRows() {
  return {
      Breaks("S23", "NoKey", kError, C().Slot("named_data[0].key"), "named_data[0]").Reference(RuntimeReaction::kRefuses),
      Keeps("S23", "Keys", C()),
      Breaks("S24", "TwiceTheSame", kError, SecondKey("alpha"), "named_data[1].key[0]").Reference(RuntimeReaction::kMisreads),
      Keeps("S24", "OneBeginsTheOther", SecondKey("alph")),
      Keeps("S24", "OneLongerThanTheOther", SecondKey("alphas")),
      Breaks("S26", "NoSuchSegment", kError, C().Set("named_data[1].segment_index", 9), "named_data[1].segment_index")
          .Reference(RuntimeReaction::kRefuses),
      Breaks("S26", "JustNoSuchSegment", kError, C().Set("named_data[1].segment_index", 3), "named_data[1].segment_index"),
      Keeps("S26", "LastSegment", C()),
      Breaks("S27", "EmptyKey", kWarning, SecondKey(""), "named_data[1].key").Reference(RuntimeReaction::kAccepts),
      Keeps("S27", "OneSpace", SecondKey(" ")),
      // A headerless file has no place for the bytes of a key, which H3 says of any segment.
      Breaks("S28", "WithoutHeader", kError, M().Model([](BaseProgram& base) { AddKey(base, "key", 0, 16); }), "segments[1].size")
          .As("H3")
          .Reference(RuntimeReaction::kMisreads),
      Keeps("S28", "WithoutHeaderAndBytes", M().Model([](BaseProgram& base) { AddKey(base, "key", 0, 0); })),
  };
}

std::vector<Row> MethodRows() {
  return {
      Breaks("S29", "TwiceTheSame", kError, SecondMethod("forward"), "execution_plan[1].name").Reference(RuntimeReaction::kMisreads),
      Keeps("S29", "OneBeginsTheOther", SecondMethod("forwar")),
      Breaks("S30", "NoName", kError, M().Slot("execution_plan[0].name"), "execution_plan[0]").Reference(RuntimeReaction::kRefuses),
      Breaks("S30", "EmptyName", kWarning, M().Clear("execution_plan[0].name"), "execution_plan[0].name")
          .Reference(RuntimeReaction::kAccepts),
      Keeps("S30", "OneSpace", M().Model([](BaseProgram& base) { base.program.execution_plan[0]->name = " "; })),
  };
}

}  // namespace

std::vector<Row> NamedDataRows() { return Joined({ProgramRows(), KeyRows(), MethodRows()}); }

PTE_TEST_JUDGE_ROWS(VerifyNamedData, NamedDataRows());

}  // namespace pte::test
