// Prints the names of a program's methods, one a line.
#include <pte/pte_file.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const absl::StatusOr<pte::PteFile> file = pte::PteFile::Open(argv[1]);
  if (!file.ok()) {
    std::fprintf(stderr, "%s\n", file.status().ToString().c_str());
    return 1;
  }
  const auto* plans = file->program().execution_plan();
  if (plans == nullptr) return 0;
  for (const pte::fb::ExecutionPlan* plan : *plans) std::printf("%s\n", plan->name() == nullptr ? "" : plan->name()->c_str());
  return 0;
}
