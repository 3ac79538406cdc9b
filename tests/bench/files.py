# SPDX-License-Identifier: MIT
"""What file.read, file.search and file.propose cost: beside a bare loop through the same protocol,
beside `grep -r` and, where it is installed, `rg`."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rig import WORKER_CPU, end, spawn
from targets import alone, compare, row

READ_FILES, READ_TIMES = 1000, 1.5
TREE_FILES, SEARCH_TIMES = 50_000, 2.0
PROPOSE_LINES = 10_000
LINE = "the quick brown fox jumps over the lazy dog, {}\n"


def text_of(lines, number):
    return "".join(LINE.format(f"{number} {i}") for i in range(lines))


def make_tree(top, files):
    """Directories of 100 files of about 4 KiB; each hundredth has the needle."""
    for i in range(files):
        folder = top / f"{i // 1000:02}" / f"{i // 100 % 10}"
        if i % 100 == 0:
            folder.mkdir(parents=True)
        text = text_of(75, i)
        (folder / f"{i:05}.txt").write_text(text + "a needle\n" if i % 100 == 50 else text)


def ask(root, stem, command, params):
    """Drops a request and waits; {"ms"} and the response's bytes."""
    draft = root / "requests" / ".draft"
    draft.write_text(json.dumps({"request_id": stem, "command": command, "params": params}))
    response = root / "responses" / f"{stem}.json"
    begin = time.perf_counter()
    draft.rename(root / "requests" / f"{stem}.json")
    while not os.path.exists(response):
        time.sleep(1e-4)
    return (time.perf_counter() - begin) * 1e3, response.read_bytes()


def data_of(answer):
    document = json.loads(answer)
    if document["status"] != "success":
        raise RuntimeError(answer[:500])
    return document["data"]


@contextmanager
def served(rig, root, top, cpu, **limits):
    config = root / "bench.yaml"
    config.write_text(json.dumps({"file": {"roots": [str(top)], "limits": limits}}))
    process = spawn([*rig.command("ours", root, "none"), "--config", config], cpu)
    try:
        rig.wait_ready(process, "ours", root)
        yield
    finally:
        end(process)


@contextmanager
def bare_reader(rig, root, listed):
    process = spawn([rig.bare_program.with_name("bare_reader"), root, listed], WORKER_CPU)
    try:
        rig.wait_ready(process, "bare", root)
        yield
    finally:
        end(process)


def reads(rig, scale, top):
    names = sorted(str(p.relative_to(top)) for p in (top / "00").rglob("*.txt"))[:READ_FILES]
    stems = iter(range(10**9))
    with ExitStack() as stack:
        roots = {who: stack.enter_context(rig.root("tmpfs")) for who in ("bare", "ours")}
        listed = top.parent / "listed"
        listed.write_text("".join(f"{top / name}\n" for name in names))
        stack.enter_context(bare_reader(rig, roots["bare"], listed))
        stack.enter_context(served(rig, roots["ours"], top, WORKER_CPU, read_bytes="16MiB"))

        def measure(who):
            times = []
            for _ in range(10):
                ms, answer = ask(roots[who], f"r{next(stems)}", "file.read", {"files": names})
                times.append(ms)
            if len(data_of(answer)["files"]) != len(names):
                raise RuntimeError("not all files were read")
            return {"ms": sorted(times)[len(times) // 2]}

        s = compare(scale, ["bare", "ours"], measure)
    return [row(f"file.read of {READ_FILES:,} files", "ms", s, "ms", READ_TIMES, True)]


def found_by(argv):
    begin = time.perf_counter()
    done = subprocess.run(argv, capture_output=True, check=True)
    ms = (time.perf_counter() - begin) * 1e3
    if done.stdout.count(b"\n") != TREE_FILES // 100:
        raise RuntimeError(f"{argv[0]} found something else")
    return ms


def searches(rig, scale, top):
    """Both CPUs for all of them."""
    programs = {"grep": ["grep", "-rn", "needle", str(top)]}
    if shutil.which("rg"):
        programs["rg"] = ["rg", "-n", "--no-heading", "needle", str(top)]
    else:
        print("there is no rg: its row is left out", file=sys.stderr)
    stems = iter(range(10**9))
    with rig.root("tmpfs") as root, served(rig, root, top, None, results=100_000):

        def measure(who):
            if who != "ours":
                return {"ms": found_by(programs[who])}
            ms, answer = ask(root, f"s{next(stems)}", "file.search", {"text": "needle"})
            data = data_of(answer)
            if len(data["matches"]) != TREE_FILES // 100 or not data["complete"]:
                raise RuntimeError("file.search found something else")
            return {"ms": ms}

        s = compare(scale, [*programs, "ours"], measure)
    rows = []
    if "rg" in programs:
        rows.append(row(f"file.search of {TREE_FILES:,} files against rg", "ms", s, "ms",
                        SEARCH_TIMES, True, baseline="rg"))
    rows.append(row(f"file.search of {TREE_FILES:,} files against grep -r", "ms", s, "ms",
                    baseline="grep"))
    return rows


def proposals(rig, scale, top):
    big = top / "big.txt"
    big.write_text(text_of(PROPOSE_LINES, 0))
    edits = [{"old": LINE.format(f"0 {i}"), "new": f"changed {i}\n"}
             for i in range(0, PROPOSE_LINES, PROPOSE_LINES // 10)]
    done = []
    with rig.root("tmpfs") as root:
        config = root / "bench.yaml"
        config.write_text(json.dumps({"file": {"roots": [str(top)], "writable": [str(top)]}}))
        process = spawn([*rig.command("ours", root, "none"), "--config", config], WORKER_CPU)
        try:
            rig.wait_ready(process, "ours", root)
            for i in range(10 * scale.rounds):
                ms, answer = ask(root, f"p{i}", "file.propose", {"changes": [
                    {"path": "big.txt", "operation": "update", "edits": edits}]})
                done.append({"ms": ms})
            if len(data_of(answer)["changes"][0]["hunks"]) != len(edits):
                raise RuntimeError("not all edits became hunks")
        finally:
            end(process)
    return [alone(f"file.propose, 10 edits of {PROPOSE_LINES:,} lines", "ms", done, "ms")]


def files(rig, scale):
    with tempfile.TemporaryDirectory(prefix="filecall-tree-", dir=rig.media["tmpfs"].path) as at:
        top = Path(at) / "tree"
        top.mkdir()
        make_tree(top, TREE_FILES)
        return [*reads(rig, scale, top), *searches(rig, scale, top), *proposals(rig, scale, top)]
