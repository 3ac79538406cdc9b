# SPDX-License-Identifier: MIT
"""Worker rule 2: every way of making a file appear is noticed, and nothing is ever missed."""

import ctypes
import os
import shutil
import subprocess
import threading

import pytest

from harness import wait_until


def by_open_and_write(spool, stem):
    with open(spool.request(stem), "w", encoding="utf-8") as file:
        file.write(spool.text(stem))


def by_shell_redirection(spool, stem):
    subprocess.run(["sh", "-c", 'printf %s "$1" > "$2"', "sh", spool.text(stem),
                    str(spool.request(stem))], check=True)


def by_rename(spool, stem):
    temp = spool.root / "outside.json"
    temp.write_text(spool.text(stem))
    subprocess.run(["mv", str(temp), str(spool.request(stem))], check=True)


def by_hard_link(spool, stem):
    temp = spool.root / "outside.json"
    temp.write_text(spool.text(stem))
    subprocess.run(["ln", str(temp), str(spool.request(stem))], check=True)
    temp.unlink()


def by_unnamed_file(spool, stem):
    fd = os.open(spool.root / "requests", os.O_TMPFILE | os.O_RDWR, 0o600)
    try:
        os.write(fd, spool.text(stem).encode())
        libc = ctypes.CDLL(None, use_errno=True)
        follow = 0x400
        done = libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100,
                           os.fsencode(spool.request(stem)), follow)
        assert done == 0, os.strerror(ctypes.get_errno())
    finally:
        os.close(fd)


def by_copy(spool, stem):
    temp = spool.root / "outside.json"
    temp.write_text(spool.text(stem))
    shutil.copy(temp, spool.request(stem))


WAYS = [by_open_and_write, by_shell_redirection, by_rename, by_hard_link, by_unnamed_file, by_copy]


@pytest.mark.core
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_request_is_noticed(spool, start_worker, way):
    start_worker()
    way(spool, "a")
    assert spool.wait_response("a")["status"] == "success"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_request_that_was_there_first_is_found(spool, start_worker, way):
    way(spool, "a")
    start_worker()
    assert spool.wait_response("a")["status"] == "success"


@pytest.mark.core
def test_nothing_is_lost_when_the_event_queue_overflows(spool, start_worker):
    worker = start_worker()
    limit = int(open("/proc/sys/fs/inotify/max_queued_events", encoding="ascii").read())
    count = limit // 2 + 1000  # Each open-write-close makes two events.
    if count > 40000:
        pytest.skip(f"the kernel queues {limit} events here")
    stems = [f"r{i}" for i in range(count)]
    with worker.stopped():
        for stem in stems:
            with open(spool.request(stem), "w", encoding="utf-8") as file:
                file.write(f'{{"request_id":"{stem}","command":"system.echo","params":{{}}}}')
    wait_until(lambda: len(spool.responses()) >= count, f"{count} responses", deadline=120,
               tick=0.05)
    assert spool.responses() == set(stems)
    wait_until(lambda: spool.status()["counts"]["overflows"] >= 1, "the overflow is counted")
    assert spool.status()["counts"]["rescans"] >= 1


def test_a_replaced_requests_directory_is_followed(spool, start_worker):
    start_worker()
    spool.call("before")
    (spool.root / "requests").rename(spool.root / "requests.old")
    (spool.root / "requests").mkdir(mode=0o700)
    spool.drop("after")
    assert spool.wait_response("after", 40)["status"] == "success"


def test_a_directory_that_was_removed_and_made_again_is_followed(spool, start_worker):
    start_worker()
    spool.call("before")
    shutil.rmtree(spool.root / "requests")
    (spool.root / "requests").mkdir(mode=0o700)
    spool.drop("after")
    assert spool.wait_response("after", 40)["status"] == "success"


def test_a_replaced_responses_directory_is_followed(spool, start_worker):
    start_worker()
    spool.call("before")
    (spool.root / "responses").rename(spool.root / "responses.old")
    (spool.root / "responses").mkdir(mode=0o700)
    spool.drop("after")
    assert spool.wait_response("after", 40)["status"] == "success"


def test_many_writers_at_once_lose_nothing(spool, start_worker):
    start_worker()
    ways = [by_open_and_write, by_unnamed_file]

    def write(name):
        for i in range(200):
            ways[i % 2](spool, f"{name}-{i}")

    threads = [threading.Thread(target=write, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_until(lambda: len(spool.responses()) == 800, "800 responses")
    assert spool.responses() == spool.requests()


def test_several_roots_in_one_process(spool, folder, start_worker):
    from harness import Spool
    other = Spool(folder / "other")
    start_worker(spools=[spool, other])
    assert spool.call("a", params={"n": 1})["data"] == {"n": 1}
    assert other.call("a", params={"n": 2})["data"] == {"n": 2}
    assert other.status()["pid"] == spool.status()["pid"]


def test_missing_directories_are_made_private(folder, start_worker):
    from harness import Spool
    root = folder / "new"
    spool = Spool.__new__(Spool)
    spool.root = root
    start_worker(spools=[spool])
    for name in ("requests", "responses", "worker"):
        assert (root / name).stat().st_mode & 0o777 == 0o700


def test_a_backlog_of_many_listings_is_answered(spool, start_worker):
    """More names than one step of a scan reads, all there before the worker: nothing wakes it but
    its own timer."""
    count = 12_000
    (spool.root / "requests").mkdir(mode=0o700, parents=True, exist_ok=True)
    for i in range(count):
        spool.request(f"backlog-{i:05d}").write_text(spool.text(f"backlog-{i:05d}"))
    start_worker("--durability", "none")
    wait_until(lambda: len(spool.responses()) == count, "all answers")
