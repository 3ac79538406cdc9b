# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts of this folder; sourced, never run. Bash.

set -euo pipefail
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PYTHON=/usr/bin/python3  # Debian's: it has pytest and hypothesis, whatever PATH says.
export TOP PYTHON
export CCACHE_DIR=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/filecall-ccache}
export CCACHE_BASEDIR=$TOP CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
# It reads a precompiled header of 100 MB once, and not for each source: up to a tenth of g++.
export CCACHE_INODECACHE=1
export JOBS=${JOBS:-$(nproc)}

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

# packages SECTION...: the names listed under these headings.
packages() {
  local section
  for section in "$@"; do
    awk -v want="[$section]" '
      /^\[/ { on = ($0 == want); next }
      on && NF && $0 !~ /^#/ { print $1 }' "$TOP/scripts/packages.txt"
  done
}

missing_packages() {
  local name
  packages "$@" | while read -r name; do
    dpkg-query -W -f '${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed ||
      printf '%s\n' "$name"
  done
}

# install_packages SECTION...: installs what is missing, and touches nothing when nothing is.
install_packages() {
  command -v dpkg-query >/dev/null || die "this is no Debian; install by hand and use --no-install"
  local missing sudo=()
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "packages are missing and this is neither root nor sudo:
$missing"
    sudo=(sudo)
  fi
  say "installing: ${missing//$'\n'/ }"
  "${sudo[@]}" apt-get update -qq </dev/null
  # shellcheck disable=SC2086  # each package is a word
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends $missing </dev/null >/dev/null
}

# build PRESET [TARGET...]: configures when needed, builds; all targets when none is named.
build() {
  local preset=$1 target=()
  shift
  [ $# = 0 ] || target=(--target "$@")
  mkdir -p "$CCACHE_DIR"
  (cd "$TOP" && cmake --preset "$preset" >"$TOP/build/.$preset.configure.log" 2>&1) ||
    { cat "$TOP/build/.$preset.configure.log" >&2; return 1; }
  (cd "$TOP" && cmake --build --preset "$preset" -j "$JOBS" "${target[@]}")
}

# failed_tests LOG: the names of tests that failed, and the places that a compiler or a unit test
# names: a long output may be cut where it is shown.
failed_tests() {
  grep -E '^(\[  FAILED  \] [^ ]+\.|FAILED |ERROR )|: (Failure|error:|warning:)' "$1" |
    sort -u | head -n 20 | cut -c 1-300
}
mkdir -p "$TOP/build"
