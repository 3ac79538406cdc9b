#!/bin/bash
# SPDX-License-Identifier: MIT
export FILECALL_ROOT=$PWD/root
case $1 in
  begin)
    cat >worker.yaml <<END
tool:
  concurrency: $SLOTS
  tools:
    job:
      description: A command of the list.
      argv: [$COMMAND, $LOG, "{n}"]
      args: {type: object, required: [n], properties: {n: {type: string}}}
      effects: $EFFECTS
      check: true
END
    for n in $(seq "$COUNT"); do
      echo "{\"request_id\": \"$n\", \"command\": \"tool.run\"," \
        "\"params\": {\"tool\": \"job\", \"args\": {\"n\": \"$n\"}}}"
    done >batch.jsonl
    "$FILECALL" run batch.jsonl --worker-config worker.yaml --quiet
    ;;
  resume) "$FILECALL" run batch.jsonl --worker-config worker.yaml --quiet ;;
  report)
    "$FILECALL" run batch.jsonl --worker-config worker.yaml --out results.jsonl --quiet
    jq -r 'select(.state != "SUCCESS").request_id' results.jsonl
    ;;
  version) "$FILECALL" --version | cut -d ' ' -f 2 ;;
esac
