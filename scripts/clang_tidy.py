#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs clang-tidy over the sources in bounded time: clang_tidy.py BUILD_DIR [--minutes N] [FILE...]

Files whose bytes (and those of every project header they include) were clean before are skipped.
The most recently changed files come first, so that what a limit cuts off is what was checked
longest ago; the last line says how many were left. Exits 1 when a finding was reported.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


def object_dependencies(build: Path) -> dict[str, list[str]]:
    """Object file -> headers of this project that it was compiled from, as ninja recorded them."""
    text = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True,
                          text=True, check=False).stdout
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            current = found.setdefault(line.split(":", 1)[0], [])
        elif str(TOP) in line or line.strip().startswith(".."):
            current.append(line.strip())
    return found


def fingerprint(source: str, build: Path, headers: list[str]) -> str:
    digest = hashlib.sha256((TOP / ".clang-tidy").read_bytes())
    for name in sorted({source, *headers}):
        path = Path(name) if os.path.isabs(name) else build / name
        if path.exists():
            digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    build = options.build.resolve()
    commands = json.loads((build / "compile_commands.json").read_text())
    headers = object_dependencies(build)
    cache_file = build / "clang-tidy.clean"
    clean = set(cache_file.read_text().split()) if cache_file.exists() else set()

    wanted = {str(Path(f).resolve()) for f in options.files}
    work = []
    for entry in commands:
        source = entry["file"]
        if "/build/" in source or "/tests/" in source or (wanted and source not in wanted):
            continue
        key = fingerprint(source, build, headers.get(entry.get("output", ""), []))
        if key not in clean:
            work.append((-os.stat(source).st_mtime, source, key))
    work.sort()
    deadline = time.monotonic() + options.minutes * 60

    def check(item: tuple[float, str, str]):
        if time.monotonic() > deadline:
            return None
        run = subprocess.run(["clang-tidy", "-p", str(build), "--quiet", item[1]],
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout

    failed = left = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for item, outcome in zip(work, pool.map(check, work)):
            if outcome is None:
                left += 1
            elif outcome[0] != 0:
                failed += 1
                print(outcome[1])
            else:
                clean.add(item[2])
    cache_file.write_text("\n".join(sorted(clean)))
    print(f"checked {len(work) - left} files, {failed} with findings, {left} left for lack of time")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
