#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a batch of requests (JSONL): every check of quickstart.yaml on every file it is for.

    scripts/examples/code_sweep.py [PATH...] >sweep.jsonl
    filecall run sweep.jsonl

Without a PATH it is the whole of the current directory. One request is one check of one file, with
an id that says so; the same tree gives the same batch, so a run that was interrupted continues
where it was.
"""

import json
import subprocess
import sys
from pathlib import Path

# Check -> the files it is for.
CHECKS = {
    "count-lines": ["*"],
    "long-lines": ["*.cc", "*.h", "*.py", "*.sh"],
    "licence-header": ["*.cc", "*.h", "*.py", "*.sh"],
    "python-syntax": ["*.py"],
    "shell-syntax": ["*.sh"],
    "json-syntax": ["*.json"],
    "includes": ["*.cc", "*.h"],
}
# Examples of bad input: that they are broken is their purpose.
LEFT_OUT = ("examples/invalid", "/corpus/")


def files(places: list[str]) -> list[str]:
    """What git knows beneath these; without git, everything but the build."""
    listing = subprocess.run(["git", "ls-files", "--", *places], capture_output=True, text=True,
                             check=False)
    names = listing.stdout.splitlines() or [
        str(path) for place in places for path in Path(place).rglob("*")]
    return sorted(name for name in names if not any(part in name for part in LEFT_OUT)
                  and not name.startswith(("build/", ".git/")) and Path(name).is_file())


def main() -> int:
    names = files(sys.argv[1:] or ["."])
    for check, patterns in CHECKS.items():
        for name in names:
            if any(Path(name).match(pattern) for pattern in patterns):
                request_id = f"{check}--{name.replace('/', '--').lstrip('.')}"
                print(json.dumps({
                    "request_id": request_id[:200],
                    "command": "tool.run",
                    "params": {"tool": check, "args": {"file": name}},
                }))
    return 0


if __name__ == "__main__":
    sys.exit(main())
