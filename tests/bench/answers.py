# SPDX-License-Identifier: MIT
"""What `show`, `report` and `gc` take on roots with many answered requests."""

import shutil
import sys
import tempfile
import time
from pathlib import Path

from information import finish
from targets import Row, alone

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from browser import Browser  # noqa: E402

SHOW_MS, REPORT_S, PAGE_S, GC_S = 50, 30, 2, 60


def bound(what, unit, done, name, limit):
    """`limit`: None for information."""
    row = alone(what, unit, done, name)
    return Row(row.what, row.unit, None, row.ours, limit, limit is not None, row.samples)


def after_looks(rig, root, files, rounds, is_largest):
    """Rows of a root that status.looks() has filled; it has none of its requests afterwards. The
    targets are those of the largest root."""
    def at_most(limit):
        return limit if is_largest else None

    what = f"{files:,} answered requests"
    shown = [finish(rig, "show", "--root", root, f"fill-{i * (files - 1) // 8:08d}", cpu=None)
             for i in range(9)]
    for one in shown:
        one["ms"] = one["seconds"] * 1000
    rows = [bound(f"filecall show, {what}", "ms", shown, "ms", at_most(SHOW_MS))]
    rows += reports(rig, root, what, min(rounds, 3), at_most)
    return rows + collected(rig, root, f"filecall gc, {what}, tmpfs", at_most(GC_S))


def reports(rig, root, what, rounds, at_most):
    with tempfile.TemporaryDirectory(prefix="filecall-page-", dir=root.parent) as folder:
        page = Path(folder) / "report.html"
        made = [finish(rig, "report", "--root", root, "--format", "html", "--out", page, cpu=None)
                for _ in range(rounds)]
        size = [{"mib": page.stat().st_size / 2**20}]
        rows = [bound(f"filecall report --format html, {what}", "s", made, "seconds",
                      at_most(REPORT_S)),
                alone("  client memory at its peak", "MiB", made, "mib"),
                alone("  size of the page", "MiB", size, "mib")]
        if shutil.which("chromium"):
            rows.append(bound("  until Chromium shows it", "s", opened(page, rounds), "seconds",
                              at_most(PAGE_S)))
        else:
            print("there is no chromium: the page is not opened", file=sys.stderr)
    return rows


def opened(page, rounds):
    """From the address to the first rows of its table."""
    done = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="filecall-page-") as folder, \
                Browser(folder) as browser:
            begin = time.monotonic()
            browser.open(page.as_uri())
            browser.wait("document.querySelectorAll('#rows tr').length > 0")
            done.append({"seconds": time.monotonic() - begin})
    return done


def collected(rig, root, what, limit):
    done = [finish(rig, "gc", "--root", root, "--older-than", "1d", cpu=None)]
    left = sum(1 for name in ("requests", "responses") for _ in (root / name).iterdir())
    if left:
        raise RuntimeError(f"gc left {left} files")
    return [bound(what, "s", done, "seconds", limit),
            alone("  client memory at its peak", "MiB", done, "mib")]
