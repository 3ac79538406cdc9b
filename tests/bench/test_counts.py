# SPDX-License-Identifier: MIT
"""Guards against gross regressions by counting, never by time: system calls and instructions that
one more echo costs. Two runs of different size; what start and stop cost drops out."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

WORKER = os.environ.get("FILECALL_WORKER_BIN")
WINDOW = 256
# What the protocol needs: open, fstat, read, close; look for an answer; open, write, close, rename.
# Measured: 9.1 in batches, 11.2 when each file comes alone, as on a busy machine.
CALLS_MAX = 12
# Measured: 23 400 in a release build. Half as much again is no accident of a compiler version.
INSTRUCTIONS_MAX = 35_000

pytestmark = pytest.mark.skipif(not WORKER, reason="FILECALL_WORKER_BIN names no worker")


def drop(root, first, count):
    (root / "requests").mkdir(mode=0o700, parents=True, exist_ok=True)
    for i in range(first, first + count):
        stem = f"count-{i:06d}"
        request = {"request_id": stem, "command": "system.echo",
                   "params": {"text": "hello", "number": 42}}
        temp = root / f"{stem}.tmp"
        temp.write_text(json.dumps(request), encoding="utf-8")
        temp.rename(root / "requests" / f"{stem}.json")


def until(is_true, what, seconds=120):
    limit = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < limit, f"waited {seconds} s for {what}"
        time.sleep(0.005)


def answered(root):
    return sum(name.endswith(".json") for name in os.listdir(root / "responses"))


def is_ready(root):
    try:
        return json.loads((root / "worker/status.json").read_text())["state"] == "ready"
    except (FileNotFoundError, ValueError):
        return False


def calls(root, requests, durability="none"):
    """Name -> number of calls of a worker that answers so many, WINDOW at a time."""
    root.mkdir(mode=0o700)
    table = root.parent / f"{root.name}.strace"
    tracer = subprocess.Popen(["strace", "-f", "-c", "-U", "calls,name", "-o", table, WORKER,
                               "--root", root, "--durability", durability, "--log-level", "warn"])
    try:
        until(lambda: is_ready(root) or tracer.poll() is not None, "the worker")
        assert tracer.poll() is None, "the worker ended, or this machine forbids tracing"
        for done in range(0, requests, WINDOW):
            drop(root, done, WINDOW)
            until(lambda: answered(root) >= done + WINDOW, "answers")
    finally:
        status = root / "worker/status.json"
        if status.exists() and tracer.poll() is None:
            os.kill(json.loads(status.read_text())["pid"], signal.SIGTERM)
        tracer.wait(60)
    rows = re.findall(r"^\s*(\d+)\s+(\w+)$", table.read_text(), re.M)
    return {name: int(count) for count, name in rows if name != "total"}


def calls_each(folder, durability):
    """Name -> calls that one more request costs."""
    few = calls(folder / "few", 2 * WINDOW, durability)
    many = calls(folder / "many", 10 * WINDOW, durability)
    return {name: (many[name] - few.get(name, 0)) / (8 * WINDOW) for name in many}


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_an_echo_costs_few_system_calls(tmp_path):
    each = calls_each(tmp_path, "none")
    total = sum(each.values())
    most = sorted(each.items(), key=lambda item: -item[1])[:12]
    told = ", ".join(f"{name} {n:.2f}" for name, n in most)
    print(f"{total:.2f} calls a request: {told}")
    assert each["openat"] > 1.9, "nothing was counted"
    assert total <= CALLS_MAX, told
    assert each.get("fsync", 0) + each.get("fdatasync", 0) < 0.01, told


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_a_journal_truncates_no_new_file(tmp_path):
    """ext4 writes a file at once that was truncated and closed: that took a third of the rate."""
    each = calls_each(tmp_path, "journal")
    assert each["openat"] > 1.9, "nothing was counted"
    assert each.get("ftruncate", 0) < 0.01, each
    assert each.get("fsync", 0) + each.get("fdatasync", 0) < 0.1, each


def instructions(root, requests):
    root.mkdir(mode=0o700)
    drop(root, 0, requests)
    out = root.parent / f"{root.name}.callgrind"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", WORKER, "--root",
                    root, "--drain", "--durability", "none", "--log-level", "warn"],
                   check=True, timeout=240, capture_output=True)
    assert answered(root) == requests
    return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M).group(1))


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_an_echo_costs_few_instructions(tmp_path):
    each = (instructions(tmp_path / "many", 1200) - instructions(tmp_path / "few", 200)) / 1000
    print(f"{each:,.0f} instructions a request in user space")
    assert 1000 < each <= INSTRUCTIONS_MAX
