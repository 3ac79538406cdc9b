#!/bin/sh
# SPDX-License-Identifier: MIT
# Three attempts, for tools that have none of their own.
"$@" || { sleep 1; "$@"; } || { sleep 2; "$@"; }
