#!/bin/sh
# Sets a fresh Debian or Ubuntu machine up, builds the tool and shows what is in a model.
#
#   cmake/setup.sh [MODEL]         default: a model that the tests come with
set -eu

model=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."
cmake/install_packages.sh g++ cmake ninja-build libflatbuffers-dev flatbuffers-compiler libabsl-dev libxxhash-dev nlohmann-json3-dev \
  libcli11-dev libssl-dev

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset release -DPTE_BUILD_TESTS=OFF -DPTE_BUILD_BENCHMARKS=OFF -DPTE_WERROR=OFF -B .build/tool >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
cmake --build .build/tool >>"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}

pte=.build/tool/src/cli/pte
model=${model:-tests/data/fixtures/partially_delegated.pte}
echo "\$ pte info $model"
"$pte" info "$model"
echo "\$ pte ls $model"
"$pte" ls "$model"
