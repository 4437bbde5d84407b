#!/bin/bash
# Fuzzes every target, two at a time, from the fixtures and from what was found before.
#
#   cmake/fuzz.sh [SECONDS]        a target; default 60
# An input that breaks a law is left in .build/fuzz/found: copy it to tests/fuzz/corpus and write the test of its law.
set -euo pipefail

cd "$(dirname "$0")/.."
seconds=${1:-60}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target pte_header_fuzz pte_pte_fuzz pte_ptd_fuzz pte_bpte_fuzz >/dev/null
mkdir -p .build/fuzz/found

fuzz() {
  mkdir -p ".build/fuzz/work_$1"
  ".build/fuzz/tests/fuzz/pte_$1_fuzz" -max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=64 -timeout=10 -print_final_stats=1 \
    -dict=tests/fuzz/container.dict -artifact_prefix=".build/fuzz/found/$1-" ".build/fuzz/work_$1" tests/fuzz/corpus tests/data/fixtures \
    >".build/fuzz/$1.log" 2>&1 || {
    tail -n 60 ".build/fuzz/$1.log" >&2
    return 1
  }
  echo "$1: $(sed -nE 's/^stat::number_of_executed_units: *//p' ".build/fuzz/$1.log") executions, nothing found"
}
export -f fuzz
export seconds
printf '%s\n' header pte ptd bpte | xargs -P 2 -I{} bash -c 'fuzz {}'
