# SPDX-License-Identifier: MIT
"""Tools that will not end, will not be quiet, or leave something behind."""

import os
import time

import pytest

from harness import TOOLS, is_alive, shell, wait_until
from test_hostile_files import memory_kib


def pids_with(mark: str) -> list:
    """Processes whose arguments hold the mark."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if mark.encode() in file.read() and is_alive(int(name)):
                    found.append(int(name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def python(code: str, *arguments, **members) -> dict:
    return {"argv": ["python3", "-c", code, *arguments], **members}


# Each leaves processes that carry the mark, by another way out of the tool's reach.
ESCAPES = {
    "ignores TERM": "trap '' TERM INT HUP; while :; do sleep 1 {m}; done",
    "a background child": "sleep 300 {m} & exit 0",
    "nohup": "nohup sleep 300 {m} >/dev/null 2>&1 & exit 0",
    "a session of its own": "setsid -f sleep 300 {m}; exit 0",
    "a double fork": "(setsid sh -c '(sleep 300 {m} &) ; exit 0' &); exit 0",
}
DAEMON = """
import os, sys, time, signal
for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(s, signal.SIG_IGN)
for _ in range(3):
    if os.fork(): os._exit(0)
    os.setsid()
os.chdir('/')
for fd in range(3): os.close(fd)
for i in range(600): time.sleep(0.5)
"""


@pytest.mark.parametrize("way", sorted(ESCAPES) + ["a daemon"])
@pytest.mark.parametrize("end", ("ends", "times out", "worker dies"))
def test_nothing_of_a_tool_survives(spool, folder, start_worker, way, end):
    config = {"tool": {**TOOLS["tool"], "allow": ["*"]}}
    worker = start_worker(config=config)
    mark = f"0.{abs(hash((way, end, os.getpid(), time.time_ns()))) % 10**9:09}"
    hold = "" if end == "ends" else f"; sleep 200 {mark}"
    if way == "a daemon":
        params = python(DAEMON, mark) if end == "ends" else shell(
            f'python3 -c "$1" {mark}{hold}'.replace("$1", DAEMON.replace('"', "'")))
    else:
        params = shell(ESCAPES[way].format(m=mark).replace("exit 0", ":") + hold)
    if way == "ignores TERM" and end == "ends":
        pytest.skip("it never ends by itself")
    spool.drop("a", "tool.run", params,
               **({"timeout_ms": 1000} if end == "times out" else {}))
    if end == "worker dies":
        wait_until(lambda: pids_with(mark), "it runs")
        time.sleep(0.2)
        worker.kill()
    else:
        answer = spool.wait_response("a", 30)
        expected = "success" if end == "ends" else "error"
        assert answer["status"] == expected, answer
    wait_until(lambda: not pids_with(mark), "all of its processes are gone", 20)


def test_a_flood_of_output_takes_no_memory(spool, start_worker):
    tool = {**TOOLS["tool"], "allow": ["*"], "output_bytes": "64KiB"}
    worker = start_worker(config={"tool": tool})
    spool.call("warm", "tool.run", {"argv": ["true"]})
    before = memory_kib(worker.pid)
    for i in range(3):
        spool.drop(f"flood{i}", "tool.run", {"argv": ["head", "-c", "300000000", "/dev/zero"]})
    spool.drop("endless", "tool.run", {"argv": ["yes"]}, timeout_ms=1500)
    assert spool.call("meanwhile")["status"] == "success"
    for i in range(3):
        answer = spool.wait_response(f"flood{i}", 60)
        assert answer["data"]["truncated"] is True, {**answer, "data": "..."}
    assert spool.wait_response("endless", 60)["error_code"] == "deadline_exceeded"
    assert memory_kib(worker.pid) - before < 16384
    assert max(p.stat().st_size for p in (spool.root / "responses").iterdir()) < 1 << 20


def test_a_fork_bomb_is_bounded(spool, start_worker):
    worker = start_worker(config={"tool": {**TOOLS["tool"], "allow": ["*"],
                                           "limits": {"processes": 64}}})
    mark = f"0.{time.time_ns() % 10**9:09}"
    spool.drop("bomb", "tool.run", shell(f"for i in $(seq 2000); do sleep 100 {mark} & done; wait"),
               timeout_ms=2000)
    answer = spool.wait_response("bomb", 30)
    assert answer["status"] == "error" or answer["data"]["exit_code"] != 0, answer
    wait_until(lambda: not pids_with(mark), "all of its processes are gone", 20)
    assert spool.call("after")["status"] == "success" and worker.process.poll() is None
