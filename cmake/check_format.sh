#!/bin/sh
# Fails where clang-format would change a file. Releases of clang-format differ: only the one that the tree is formatted with may judge.
set -eu

cd "$(dirname "$0")/.."
wanted=14
found=$(clang-format --version | sed -nE 's/.*version ([0-9]+).*/\1/p')
if [ "$found" != "$wanted" ]; then
  echo "format check skipped: wants clang-format $wanted, found $found"
  exit 0
fi
git ls-files 'include/*.h' 'src/*.h' 'src/*.cc' 'tests/*.h' 'tests/*.cc' 'bench/*.h' 'bench/*.cc' | xargs clang-format --dry-run --Werror
echo "format: ok"
