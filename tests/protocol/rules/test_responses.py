# SPDX-License-Identifier: MIT
"""How a worker's responses appear, that each is written once, and what deleting one means."""

import fcntl
import json
import os
import signal

import pytest

from foreign import pass_time, worker_rule as rule
from harness import wait_until

MINE = '{"request_id":"a","status":"success","data":{"mine":1}}'


def identities(spool):
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())
            for path in (spool.root / "responses").glob("*.json")}


@rule("publishing-a-response")
@pytest.mark.core
def test_whole(spool, start):
    """A response is complete when its name is visible, and no other name is ever among them"""
    start()
    stems = {f"r{i}" for i in range(200)}
    for stem in stems:
        spool.drop(stem, params={"pad": "x" * 20000})

    def all_whole():
        for path in (spool.root / "responses").iterdir():
            assert path.suffix == ".json", f"{path.name} is visible in responses/"
            assert json.loads(path.read_bytes())["request_id"] == path.stem
        return spool.responses() >= stems

    wait_until(all_whole, "all are answered", 60)


@rule("publishing-a-response")
@pytest.mark.core
def test_once(spool, start):
    """A response is written once: not again in the next scan, and not by the next worker"""
    first = start()
    for i in range(5):
        spool.call(f"r{i}", params={"n": i})
    before = identities(spool)
    for _ in range(4):
        pass_time(0.2)
        spool.barrier()
    now = identities(spool)
    assert {name: now.get(name) for name in before} == before, "a response was written again"
    first.kill()
    start()
    spool.barrier()
    now = identities(spool)
    assert {name: now.get(name) for name in before} == before, "the next worker wrote it again"


@rule("publishing-a-response")
def test_a_response_that_is_there(spool, start):
    """A response that somebody else published stands: the request is answered"""
    start()
    spool.response_path("a").write_text(MINE)
    spool.drop("a")
    pass_time(0.5)
    spool.barrier()
    assert spool.response_path("a").read_text() == MINE


@rule("publishing-a-response")
@pytest.mark.core
def test_a_late_response(spool, start, effects):
    """A response that appears while its command executes stands, too"""
    start()
    effects.drop(spool, "a")
    effects.wait_start()
    spool.response_path("a").write_text(MINE)
    inode = spool.response_path("a").stat().st_ino
    effects.end()
    spool.barrier()
    pass_time(0.5)
    spool.barrier()
    assert spool.response_path("a").read_text() == MINE, "it was overwritten"
    assert spool.response_path("a").stat().st_ino == inode
    late = spool.root / "worker" / "late"
    for path in late.iterdir() if late.exists() else []:
        assert path.name == "a.json" or path.name.startswith("a."), "a name in worker/late/"


@rule("what-a-change-means")
@pytest.mark.core
def test_deleting(spool, start):
    """Deleting a response asks for another attempt, at the instant it appears as well"""
    start()
    spool.drop("a", "no.such")
    for _ in range(30):
        spool.wait_response("a")
        spool.response_path("a").unlink()
    assert spool.wait_response("a")["status"] == "error"
    assert spool.response_path("a").exists()


@rule("what-a-change-means")
def test_moving_away(spool, folder, start):
    """Moving a response away is deleting it; the request counts as it is then"""
    start()
    spool.call("a", params={"n": 1})
    inode = spool.response_path("a").stat().st_ino
    spool.drop("a", params={"n": 2})
    pass_time(0.3)
    spool.barrier()
    assert spool.response_path("a").stat().st_ino == inode, "answered twice"
    spool.response_path("a").rename(folder / "kept.json")
    assert spool.wait_response("a")["data"] == {"n": 2}


@rule("what-a-change-means")
@pytest.mark.core
def test_a_busy_id(spool, start, effects):
    """A request that is dropped again while it executes runs once, and has one response"""
    start()
    effects.drop(spool, "a")
    effects.wait_start()
    effects.drop(spool, "a")
    pass_time(0.5)
    effects.end()
    spool.wait_response("a")
    before = identities(spool)["a.json"]
    pass_time(0.3)
    spool.barrier()
    assert effects.starts() == 1 and identities(spool)["a.json"] == before


@rule("what-a-change-means")
@pytest.mark.core
def test_what_is_deleted_while_it_waits(spool, start, effects):
    """A request that is deleted while it waits for others is not run, and has no response"""
    start()
    effects.drop(spool, "first")
    effects.wait_start()
    effects.drop(spool, "deleted")
    effects.drop(spool, "answered")
    pass_time(0.5)
    if effects.starts() > 1:
        pytest.skip("it executes several at once")
    spool.request("deleted").unlink()
    spool.response_path("answered").write_text(MINE.replace('"a"', '"answered"'))
    effects.end()
    spool.wait_response("first")
    pass_time(0.3)
    spool.barrier()
    assert effects.starts() == 1, "it was run"
    assert spool.response("deleted") is None and spool.response("answered")["data"] == {"mine": 1}


@rule("what-a-change-means")
def test_a_request_deleted_while_it_executes(spool, start, effects):
    """A request that is deleted while it executes ends as usual, and has a response"""
    start()
    effects.drop(spool, "a")
    effects.wait_start()
    spool.request("a").unlink()
    effects.end()
    assert spool.wait_response("a")["status"] == "success"


@rule("noticing")
def test_what_was_there(spool, start):
    """What was dropped before the worker started is answered"""
    stems = {spool.drop(f"r{i}") for i in range(50)}
    start()
    wait_until(lambda: spool.responses() >= stems, "all are answered")


@rule("one-worker-its-status-its-end")
@pytest.mark.core
def test_the_lock(spool, start):
    """A worker holds flock(worker/lock) as long as it lives, and no longer"""
    worker = start()
    with open(spool.root / "worker" / "lock", "rb") as lock:
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        worker.kill_alone()
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(lock, fcntl.LOCK_UN)
    start()
    assert spool.call("a")["status"] == "success"


@rule("one-worker-its-status-its-end")
def test_the_lock_of_children(spool, start, effects):
    """What a worker starts does not hold its lock"""
    worker = start()
    effects.drop(spool, "a")
    effects.wait_start()
    worker.kill_alone()

    def is_free():
        with open(spool.root / "worker" / "lock", "rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    wait_until(is_free, "the lock of a killed worker is free", 5)


@rule("one-worker-its-status-its-end")
@pytest.mark.core
def test_a_second_worker(spool, start):
    """A second worker does not serve the root while the first lives, however slow that is"""
    first = start()
    first.signal(signal.SIGSTOP)
    spool.drop("a")
    second = start(wait=False)
    pass_time(1.5)
    assert spool.response("a") is None, "a second worker answered"
    second.kill()
    first.signal(signal.SIGCONT)
    assert spool.wait_response("a")["status"] == "success"


@rule("one-worker-its-status-its-end")
def test_sigterm(spool, start):
    """SIGTERM ends a worker, and what it had not begun stays pending for the next"""
    worker = start()
    worker.signal(signal.SIGTERM)
    worker.wait(60)
    spool.drop("a")
    start()
    assert spool.wait_response("a")["status"] == "success"


@rule("one-worker-its-status-its-end", required=False)
def test_status(spool, start):
    """worker/status.json says ready and which process it is"""
    worker = start()
    if not (spool.root / "worker" / "status.json").exists():
        pytest.skip("it publishes no status; clients wait their cold start delay")
    status = json.loads((spool.root / "worker" / "status.json").read_bytes())
    assert status["state"] == "ready" and os.getpgid(status["pid"]) == worker.process.pid
