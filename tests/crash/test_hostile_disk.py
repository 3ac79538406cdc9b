# SPDX-License-Identifier: MIT
"""The file system turns against a running worker, and comes back."""

import json
import os
import signal
import struct
import subprocess
import time

import pytest

import injection
import mounts
from harness import TOOLS, Client, Spool, is_alive, read_json, shell, wait_until


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def fill(path, step: int) -> None:
    """Takes all space that is left, to the last `step` bytes."""
    with open(path, "wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"\0" * step)


@pytest.mark.parametrize("durability", ("none", "full"))
def test_a_full_disk_loses_no_answer(folder, start_worker, durability):
    """Answers wait in memory, the status says why, and when space returns all are published."""
    with mounts.small_tmpfs(folder / "disk", "3m") as disk:
        spool = Spool(disk / "root")
        worker = start_worker(config=TOOLS, spools=[spool], durability=durability)
        ledger = folder / "ledger"  # On another file system.
        ledger.touch()
        text = "y" * 20000
        with worker.stopped():
            for i in range(20):
                spool.drop(f"e{i}", "system.echo", {"text": text})
            for i in range(5):
                spool.drop(f"t{i}", "tool.run", shell(f"echo {i} >>{ledger}; echo {text}"))
            fill(disk / "filler", 65536)
        time.sleep(2.5)
        assert worker.process.poll() is None, worker.output()
        for stem in spool.responses():
            assert read_json(spool.response_path(stem)), f"{stem}: torn on a full disk"
        (disk / "filler").unlink()
        for i in range(20):
            assert spool.wait_response(f"e{i}")["data"] == {"text": text}
        for i in range(5):
            answer = spool.wait_response(f"t{i}")
            if answer["status"] == "error":  # Its start could not be recorded: it was not started.
                assert answer["error_code"] == "unavailable" and answer["retryable"] is True, answer
                assert str(i) not in ledger.read_text().split()
        started = ledger.read_text().split()
        assert len(started) == len(set(started)), "something ran twice"
        spool.barrier("afterwards")
        wait_until(lambda: not spool.status().get("problem"), "the status has no problem any more")
        assert worker.output().count("kept in memory") <= 3, "the log is flooded"
        assert worker.stop() == 0


def test_a_worker_ends_though_its_disk_stays_full(folder, start_worker):
    """It waits for the grace, says what was not written, and exits with a code of its own."""
    with mounts.small_tmpfs(folder / "disk", "2m") as disk:
        spool = Spool(disk / "root")
        for i in range(3):
            spool.drop(f"q{i}", "system.echo", {"text": "y" * 20000})
        fill(disk / "filler", 4096)
        for arguments in (("--drain",), ()):
            worker = start_worker("--grace", "1s", *arguments, spools=[spool], wait=False)
            wait_until(lambda: "kept in memory" in worker.output(), "an answer is not written")
            worker.signal(signal.SIGTERM)
            assert worker.wait() == 74, worker.output()
            said = worker.output()
            assert f"{spool.root}: stopped with responses that were not written" in said
            assert "status not written" not in said or "No space left" in said, said
            assert "No such file" not in said
        (disk / "filler").unlink()
        worker = start_worker("--drain", spools=[spool], wait=False)
        assert worker.wait() == 0 and spool.responses() == {"q0", "q1", "q2"}
        assert not list((spool.root / "worker" / "started").iterdir())


def test_a_full_disk_is_told_in_the_status(folder, start_worker):
    """The status is written over the old one: it says what is wrong when nothing can be made."""
    with mounts.small_tmpfs(folder / "disk", "2m") as disk:
        spool = Spool(disk / "root")
        worker = start_worker(config=TOOLS, spools=[spool])
        with worker.stopped():
            spool.drop("a", "system.echo", {"text": "y" * 20000})
            fill(disk / "filler", 4096)
        wait_until(lambda: "a" in worker.output(), "the log names the answer")
        wait_until(lambda: "space" in (spool.status().get("problem") or ""), "the status tells")
        assert str(spool.root) in spool.status()["problem"]
        done = Client(spool, folder).run("worker", "status")
        assert "problem" in done.stdout and "gc" in done.stdout
        done = Client(spool, folder).run("call", "system.echo", "--durability", "none",
                                         "--no-start-worker")
        assert done.returncode == 74, done.stderr
        assert str(spool.root) in done.stderr
        (disk / "filler").unlink()
        assert spool.wait_response("a")["status"] == "success"


def test_a_client_on_a_full_disk_names_it_and_goes_on_later(folder, start_worker):
    """Whichever of the database's files cannot be written."""
    with mounts.small_tmpfs(folder / "disk", "3m") as disk:
        spool = Spool(disk / "root")
        client = Client(spool, folder)
        start_worker(spools=[spool])
        assert client.run("call", "system.echo", "--id", "first").returncode == 0
        for step in (65536, 4096, 1):
            fill(disk / f"filler-{step}", step)
        done = client.run("call", "system.echo", "--id", "second")
        assert done.returncode == 74, done.stderr
        assert f"{spool.root}/client/state.db" in done.stderr, done.stderr
        assert "free some space" in done.stderr
        # What only looks needs no space.
        for command in (("status", "--counts"), ("show", "first"), ("report",)):
            done = client.run(*command)
            assert done.returncode == 0, (command, done.stderr)
        assert client.run("worker", "status").returncode == 0
        for filler in disk.glob("filler-*"):
            filler.unlink()
        assert client.run("call", "system.echo", "--id", "second").returncode == 0


@pytest.mark.parametrize("command", ("call", "run"))
def test_a_request_that_does_not_fit_names_the_root(folder, start_worker, command):
    """It named a temporary file within it, and no next step."""
    with mounts.small_tmpfs(folder / "disk", "3m") as disk:
        spool = Spool(disk / "root")
        client = Client(spool, folder)
        start_worker(spools=[spool])
        assert client.run("call", "system.echo", "--id", "first").returncode == 0
        params = folder / "params.json"
        params.write_text(json.dumps({"text": "y" * 600_000}))
        batch = folder / "batch.jsonl"
        batch.write_text(f'{{"command": "system.echo", "params": {params.read_text()}}}\n')
        asked = ("run", batch) if command == "run" else ("call", "system.echo", "--params",
                                                         f"@{params}", "--id", "second")
        room = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        (disk / "filler").write_bytes(b"x" * (room - 400_000))
        done = client.run(*asked)
        assert done.returncode == 74, done.stderr
        assert f"filecall: {spool.root}: " in done.stderr, done.stderr
        assert "No space left on device; free some space there" in done.stderr
        (disk / "filler").unlink()
        assert client.run(*asked).returncode == 0


@pytest.mark.parametrize("durability", ("none", "full"))
def test_a_full_disk_holds_up_no_other_root(spool, folder, start_worker, durability):
    with mounts.small_tmpfs(folder / "disk", "2m") as disk:
        full = Spool(disk / "root")
        worker = start_worker(config=TOOLS, spools=[full, spool], durability=durability)
        with worker.stopped():
            full.drop("a", "system.echo", {"text": "y" * 20000})
            fill(disk / "filler", 4096)
        wait_until(lambda: "kept in memory" in worker.output(), "the disk is noticed to be full")
        for i in range(5):
            assert spool.call(f"e{i}")["status"] == "success"
        assert spool.call("t", "tool.run", {"argv": ["true"]})["status"] == "success"
        assert not full.responses()
        (disk / "filler").unlink()
        assert full.wait_response("a")["status"] == "success"
        assert full.call("b")["status"] == "success"


def test_no_inodes_left(folder, start_worker):
    with mounts.small_tmpfs(folder / "disk", "8m", inodes=120) as disk:
        spool = Spool(disk / "root")
        worker = start_worker(config=TOOLS, spools=[spool])
        made = 0
        with worker.stopped():
            with pytest.raises(OSError):
                for made in range(200):
                    spool.drop(f"e{made}")
                    (disk / f"filler-{made}").touch()
                    (disk / f"filler-more-{made}").touch()  # Leaves room for every answer.
        time.sleep(1.5)
        assert worker.process.poll() is None
        for path in disk.glob("filler-*"):
            path.unlink()
        stems = spool.requests()
        assert len(stems) > 10
        wait_until(lambda: spool.responses() >= stems, "all are answered")


def test_a_root_that_becomes_read_only(folder, start_worker):
    """As ext4 does after an error on the disk. The answers wait; a new worker on the mended disk
    gives them."""
    mounts.make_ext4(folder / "image", 32)
    with mounts.ext4(folder / "image", folder / "disk") as disk:
        spool = Spool(disk / "root")
        spool.root.chmod(0o700)
        worker = start_worker(config=TOOLS, spools=[spool], durability="full")
        with worker.stopped():
            for i in range(10):
                spool.drop(f"e{i}", params={"i": i})
            spool.drop("t", "tool.run", shell(f"echo x >>{folder}/ledger"))
            os.sync()
            mounts.remount(disk, "abort")
        wait_until(lambda: "ead-only" in worker.output(), "the log tells")
        time.sleep(1.2)
        assert worker.process.poll() is None, worker.output()
        worker.signal(signal.SIGTERM)
        time.sleep(0.3)
        worker.signal(signal.SIGTERM)
        worker.wait()
    subprocess.run(["fsck.ext4", "-p", "-f", str(folder / "image")], check=False,
                   capture_output=True)
    with mounts.ext4(folder / "image", folder / "disk") as disk:
        again = start_worker(config=TOOLS, spools=[spool], durability="full")
        for i in range(10):
            assert spool.wait_response(f"e{i}")["data"] == {"i": i}
        answer = spool.wait_response("t")
        started = (folder / "ledger").read_text().split() if (folder / "ledger").exists() else []
        assert len(started) <= 1
        if answer["status"] == "success":
            assert started, answer
        else:
            assert answer["error_code"] in ("aborted", "unavailable"), answer
        again.stop()


def test_a_read_only_root_is_refused_at_start(folder, start_worker):
    with mounts.small_tmpfs(folder / "disk", "8m") as disk:
        spool = Spool(disk / "root")
        mounts.remount(disk, "ro")
        worker = start_worker(spools=[spool], wait=False)
        assert worker.wait() == 1
        assert "ead-only" in worker.output() and str(disk) in worker.output()


def test_the_whole_root_is_replaced(spool, folder, start_worker):
    """Renamed away under the worker and made anew by somebody else, whose files are private too."""
    worker = start_worker(config=TOOLS)
    spool.call("before")
    spool.root.rename(folder / "old")
    replaced = Spool(spool.root)
    spool.root.chmod(0o700)
    replaced.drop("after")

    def served_or_gone():
        return replaced.response("after") or worker.process.poll() is not None
    wait_until(served_or_gone, "the new root is served, or the worker has ended with a reason")
    if worker.process.poll() is not None:
        assert worker.process.returncode not in (0,) and str(spool.root) in worker.output()
    assert read_json(folder / "old" / "responses" / "before.json")


def test_descriptors_run_out(spool, folder, start_worker):
    """Less is done at once, nothing is lost, and none leaks."""
    import resource
    worker = start_worker(config={"tool": {**TOOLS["tool"], "concurrency": 64}}, durability="full")
    idle = descriptors(worker.pid)
    resource.prlimit(worker.pid, resource.RLIMIT_NOFILE, (idle + 24, 4096))
    for i in range(60):
        spool.drop(f"e{i}", params={"i": i})
        spool.drop(f"t{i}", "tool.run", shell(f"echo {i} >>{folder}/ledger; sleep 0.1"))
    for i in range(60):
        assert spool.wait_response(f"e{i}")["status"] == "success"
        answer = spool.wait_response(f"t{i}", 60)
        assert answer["status"] == "success" or answer["retryable"] is True, answer
    ran = (folder / "ledger").read_text().split()
    assert len(ran) == len(set(ran)), "something ran twice"
    answered = {str(i) for i in range(60) if spool.response(f"t{i}")["status"] == "success"}
    assert answered == set(ran)
    resource.prlimit(worker.pid, resource.RLIMIT_NOFILE, (4096, 4096))
    assert spool.call("again", "tool.run", {"argv": ["true"]})["status"] == "success"
    wait_until(lambda: descriptors(worker.pid) <= idle + 20, "descriptors are given back")


def test_without_watches_it_polls_and_says_so(spool, start_worker, folder):
    import harness
    fault = injection.Fault("fail", 1, "ENOSPC", ops="watch", times=10**6)
    env = injection.environment(fault, spool.root, harness.worker_program().name, folder)
    worker = start_worker(config=TOOLS, env=env)
    status = spool.status()
    assert status["watch"] == "poll" and status["watch_reason"], status
    assert spool.call("a")["status"] == "success"
    assert worker.stop() == 0


@pytest.mark.parametrize("jump_s", (3600 * 24 * 365, -3600 * 24 * 365))
def test_the_wall_clock_jumps(spool, folder, start_worker, jump_s):
    """Nothing waits on it: time-outs, settling, heartbeats and durations go on."""
    clock = folder / "clock"
    clock.write_bytes(struct.pack("<q", 0))
    env = {"LD_PRELOAD": str(injection.library("filecall_wall_clock")),
           "WALL_CLOCK_FILE": str(clock)}
    worker = start_worker(config=TOOLS, env=env)
    spool.drop("slow", "tool.run", shell("sleep 60"), timeout_ms=1500)
    spool.drop("long", "tool.run", shell(f"while [ ! -e {folder}/go ]; do sleep 0.05; done"))
    spool.barrier()
    before = spool.status()["heartbeat_at"]
    with open(clock, "r+b") as file:
        file.write(struct.pack("<q", jump_s))
    assert spool.call("after")["status"] == "success"
    spool.drop_bytes("half", '{"request_id": "half", "comm')
    assert spool.wait_response("half")["error_code"] == "invalid_argument"
    answer = spool.wait_response("slow")
    assert answer["error_code"] == "deadline_exceeded", answer
    assert 1000 <= answer["timing"]["run_ms"] <= 30000, answer["timing"]
    (folder / "go").touch()
    timing = spool.wait_response("long")["timing"]
    assert 0 <= timing["queued_ms"] < 60000 and 0 <= timing["run_ms"] < 60000, timing
    wait_until(lambda: spool.status()["heartbeat_at"][:4] != before[:4], "the heart beats on")
    assert worker.stop() == 0


def test_a_storm_while_it_is_stopped(spool, start_worker):
    """20 000 files arrive while the worker is stopped: more than the kernel's queue holds."""
    worker = start_worker()
    worker.signal(signal.SIGSTOP)
    for i in range(20000):
        path = spool.request(f"s{i:05}")
        with open(path, "w", encoding="ascii") as file:
            file.write(f'{{"request_id":"s{i:05}","command":"system.echo","params":{{}}}}')
    worker.signal(signal.SIGCONT)
    wait_until(lambda: len(spool.responses()) == 20000, "all are answered", 60, tick=0.1)
    wait_until(lambda: spool.status()["counts"]["overflows"] >= 1, "the overflow is counted")
    assert is_alive(worker.pid)


def test_gc_makes_the_room_that_it_needs_and_a_stop_says_what_is_lost(folder, start_worker):
    """The status and doctor advise gc, which needed space for its own database."""
    with mounts.small_tmpfs(folder / "disk", "3m") as disk:
        spool = Spool(disk / "root")
        client = Client(spool, folder)
        worker = start_worker("--grace", "1s", spools=[spool])
        batch = client.batch(*[(f"r{i}", "system.echo", {"text": "y" * 20000}) for i in range(9)])
        assert client.run("run", batch, "--no-start-worker").returncode == 0
        with worker.stopped():
            spool.drop("late", "system.echo", {"text": "y" * 20000})
            for step in (65536, 4096, 1):
                fill(disk / f"filler-{step}", step)
        wait_until(lambda: spool.status().get("problem"), "the status tells")
        counts = spool.status()["counts"]
        assert counts["pending"] == 1 and counts["success"] == 9, counts
        done = client.run("worker", "stop", "--grace", "1s")
        assert done.returncode == 74 and "were not written" in done.stderr, done.stderr
        planned = client.run("gc", "--older-than", "0s", "--dry-run")
        assert planned.returncode == 0 and "9 requests" in planned.stdout, planned.stderr
        done = client.run("gc", "--older-than", "0s")
        assert done.returncode == 0 and "9 requests: 18 files" in done.stdout, done.stdout
        assert spool.requests() == {"late"}
        assert client.run("run", batch, "--no-start-worker", "--json").returncode == 1
        assert spool.requests() == {"late"}, "tombstones are there"
