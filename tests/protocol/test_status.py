# SPDX-License-Identifier: MIT
"""Worker rule 9: what a live worker says of itself."""

import datetime
import os
import socket

import pytest

from harness import TOOLS, shell, wait_until


def heartbeat(spool):
    text = spool.status()["heartbeat_at"].replace("Z", "+00:00")
    return datetime.datetime.fromisoformat(text)


@pytest.mark.core
def test_the_status_has_its_members(spool, start_worker):
    worker = start_worker(config=TOOLS, durability="full")
    status = spool.status()
    assert status["state"] == "ready" and status["pid"] == worker.pid
    for member in ("instance", "version", "started_at", "heartbeat_at"):
        assert status[member]
    assert status["durability"] == "full"
    assert status["watch"] in ("inotify", "poll")
    for member in ("pending", "executing", "success", "error", "ignored", "overflows", "rescans"):
        assert isinstance(status["counts"][member], int)
    commands = {c["name"]: c["effects"] for c in status["commands"]}
    assert commands["system.echo"] == "none" and commands["tool.run"] == "external"


def test_every_worker_has_an_instance_of_its_own(spool, start_worker):
    first = start_worker()
    instance = spool.status()["instance"]
    first.stop()
    start_worker()
    assert spool.status()["instance"] != instance


def test_it_counts(spool, worker):
    for i in range(3):
        spool.call(f"good{i}")
    spool.call("bad", "no.such")
    wait_until(lambda: (spool.status()["counts"]["success"], spool.status()["counts"]["error"])
               == (3, 1), "it counts by status")
    assert spool.status()["counts"]["pending"] == 0


def test_the_heart_beats_every_second_while_busy(spool, worker):
    spool.drop("a", "tool.run", shell("sleep 30"))
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "it runs")
    first = heartbeat(spool)
    wait_until(lambda: heartbeat(spool) > first, "a beat", deadline=4)
    second = heartbeat(spool)
    wait_until(lambda: heartbeat(spool) > second, "another beat", deadline=4)


def test_the_heart_beats_while_idle(spool, start_worker):
    start_worker()
    first = heartbeat(spool)
    wait_until(lambda: heartbeat(spool) > first, "a beat", deadline=15)


def test_it_says_stopped_at_the_end(spool, start_worker):
    worker = start_worker()
    assert worker.stop() == 0
    assert spool.status()["state"] == "stopped"


def test_readers_never_see_a_torn_status(spool, worker):
    import json
    path = spool.root / "worker" / "status.json"
    for i in range(100):
        spool.drop(f"r{i}")
        json.loads(path.read_bytes())


@pytest.mark.core
def test_systemd_is_told(spool, folder, start_worker):
    address = str(folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(address)
        listener.settimeout(15)
        worker = start_worker(wait=False,
                              env={"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000000"})
        received = b""
        while b"READY=1" not in received:
            received += listener.recv(4096) + b"\n"
        received = b""
        while b"WATCHDOG=1" not in received:
            received += listener.recv(4096) + b"\n"
        worker.signal(15)
        received = b""
        while b"STOPPING=1" not in received:
            received += listener.recv(4096) + b"\n"
    assert worker.wait() == 0


def test_tools_do_not_inherit_the_notify_socket(spool, folder, start_worker):
    address = str(folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(address)
        start_worker(config=TOOLS, env={"NOTIFY_SOCKET": address, "MY_SECRET": "s3cret"})
        answer = spool.call("a", "tool.run", {"argv": ["env"]})
    assert "NOTIFY_SOCKET" not in answer["data"]["stdout"]
    assert "s3cret" not in answer["data"]["stdout"]


def test_files_of_the_worker_are_private(spool, start_worker):
    start_worker()
    spool.call("a")
    for folder, _, names in os.walk(spool.root):
        for name in names:
            if folder.endswith("requests"):
                continue
            mode = os.stat(os.path.join(folder, name)).st_mode
            assert mode & 0o022 == 0, f"{folder}/{name}: {mode:o}"
