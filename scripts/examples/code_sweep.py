#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a batch of requests (JSONL): every check of quickstart.yaml on every file it is for.

    scripts/examples/code_sweep.py [DIRECTORY] >sweep.jsonl
    filecall run sweep.jsonl

One request is one check of one file, with an id that says so; the same tree gives the same batch,
so a run that was interrupted continues where it was.
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


def files(directory: Path) -> list[str]:
    """What git knows; without git, everything but the build."""
    listing = subprocess.run(["git", "-C", str(directory), "ls-files"], capture_output=True,
                             text=True, check=False)
    names = listing.stdout.splitlines() or [
        str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()]
    return sorted(name for name in names if not any(part in name for part in LEFT_OUT)
                  and not name.startswith(("build/", ".git/")) and (directory / name).is_file())


def main() -> int:
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = files(directory)
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
