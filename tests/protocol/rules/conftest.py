# SPDX-License-Identifier: MIT
"""The rules of docs/protocol.md against any worker and any client.

FILECALL_RULES_WORKER and FILECALL_RULES_CLIENT are their commands, with {root} where the root goes
(a client's also with {id}, {command}, {params} or {batch}: a file with the request as one line).
FILECALL_RULES_EFFECTS is a command of the worker with external effects and its params, see
`effects`. Without these variables filecall's own programs are tried. scripts/conformance sets them,
and reads FILECALL_RULES_REPORT: a line of JSON for each test."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

import foreign  # noqa: E402
import harness  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "rule(section, required=True): a rule of docs/protocol.md")
    config.addinivalue_line("markers", "core: what the sanitizer builds run too")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report, rule = outcome.get_result(), item.get_closest_marker("rule")
    path = os.environ.get("FILECALL_RULES_REPORT")
    if not path or rule is None or (report.when != "call" and report.outcome == "passed"):
        return
    if report.when == "teardown" and report.outcome != "failed":
        return
    reason = ""
    if report.outcome == "skipped":
        reason = str(call.excinfo.value)
    elif report.outcome == "failed":
        reason = str(call.excinfo.value).strip().split("\n")[0]
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps({
            "test": item.nodeid, "name": item.function.__name__, "kind": rule.kwargs["kind"],
            "rule": (item.function.__doc__ or "").strip().split("\n")[0].rstrip("."),
            "case": item.callspec.id if hasattr(item, "callspec") else "",
            "section": rule.args[0], "required": rule.kwargs.get("required", True),
            "outcome": report.outcome, "reason": reason[:300]}) + "\n")


@pytest.fixture
def folder():
    memory = os.access("/dev/shm", os.W_OK) and not os.environ.get("FILECALL_TEST_DISK")
    path = Path(tempfile.mkdtemp(prefix="filecall-rules-", dir="/dev/shm" if memory else None))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def spool(folder):
    root = folder / "root"
    root.mkdir(mode=0o700)
    return harness.Spool(root)


@pytest.fixture
def start(spool, folder):
    """start() -> a worker that knows nothing but its root; ended after the test."""
    started = []

    def begin(wait=True):
        worker = foreign.ForeignWorker(foreign.worker_command(folder), spool, folder)
        started.append(worker)
        return worker.wait_ready() if wait else worker

    yield begin
    for worker in started:
        worker.kill()


@pytest.fixture
def effects(folder):
    """drop(spool, stem): a request that notes its start and ends when a file is there."""
    return foreign.Effects(folder)


@pytest.fixture
def client(spool, folder):
    """A client that asks for one request; ended after the test."""
    asked = foreign.ForeignClient(foreign.client_command(), spool, folder)
    yield asked
    asked.kill()


@pytest.fixture
def answers(spool):
    """answers(function) -> a worker of the test that answers as the function says."""
    started = []

    def begin(answer):
        import fake_worker
        started.append(fake_worker.FakeWorker(spool, answer))
        return started[-1]

    yield begin
    for worker in started:
        worker.stop()
