#!/bin/sh
# SPDX-License-Identifier: MIT
# Drops one request from the shell and prints its answer: drop.sh COMMAND [PARAMS_JSON]
# Nothing but coreutils: a file written with `>` is a request once it is complete, and `ln` makes
# even that atomic and never overwrites.
set -eu
root=${FILECALL_ROOT:-/tmp/copilot-evaluation}
for path in "$root" "$root/requests" "$root/responses"; do
  # Who else may write there could answer for the worker and run commands in your name.
  [ -O "$path" ] || { echo "drop.sh: $path is not yours (or not there yet)" >&2; exit 2; }
  case $(stat -c %A "$path") in
    ?????w* | ????????w*) echo "drop.sh: others may write to $path" >&2; exit 2 ;;
  esac
done
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
