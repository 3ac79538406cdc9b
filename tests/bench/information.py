# SPDX-License-Identifier: MIT
"""Rows without a target: what the client reaches, and what a root of a million files costs."""

import json
import subprocess
import tempfile
import time

from rig import CLIENT_CPU, cpu_seconds, memory_mib, peak_mib, spawn, wait_until_idle
from targets import WINDOW, alone, compare, row

COMMAND_S = 300


def finish(rig, *arguments, cpu=CLIENT_CPU):
    """Runs the client to its end; {"seconds", "mib": peak of memory, "cpu_s"}.

    time(1) looks at the figures: a child of this process would begin with the peak of ours, which
    Linux carries through exec."""
    with tempfile.NamedTemporaryFile("r", prefix="filecall-time-") as figures:
        argv = ["/usr/bin/time", "--quiet", "-f", "%M %U %S", "-o", figures.name,
                "timeout", COMMAND_S, rig.filecall_program, *arguments]
        begin = time.monotonic()
        process = spawn(argv, cpu, stdout=subprocess.DEVNULL)
        if process.wait() != 0:
            raise RuntimeError(f"filecall {arguments[0]}: exit code {process.returncode}")
        seconds = time.monotonic() - begin
        kib, user_s, system_s = map(float, figures.read().split())
    return {"seconds": seconds, "mib": kib / 1024, "cpu_s": user_s + system_s}


def run_batch(rig, root, durability, count, prefix="b"):
    batch = root / f"bench-{prefix}.jsonl"
    with open(batch, "w", encoding="utf-8") as file:
        for i in range(count):
            file.write(json.dumps({"request_id": f"{prefix}{i:07}", "command": "system.echo",
                                   "params": {"text": "hello", "number": 42}}) + "\n")
    return finish(rig, "run", "--root", root, "--no-start-worker", "--quiet", "--durability",
                  durability, "--window", WINDOW, batch)


def client(rig, scale):
    """`filecall run` end to end (start, reading of the batch, its database, results) beside a bare
    loop that drops and reads the same with the same syncs and keeps no state; one worker, ours."""
    rows = []
    for durability, medium, count in (("none", "tmpfs", scale.requests),
                                      ("full", "disk", scale.synced // 2)):
        def measure(who):
            with rig.root(medium) as root, rig.worker("ours", root, durability):
                if who == "bare":
                    mode = "synced" if durability == "full" else "throughput"
                    return rig.client(root, mode, count, WINDOW)
                done = run_batch(rig, root, durability, count)
                return {"per_s": count / done["seconds"], "cpu_us": done["cpu_s"] / count * 1e6,
                        "mib": done["mib"]}

        s = compare(scale, ["bare", "ours"], measure)
        rows += [row(f"filecall run, {count:,} echoes, {durability}, {medium}", "/s", s, "per_s"),
                 row("  client CPU a request", "us", s, "cpu_us", baseline=None),
                 row("  client memory at its peak", "MiB", s, "mib", baseline=None)]
    return rows


def start_up(rig, who, root):
    """A worker is started where one request waits among all that is answered."""
    rig.client(root, "drop", 1)
    waiter = spawn([rig.client_program, root, "await-one", 1], CLIENT_CPU,
                   stdout=subprocess.DEVNULL)
    time.sleep(0.1)
    begin = time.monotonic()
    with rig.worker(who, root, "none") as process:
        ready = time.monotonic() - begin
        if waiter.wait(timeout=120) != 0:
            raise RuntimeError("the waiting request was not answered")
        found = time.monotonic() - begin
        wait_until_idle(process.pid)
        return {"ready": ready, "found": found, "cpu_s": cpu_seconds(process.pid),
                "peak": peak_mib(process.pid), "pss": memory_mib(process.pid)}


def many(rig, scale):
    files = scale.many
    with rig.root("tmpfs") as root:
        rig.client(root, "answered", files)
        rounds = [{who: start_up(rig, who, root) for who in ("bare", "ours")}
                  for _ in range(min(scale.rounds, 3))]
        s = {who: {key: [r[who][key] for r in rounds] for key in rounds[0][who]}
             for who in ("bare", "ours")}
        with rig.worker("ours", root, "none"):
            runs = [run_batch(rig, root, "none", 1000, f"m{i}-") for i in range(3)]
    present = f"{files:,} answered files present"
    return [row(f"worker start, {present}: ready", "s", s, "ready"),
            row("  a request that waited is answered", "s", s, "found"),
            row("  CPU until it rests", "s", s, "cpu_s"),
            row("  memory at its peak", "MiB", s, "peak"),
            row("  memory (PSS) afterwards", "MiB", s, "pss"),
            alone(f"filecall run of 1,000, {present}", "s", runs, "seconds"),
            alone("  client memory at its peak", "MiB", runs, "mib")]
