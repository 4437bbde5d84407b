#!/bin/sh
# Installs the named apt packages, as root or through sudo. Says and does nothing where all are there.
set -eu

missing=
for package in "$@"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

run=env
[ "$(id -u)" = 0 ] || run="sudo env"
echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! { $run DEBIAN_FRONTEND=noninteractive apt-get -qq update && $run DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y $missing; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
