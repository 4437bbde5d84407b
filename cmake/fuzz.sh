#!/bin/bash
# Fuzzes every target, two at a time, from the fixtures and from what was found before.
#
#   cmake/fuzz.sh [SECONDS]        a target; default 60
# An input that breaks a law is left in .build/fuzz/found: copy it to tests/fuzz/corpus and write the test of its law. The target run on it
# alone tells where memory came from.
set -euo pipefail

cd "$(dirname "$0")/.."
seconds=${1:-60}
targets=(header pte ptd bpte save json)
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target $(printf "pte_%s_fuzz " "${targets[@]}") >/dev/null
mkdir -p .build/fuzz/found

# Stacks of allocations are not kept, freed memory only as much as fits a cache, and inputs are bred without statistics: three times as many
# executions.
export ASAN_OPTIONS=malloc_context_size=0:max_malloc_fill_size=64:quarantine_size_mb=4:thread_local_quarantine_size_kb=256

fuzz() {
  local dictionary=tests/fuzz/container.dict length=16384
  case $1 in
    save) length=512 ;;
    json) dictionary=tests/fuzz/json.dict ;;
  esac
  mkdir -p ".build/fuzz/work_$1"
  ".build/fuzz/tests/fuzz/pte_$1_fuzz" -max_total_time="$seconds" -max_len="$length" -entropic=0 -rss_limit_mb=2048 -malloc_limit_mb=64 \
    -timeout=10 -print_final_stats=1 -dict="$dictionary" -artifact_prefix=".build/fuzz/found/$1-" ".build/fuzz/work_$1" tests/fuzz/corpus \
    tests/data/fixtures >".build/fuzz/$1.log" 2>&1 || {
    tail -n 60 ".build/fuzz/$1.log" >&2
    return 1
  }
  echo "$1: $(sed -nE 's/^stat::number_of_executed_units: *//p' ".build/fuzz/$1.log") executions, nothing found"
}
export -f fuzz
export seconds
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'fuzz {}'
