# SPDX-License-Identifier: MIT
"""What a look at one request among many reads, counted, never timed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from status import add_rows

WORKER = os.environ.get("FILECALL_WORKER_BIN")
CLIENT = Path(WORKER or "/nonexistent").parent / "filecall"
# 60,000 rows are 8 MiB, 2,100 pages. Measured: 9; 3,681 where the whole file was checked first.
REQUESTS, READS_MAX = 60_000, 600

pytestmark = pytest.mark.skipif(not CLIENT.exists() or not shutil.which("strace"),
                                reason="no filecall beside FILECALL_WORKER_BIN, or no strace")


def answer(root, stem):
    (root / f"requests/{stem}.json").write_text("{}")
    (root / f"responses/{stem}.json").write_text(
        f'{{"request_id": "{stem}", "status": "success", "data": {{}}}}')


def test_a_request_is_shown_without_reading_the_others(tmp_path):
    root, table = tmp_path / "root", tmp_path / "table"
    for name in ("requests", "responses"):
        (root / name).mkdir(mode=0o700, parents=True)
    root.chmod(0o700)
    stem = f"fill-{REQUESTS // 2:08d}"
    answer(root, stem)
    subprocess.run([CLIENT, "status", "--root", root], check=True, capture_output=True)
    add_rows(root, REQUESTS)
    shown = subprocess.run(["strace", "-f", "-c", "-U", "calls,name", "-o", table, CLIENT, "show",
                            stem, "--root", root], check=True, capture_output=True, text=True)
    assert stem in shown.stdout
    counts = dict((name, int(n)) for n, name in
                  re.findall(r"^\s*(\d+)\s+(\w+)$", table.read_text(), re.M))
    reads = counts.get("pread64", 0)
    print(f"{reads} reads of the database")
    assert 0 < reads <= READS_MAX
