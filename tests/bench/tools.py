# SPDX-License-Identifier: MIT
"""What a tool run costs, with and without a sandbox, beside the bare spawning of the program."""

import ctypes
import json
import os
import tempfile
import time
from contextlib import ExitStack
from statistics import median

from rig import end, spawn
from targets import Row, compare, row

PROGRAM = "/bin/true"
LEVELS = {"none": {}, "read-only": {"sandbox": "read-only"},
          "workspace-write": {"sandbox": "workspace-write"},
          "no network": {"sandbox": "workspace-write", "network": False}}
TIMES_BARE_MAX = 2.0
COST_MS_MAX = 1.0  # Of a sandbox beyond a run without one; of its network namespace beyond that.
LESS = {"read-only": "none", "workspace-write": "none", "no network": "workspace-write"}


PR_SET_TIMERSLACK = 29


def sleep_exactly():
    """A sleep is late by 50 us as a rule: a twentieth of what is measured."""
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0)


def start(rig, root, tool):
    work = tempfile.mkdtemp(prefix="work-", dir=root.parent)  # A sandbox hides the root itself.
    config = root / "bench.yaml"
    config.write_text(json.dumps({"tool": {"allow": [PROGRAM], "roots": [work], **tool}}))
    process = spawn([*rig.command("ours", root, "none"), "--config", config])
    rig.wait_ready(process, "ours", root)
    return process


def spawn_bare():
    pid = os.posix_spawn(PROGRAM, [PROGRAM], {})
    os.waitpid(pid, 0)


def run_tool(root, stem):
    text = json.dumps({"request_id": stem, "command": "tool.run", "params": {"argv": [PROGRAM]}})
    draft = root / "requests" / ".draft"
    draft.write_text(text)
    response = root / "responses" / f"{stem}.json"
    draft.rename(root / "requests" / f"{stem}.json")
    while not os.path.exists(response):
        time.sleep(5e-5)
    if '"exit_code":0' not in response.read_text().replace(" ", ""):
        raise RuntimeError(f"{stem}: {response.read_text()}")


def tool_runs(rig, scale):
    count, stems = 60, iter(range(10**9))
    sleep_exactly()
    with ExitStack() as stack:
        roots = {}
        for level, tool in LEVELS.items():
            roots[level] = stack.enter_context(rig.root("tmpfs"))
            stack.callback(end, start(rig, roots[level], tool))

        def measure(who):
            times = []
            for _ in range(count):
                begin = time.perf_counter()
                if who == "bare":
                    spawn_bare()
                else:
                    run_tool(roots[who], f"r{next(stems)}")
                times.append((time.perf_counter() - begin) * 1e3)
            return {"ms": median(times)}

        s = compare(scale, ["bare", *LEVELS], measure)
    rows = [row(f"tool.run {PROGRAM} against a bare spawn", "ms", s, "ms", TIMES_BARE_MAX, True,
                ours="none")]
    for level in list(LEVELS)[1:]:
        rows.append(row(f"  {level} against no sandbox", "ms", s, "ms", baseline="none",
                        ours=level))
        cost = median(s[level]["ms"]) - median(s[LESS[level]]["ms"])
        rows.append(Row(f"  cost of {level} beyond {LESS[level]}", "ms", None, cost, COST_MS_MAX,
                        True))
    return rows
