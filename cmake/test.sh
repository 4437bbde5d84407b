#!/bin/bash
# Sets a fresh Debian or Ubuntu machine up and runs all tests: release build (g++), AddressSanitizer and UndefinedBehaviorSanitizer build
# (clang), format and layering checks, and a short fuzz of each target. The release build's tests ask ExecuTorch's own runtime, too, where it
# can be downloaded.
#
#   cmake/test.sh [SECONDS]        how long each target is fuzzed; default 60, 0 leaves fuzzing out
set -euo pipefail

cd "$(dirname "$0")/.."
seconds=${1:-60}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs a step whose output only matters when it fails.
quietly() {
  echo "== $*"
  "$@" >"$log" 2>&1 || {
    tail -n 200 "$log" >&2
    exit 1
  }
}

cmake/install_packages.sh g++ clang cmake ninja-build clang-format libflatbuffers-dev flatbuffers-compiler libabsl-dev libxxhash-dev \
  nlohmann-json3-dev libcli11-dev libssl-dev libgtest-dev libgmock-dev libbenchmark-dev xfsprogs btrfs-progs
clang_major=$(clang --version | sed -nE '1s/.*version ([0-9]+).*/\1/p')
cmake/install_packages.sh "libclang-rt-$clang_major-dev"

cmake/check_format.sh

runtime=$PWD/build/executorch
cmake/install_runtime.sh "$runtime" || echo "no runtime: the interop tests skip"

quietly cmake --preset release -DPTE_EXECUTORCH_ROOT="$runtime"
quietly cmake --build --preset release
echo "== release tests"
ctest --preset release -j "$(nproc)" --label-exclude 'bench|large' | tail -n 30

# With the instruments of fuzzing, so that one build does for both.
quietly cmake --preset fuzz
quietly cmake --build --preset fuzz
echo "== sanitizer tests"
ctest --preset fuzz -j "$(nproc)" --label-exclude 'bench|large|install|interop|moves' | tail -n 30

if [ "$seconds" != 0 ]; then
  echo "== fuzzing, $seconds s a target"
  cmake/fuzz.sh "$seconds"
fi
echo "== all passed"
