# SPDX-License-Identifier: MIT
"""Only in the long form: a million files, and a soak whose memory and descriptors stay flat.

FILECALL_SOAK_S sets the soak's length (default half an hour). It prints its figures once a minute
and a line for the results at the end.
"""

import os
import random
import time

import pytest

import injection
from harness import QUICK_RETRIES, TOOLS, Client, shell, wait_until
from test_hostile_disk import descriptors
from test_hostile_files import memory_kib, peak_kib

SOAK_S = float(os.environ.get("FILECALL_SOAK_S") or 1800)
pytestmark = pytest.mark.skipif(not injection.LONG, reason="only with FILECALL_TEST_MODE=long")


def test_a_million_files(spool, start_worker):
    """Pre-dropped, drained, and one more is answered as quickly as ever."""
    total = int(os.environ.get("FILECALL_MILLION") or 1_000_000)
    folder = str(spool.root / "requests")
    for i in range(total):
        with open(f"{folder}/r{i:07}.json", "w", encoding="ascii") as file:
            file.write(f'{{"request_id":"r{i:07}","command":"system.echo","params":{{}}}}')
    began = time.monotonic()
    worker = start_worker()
    wait_until(lambda: spool.status()["counts"]["success"] >= total, "all are answered",
               deadline=1200, tick=1)
    seconds = time.monotonic() - began
    first = time.monotonic()
    spool.call("one-more")
    last_ms = (time.monotonic() - first) * 1000
    peak = peak_kib(worker.pid) / 1024
    print(f"RESULT million: {total} files in {seconds:.0f} s ({total / seconds:.0f}/s), peak "
          f"{peak:.0f} MiB, one more in {last_ms:.0f} ms")
    assert peak < 400 and last_ms < 1000
    assert sum(1 for _ in os.scandir(spool.root / "responses")) == total + 1


def test_soak(spool, folder, start_worker):
    """Mixed work all the time: echoes, tools, failures, malformed files, cancels, deletions."""
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    rng = random.Random(seed)
    worker = start_worker(config=TOOLS, durability="full")
    client = Client(spool, folder)
    samples, begun, number = [], time.monotonic(), 0
    next_sample = 60.0
    while time.monotonic() - begun < SOAK_S:
        stems = [soak_drop(spool, rng, number + i) for i in range(40)]
        number += 40
        for stem in stems:
            wait_until(lambda s=stem: spool.response(s), f"{stem} is answered", 60)
        for stem in stems:  # The root stays small: it is the process that is watched.
            spool.request(stem).unlink()
            spool.response_path(stem).unlink()
        if number % 4000 == 0:
            batch = client.batch(*[(f"c{number}-{i}", "system.echo") for i in range(20)])
            done = client.run("run", "--no-start-worker", *QUICK_RETRIES, batch)
            assert done.returncode == 0, done.stderr
        elapsed = time.monotonic() - begun
        if elapsed >= next_sample or not samples:
            next_sample = elapsed + 60
            samples.append((elapsed, memory_kib(worker.pid), descriptors(worker.pid)))
            print(f"{elapsed:6.0f} s {number:8} requests {samples[-1][1]:8} KiB "
                  f"{samples[-1][2]:4} descriptors", flush=True)
    first = samples[len(samples) // 4]
    last = (SOAK_S, memory_kib(worker.pid), descriptors(worker.pid))
    print(f"RESULT soak: {SOAK_S:.0f} s, {number} requests, memory {first[1]} -> {last[1]} KiB, "
          f"descriptors {first[2]} -> {last[2]}")
    assert last[1] <= first[1] * 1.1 + 2048, "memory grows"
    assert last[2] <= first[2] + 8, "descriptors leak"
    assert worker.stop() == 0


def soak_drop(spool, rng, number: int) -> str:
    stem = f"s{number}"
    kind = rng.random()
    if kind < 0.6:
        spool.drop(stem, params={"text": "x" * rng.randrange(4000)})
    elif kind < 0.8:
        spool.drop(stem, "tool.run", {"argv": ["true"]})
    elif kind < 0.85:
        spool.drop(stem, "tool.run", shell("sleep 10"), timeout_ms=rng.randrange(1, 50))
    elif kind < 0.9:
        spool.drop(stem, "tool.run", {"argv": ["head", "-c", "3000000", "/dev/zero"]})
    elif kind < 0.95:
        spool.drop_bytes(stem, '{"request_id": 7}')
    else:
        spool.drop(stem, "tool.run", {"argv": ["not-allowed"]})
    return stem
