#!/bin/sh
# SPDX-License-Identifier: MIT
# Drops one request from the shell and prints its answer: drop.sh COMMAND [PARAMS_JSON]
# Nothing but coreutils: a file written with `>` is a request once it is complete, and `ln` makes
# even that atomic and never overwrites.
set -eu
root=${FILECALL_ROOT:-/tmp/copilot-evaluation}
id=shell-$(date +%s%N)-$$
tmp=$root/requests/.$id.tmp

printf '{"request_id":"%s","command":"%s","params":%s}\n' "$id" "$1" "${2:-{\}}" >"$tmp"
ln "$tmp" "$root/requests/$id.json"
rm "$tmp"

tries=${TRIES:-600} # tenths of a second
until [ -e "$root/responses/$id.json" ]; do
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || { echo "drop.sh: no answer to $id; is a worker running?" >&2; exit 3; }
  sleep 0.1
done
cat "$root/responses/$id.json"
