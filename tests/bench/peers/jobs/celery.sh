#!/bin/bash
# SPDX-License-Identifier: MIT
serve() {
  mkdir -p redis
  "$REDIS" "$HERE/redis.conf" --port "$PORT" --dir "$PWD/redis" >redis.log &
  until "$REDIS_CLI" -p "$PORT" ping 2>/dev/null | grep -q PONG; do sleep 0.1; done
  "$PYTHON" -m celery -A celery_tasks worker -c "$SLOTS" >>celery.log 2>&1 &
}
export PYTHONPATH=$HERE
case $1 in
  begin) serve; "$PYTHON" -m celery_jobs submit; "$PYTHON" -m celery_jobs wait ;;
  resume) serve; "$PYTHON" -m celery_jobs wait ;;
  report) "$PYTHON" -m celery_jobs failed ;;
  version) "$PYTHON" -m celery --version | cut -d ' ' -f 1; "$REDIS" --version ;;
esac
