# SPDX-License-Identifier: MIT
"""Only in the long form: a million files. (The soak: tests/bench/soak.py.)"""

import os
import time

import pytest

import injection
from harness import wait_until
from test_hostile_files import peak_kib

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
