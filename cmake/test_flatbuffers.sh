#!/bin/sh
# Builds and tests against the release of flatbuffers under FLATBUFFERS_ROOT (include/flatbuffers and bin/flatc).
#
#   FLATBUFFERS_ROOT=/path cmake/test_flatbuffers.sh
set -eu

cd "$(dirname "$0")/.."
if [ -z "${FLATBUFFERS_ROOT:-}" ]; then
  echo "skipped: FLATBUFFERS_ROOT names no release of flatbuffers"
  exit 77
fi
cmake --preset release -B .build/flatbuffers -DFLATBUFFERS_ROOT="$FLATBUFFERS_ROOT" -DPTE_BUILD_BENCHMARKS=OFF
cmake --build .build/flatbuffers
ctest --test-dir .build/flatbuffers --output-on-failure --label-exclude 'install|flatbuffers' -j 2
