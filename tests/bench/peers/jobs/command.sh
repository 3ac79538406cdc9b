#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: command.sh LOG N
# The command that every tool runs: it takes a tenth of a second, each tenth fails, and the log
# says when it begins and how it ends.
echo "begin $2" >>"$1"
sleep 0.1
if [ "$(($2 % 10))" = 0 ]; then
  echo "failed $2" >>"$1"
  echo "command $2 does not work" >&2
  exit 1
fi
echo "ended $2" >>"$1"
