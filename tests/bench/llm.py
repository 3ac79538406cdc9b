# SPDX-License-Identifier: MIT
"""Calls to language models in flight: how near to the ideal rate, at what cost each. The provider
is the scripted endpoint with a fixed latency, so that the ideal is known."""

import json
import subprocess
import time
from contextlib import contextmanager

from rig import (CLIENT_CPU, WORKER_CPU, cpu_seconds, end, peak_mib, spawn,
                 wait_for_answers)
from targets import Row

LATENCY_MS = 1000
# In flight -> calls that a slot makes in turn. Few at 4000: what waits is in memory too.
IN_FLIGHT = {100: 20, 1000: 20, 4000: 3}
PATIENCE_S = 120.0


@contextmanager
def endpoint(rig, folder):
    log = folder / "endpoint.jsonl"
    process = spawn([rig.endpoint_program, "--latency", LATENCY_MS, "--log", log], CLIENT_CPU,
                    stdout=subprocess.PIPE, text=True)
    try:
        yield int(process.stdout.readline().split()[1]), log
    finally:
        end(process)


def batch(rig, in_flight, rounds):
    """{name: value} of one batch that was there before the worker was."""
    count = in_flight * rounds
    with rig.root("tmpfs") as root, endpoint(rig, root) as (port, log):
        (root / "requests").mkdir(exist_ok=True)
        (root / "responses").mkdir(exist_ok=True)
        for i in range(count):
            (root / "requests" / f"q{i}.json").write_text(json.dumps({
                "request_id": f"q{i}", "command": "llm.chat",
                "params": {"model": "m", "prompt": f"say {i} " + "x" * 1000}}))
        config = root / "worker.yaml"
        config.write_text(json.dumps({"llm": {"providers": {"bench": {
            "base_url": f"http://127.0.0.1:{port}/v1", "profile": "generic",
            "max_in_flight": in_flight}}}}))
        process = spawn([*rig.command("ours", root, "none"), "--config", config], WORKER_CPU)
        try:
            rig.wait_ready(process, "ours", root)
            idle_mib = peak_mib(process.pid)
            wait_for_answers(root, count, PATIENCE_S, 0.05)
            finished = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            cpu_s, peak = cpu_seconds(process.pid), peak_mib(process.pid)
        finally:
            end(process)
        first = json.loads(log.read_text().splitlines()[0])["t_ns"]
        calls = sum(1 for _ in log.open())
    ideal_s = rounds * LATENCY_MS / 1000
    return {"rate": ideal_s / ((finished - first) / 1e9), "cpu_ms": cpu_s * 1000 / count,
            "kib": (peak - idle_mib) * 1024 / in_flight, "calls": calls / count}


def calls_in_flight(rig, _scale):
    rows = []
    for in_flight, rounds in IN_FLIGHT.items():
        found = batch(rig, in_flight, rounds)
        what = f"llm.chat, {in_flight} in flight"
        rows += [
            Row(f"{what}: share of the ideal rate", "x", None, found["rate"],
                0.95 if in_flight <= 1000 else None),
            Row(f"{what}: memory a call", "KiB", None, found["kib"],
                32 if in_flight == 4000 else None, True),
            Row(f"{what}: CPU a call", "ms", None, found["cpu_ms"]),
            Row(f"{what}: HTTP attempts a request", "x", None, found["calls"], 1, True),
        ]
    return rows
