#!/bin/sh
# Puts ExecuTorch's C++ runtime into DIR: the wheel of the release that the fixtures were made with, unpacked. Says and does nothing more where
# it is there. Exit code 1, and DIR as it was, where it cannot be had.
#
#   cmake/install_runtime.sh DIR   then configure with -DPTE_EXECUTORCH_ROOT=DIR
set -eu

version=1.5.1
python=3.12 # which of the wheels; the libraries in them are the same, and none needs Python

fail() {
  echo "install_runtime.sh: $*" >&2
  exit 1
}

[ $# = 1 ] || fail "wants one argument, the folder to put ExecuTorch's runtime into"
target=${1%/}
if [ -d "$target/executorch-$version.dist-info" ]; then
  echo "ExecuTorch $version is in $target"
  exit 0
fi
if [ -d "$target" ] && [ -n "$(ls -A "$target")" ]; then fail "$target holds something else; name an empty folder or a new one"; fi

here=$(cd "$(dirname "$0")" && pwd)
if ! python3 -m pip --version >/dev/null 2>&1; then "$here/install_packages.sh" python3-pip || fail "no pip to download with"; fi

mkdir -p "$(dirname "$target")"
work=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "downloading ExecuTorch $version"
if ! python3 -m pip --disable-pip-version-check download --quiet --no-deps --only-binary=:all: --python-version "$python" --dest "$work" \
  "executorch==$version" >"$work/log" 2>&1; then
  cat "$work/log" >&2
  fail "ExecuTorch $version cannot be downloaded: no network, or no wheel for this machine"
fi
mkdir -m 755 "$work/unpacked"
python3 -m zipfile -e "$work"/executorch-*.whl "$work/unpacked" || fail "the wheel of ExecuTorch $version cannot be unpacked"
[ -e "$work/unpacked/executorch/lib/libexecutorch.so" ] || fail "the wheel of ExecuTorch $version for this machine has no C++ runtime"
# In one step, so that an interrupted run leaves nothing that looks complete.
[ ! -d "$target" ] || rmdir "$target"
mv "$work/unpacked" "$target"
echo "unpacked ExecuTorch $version into $target"
