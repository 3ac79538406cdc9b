#!/bin/bash
# SPDX-License-Identifier: MIT
run() {
  seq "$COUNT" | parallel --will-cite --jobs "$SLOTS" --joblog joblog --retries 3 "$@" \
    "$COMMAND" "$LOG"
}
case $1 in
  begin) run ;;
  resume) run "$RESUME" ;;
  report)
    awk 'NR > 1 { ends[$NF] = $7 + $8 } END { for (n in ends) if (ends[n]) print n }' joblog
    ;;
  version) parallel --version | awk 'NR == 1 { print $3 }' ;;
esac
