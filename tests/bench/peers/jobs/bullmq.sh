#!/bin/bash
# SPDX-License-Identifier: MIT
serve() {
  mkdir -p redis
  "$REDIS" "$HERE/redis.conf" --port "$PORT" --dir "$PWD/redis" >redis.log &
  until "$REDIS_CLI" -p "$PORT" ping 2>/dev/null | grep -q PONG; do sleep 0.1; done
}
case $1 in
  begin) serve; node "$HERE/bullmq_jobs.mjs" submit; node "$HERE/bullmq_jobs.mjs" wait ;;
  resume) serve; node "$HERE/bullmq_jobs.mjs" wait ;;
  report) node "$HERE/bullmq_jobs.mjs" failed ;;
  version) jq -r .version "$MODULES/bullmq/package.json"; "$REDIS" --version ;;
esac
