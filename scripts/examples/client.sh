#!/bin/sh
# SPDX-License-Identifier: MIT
# A client in one page (docs/protocol.md): client.sh ROOT ID COMMAND [PARAMS_JSON]
# It drops a request, waits, makes three attempts with backoff, and prints the response. What is
# given up has a copy in failed/ and exits 1. The same id again goes on where it was. Where a
# `filecall watch` runs, that makes the attempts. Needs jq and flock.
set -eu
root=$1 id=$2 command=$3 params=${4:-{\}} attempts=3
request=$root/requests/$id.json response=$root/responses/$id.json failed=$root/failed/$id.json
say() { echo "client.sh: $id: $*" >&2; }
umask 077
mkdir -p "$root/requests" "$root/responses" "$root/failed" "$root/client"
for path in "$root" "$root/requests" "$root/responses" "$root/failed" "$root/client"; do
  # Who else may write there could answer for the worker.
  [ -O "$path" ] || { say "$path is not yours"; exit 2; }
  case $(stat -c %A "$path") in
    l* | ?????w* | ????????w*) say "$path is a link, or others may write to it"; exit 2 ;;
  esac
done

# Which file a name means: a response that was counted is deleted, and no other one.
identity() { stat -c '%d:%i:%s:%y' "$1" 2>/dev/null || true; }
# give_up FILE: a copy of it in failed/, whole when its name is there.
give_up() {
  cp "$1" "$root/failed/.$$.tmp"
  mv "$root/failed/.$$.tmp" "$failed"
  say "given up: $(jq -r '.error_message // "not readable"' "$failed")"
  exit 1
}

# Without a record of its own, the files say how far it got.
status_of() {
  jq -er --arg id "$id" 'select(.request_id == $id) | select((.status == "success" and has("data"))
    or (.status == "error" and (.error_message | type) == "string")) | .status' "$1" 2>/dev/null ||
    echo none
}
[ ! -f "$failed" ] || [ "$(status_of "$response")" = success ] || {
  say "given up earlier: see $failed"; exit 1; }
if [ ! -e "$request" ]; then
  tmp=$root/requests/.$id.$$.tmp
  jq -n --arg id "$id" --arg command "$command" --argjson params "$params" \
    '{request_id: $id, command: $command, params: $params}' >"$tmp"
  ln "$tmp" "$request" || say "somebody dropped it at the same time" # Never over what is there.
  rm "$tmp"
fi

# While this lock is shared no watch begins; when it is refused, one drives this request.
exec 9>>"$root/client/watch.lock"
flock -s -n 9 || attempts=0

attempt=1 paused_ms=0
while :; do
  tries=${TRIES:-12000} # twentieths of a second
  until [ -f "$response" ] && [ ! -L "$response" ]; do
    [ "$attempts" != 0 ] || [ ! -f "$failed" ] || { say "given up: see $failed"; exit 1; }
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { say "no response; is a worker running?"; exit 3; }
    sleep 0.05
  done
  counted=$(identity "$response")
  status=$(status_of "$response")
  retryable=yes wait_ms=0
  case $status in
    success) cat "$response"; exit 0 ;;
    error)
      if [ "$attempts" = 0 ]; then # The watch deletes it, or copies it to failed/.
        sleep 0.2
        [ ! -f "$failed" ] || { say "given up: see $failed"; exit 1; }
        continue
      fi
      retryable=$(jq -r 'if .retryable == false then "no" else "yes" end' "$response")
      wait_ms=$(jq -r '.retry_after_ms | if type == "number" and . >= 0 then floor else 0 end' \
        "$response")
      # A rate limit that says when to come back is a pause and no attempt, for an hour in all.
      if jq -e '.error_code == "resource_exhausted" and (.retry_after_ms | type) == "number"' \
        "$response" >/dev/null && [ "$paused_ms" -lt 3600000 ]; then
        paused_ms=$((paused_ms + (wait_ms > 1000 ? wait_ms : 1000))) attempt=$((attempt - 1))
      fi ;;
    none) # Names are complete in responses/; a worker that writes in place gets a moment.
      sleep 0.5
      [ "$(identity "$response")" = "$counted" ] || continue
      cp "$response" "$failed.unreadable-$attempt" ;;
  esac
  if [ "$attempt" -ge "$attempts" ] || [ "$retryable" = no ]; then
    [ "$status" = error ] && give_up "$response"
    printf '{"request_id":"%s","status":"error","error_code":"data_loss","error_message":"%s"}\n' \
      "$id" "the response is no response to it" >"$root/failed/.$$.own"
    give_up "$root/failed/.$$.own"
  fi
  # Full jitter: anything up to 1 s, 2 s, ..., and not before the worker says.
  sleep "$(awk -v n="$attempt" -v least="$wait_ms" -v seed="$$$attempt" \
    'BEGIN { srand(seed); s = rand() * 2 ^ (n - 1); print s < least / 1000 ? least / 1000 : s }')"
  [ "$(identity "$response")" != "$counted" ] || rm "$response"
  attempt=$((attempt + 1))
done
