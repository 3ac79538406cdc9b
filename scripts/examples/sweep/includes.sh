#!/bin/sh
# SPDX-License-Identifier: MIT
# includes.sh FILE: fails when FILE includes a header "..." of this project that does not exist.
# Headers are looked up in a list that is made once; a check that comes meanwhile leaves
# with 75 (EX_TEMPFAIL) instead of waiting: a place at a worker is too good for waiting.
set -eu
cache=${SWEEP_CACHE:-${TMPDIR:-/tmp}/filecall-sweep}
list=$cache/headers
mkdir -p "$cache"

if [ ! -e "$list" ]; then
  # mkdir is the lock: it succeeds for one.
  if mkdir "$cache/lock" 2>/dev/null; then
    find base client ipc-schema worker tests -name '*.h' 2>/dev/null | LC_ALL=C sort >"$list.new"
    mv "$list.new" "$list"
  fi
  echo "the list of headers was just being made; try again"
  exit 75
fi

status=0
# shellcheck disable=SC2013  # a header name has no spaces
for header in $(sed -n 's/^ *#include "\([^"]*\)".*/\1/p' "$1"); do
  case $header in embedded/*) continue ;; esac # Written by the build.
  grep -qxF -e "$header" -e "ipc-schema/$header" "$list" && continue
  [ -e "$(dirname "$1")/$header" ] && continue
  echo "$1: \"$header\" does not exist"
  status=1
done
exit $status
