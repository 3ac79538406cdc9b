# SPDX-License-Identifier: MIT
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness  # noqa: E402
import sanitized  # noqa: E402
from conftest_shared import *  # noqa: E402,F401,F403


def pytest_configure(config):
    config.addinivalue_line("markers", "core: what the sanitizer builds run too")


def pytest_collection_modifyitems(config, items):
    sanitizer = os.environ.get("FILECALL_SANITIZER", "")
    mode = os.environ.get("FILECALL_TEST_MODE", "")
    kept, others = [], []
    seen = set()
    for item in items:
        is_core = item.get_closest_marker("core") is not None
        way = sanitized.way_of(item.path.stem, item.nodeid)
        runs = sanitized.runs_under(sanitizer, mode, item.path.stem, is_core, way not in seen)
        seen.add(way)
        (kept if runs else others).append(item)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = kept


def pytest_runtest_setup(item):
    """What a process kept at its end is looked for in each worker, in unit tests, and in the client
    of one test of each way: the look is a third of the time of a client that ends at once."""
    sanitizer = os.environ.get("FILECALL_SANITIZER", "")
    mode = os.environ.get("FILECALL_TEST_MODE", "")
    is_core = item.get_closest_marker("core") is not None
    harness.Client.short_runs = sanitized.short_runs(sanitizer, mode, is_core, os.environ)
