#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: run.sh [MODEL...]      (default: gpt-4.1-mini; PROVIDER/MODEL asks a provider of the
# worker's configuration)
# Asks and grades against any OpenAI-compatible server: OPENAI_BASE_URL, OPENAI_API_KEY. Also
# JUDGE (the judging model, of the default provider; default: the first one), REPEAT (default 3),
# FILECALL_ROOT, FILECALL (the program).
# Run it again after any interruption: no answer and no verdict is paid for twice.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- gpt-4.1-mini
filecall=${FILECALL:-filecall}
root=${FILECALL_ROOT:-/tmp/copilot-evaluation}
mkdir -p "$root"
chmod 700 "$root"

# Every question to every model, so many times: ask.json with a row of questions.csv in its places.
models=$(IFS=,; echo "$*")
"$filecall" run "$here/questions.csv" --template "$here/ask.json" --model "$models" \
  --repeat "${REPEAT:-3}" --root "$root" ||
  [ $? -eq 1 ] # Given-up ones are counted below.
JUDGE=${JUDGE:-$1} python3 - "$here/quality.yaml" "$root/quality.yaml" <<'END'
import json, os, pathlib, sys
spec = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
pathlib.Path(sys.argv[2]).write_text(spec.replace("JUDGE", json.dumps(os.environ["JUDGE"]), 1),
                                     encoding="utf-8")
END
exec "$filecall" eval "$root/quality.yaml" --root "$root"
