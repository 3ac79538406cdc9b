# SPDX-License-Identifier: MIT
"""Client rules 1 and 4 to 6: kill -9, cold start, windows, several clients, watch."""

import fcntl
import json
import signal
import sqlite3
import subprocess
import time

import pytest

from fake_worker import error, success
from harness import QUICK_RETRIES, DEADLINE, TOP, Client, wait_until

RUN = ("run", "--no-start-worker", *QUICK_RETRIES)


@pytest.mark.core
def test_attempts_go_on_counting_after_a_kill(spool, client, fake):
    worker = fake(lambda request, attempt: error(retry_after_ms=400))
    batch = client.batch(("a", "system.echo"))
    for _ in range(2):
        process = client.start(*RUN, "--attempts", 4, batch)
        seen = worker.attempts.get("a", 0)
        wait_until(lambda n=seen: worker.attempts.get("a", 0) > n, "another attempt")
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = client.run(*RUN, "--attempts", 4, batch)
    assert done.returncode == 1, done.stderr
    assert worker.attempts["a"] == 4
    assert spool.failed_path("a").exists()


def test_kill_at_many_moments_never_adds_an_attempt(client, fake):
    worker = fake(lambda request, attempt: error())
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(40)])
    for i in range(12):
        process = client.start(*RUN, batch)
        answered = sum(worker.attempts.values())
        wait_until(lambda n=answered + i * 3: sum(worker.attempts.values()) > n
                   or process.poll() is not None, "progress")
        process.kill()
        process.wait()
    assert client.run(*RUN, batch).returncode == 1
    assert set(worker.attempts.values()) == {3}, worker.attempts


def test_resuming_a_finished_batch_does_nothing_again(client, fake):
    worker = fake()
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(20)])
    assert client.run(*RUN, batch).returncode == 0
    assert client.run(*RUN, batch).returncode == 0
    assert set(worker.attempts.values()) == {1}


def test_a_run_with_nothing_to_do_says_so_and_a_fresh_one_asks_again(spool, client, fake):
    # Not "bad" in the id: a run's id may have it among its hexadecimal digits.
    worker = fake(lambda request, attempt: error(retryable=False)
                  if request["request_id"] == "bad" else success({"x": 1}))
    batch = client.batch(("a", "system.echo"), {"command": "system.echo", "params": {"n": 1}})
    assert "nothing was asked" not in client.run(*RUN, batch).stderr
    done = client.run(*RUN, batch)
    assert done.returncode == 0
    assert "all 2 requests were answered earlier" in done.stderr and "--fresh" in done.stderr
    assert "nothing was asked" not in client.run(*RUN, batch, "--quiet").stderr
    assert len(worker.attempts) == 2
    fresh = client.run(*RUN, batch, "--fresh")
    assert fresh.returncode == 0 and len(worker.attempts) == 4, fresh.stderr
    run_id = fresh.stderr.split("--run-id ")[1].split()[0]
    assert f"a+{run_id}" in spool.responses()
    assert json.loads(spool.request(f"a+{run_id}").read_text())["request_id"] == f"a+{run_id}"
    assert "nothing was asked" in client.run(*RUN, batch, "--run-id", run_id).stderr
    # A night is one run, however often it is begun.
    for night in ("2026-11-22", "2026-11-23", "2026-11-23"):
        assert client.run(*RUN, batch, "--run-id", night).returncode == 0
    assert len(worker.attempts) == 8 and set(worker.attempts.values()) == {1}
    listed = json.loads(client.run("status", "--json", "--batch",
                                   f"{batch.name}+2026-11-22").stdout)
    assert len(listed["requests"]) == 2
    failing = client.batch(("bad", "system.echo"))
    assert client.run(*RUN, failing).returncode == 1
    done = client.run(*RUN, failing)
    assert done.returncode == 1 and "1 of them given up" in done.stderr


def test_a_quiet_run_says_only_what_was_given_up(client, fake):
    fake(lambda request, attempt: error(retryable=False) if request["request_id"] == "bad"
         else success({"x": 1}))
    done = client.run(*RUN, client.batch(("good", "system.echo")), "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    batch = client.batch(("fine", "system.echo"), ("bad", "system.echo"))
    done = client.run(*RUN, batch, "--quiet")
    assert (done.returncode, done.stdout) == (1, "")
    assert "1 of 2 requests given up; the first is bad: " in done.stderr
    assert "filecall status --state GAVE_UP" in done.stderr


@pytest.mark.parametrize("arguments", [("--run-id", "a/b"), ("--run-id", ""),
                                       ("--run-id", "x", "--fresh"), ("--run-id", "y" * 61)])
def test_a_wrong_run_id_is_wrong_usage(spool, client, arguments):
    done = client.run(*RUN, client.batch(("a", "system.echo")), *arguments)
    assert done.returncode == 2 and "--run-id" in done.stderr
    assert spool.requests() == set()


def test_an_id_that_its_run_makes_too_long_is_named(spool, client):
    done = client.run(*RUN, client.batch(("a" * 195, "system.echo")), "--run-id", "2026-11-23")
    assert done.returncode == 2 and "too long" in done.stderr
    assert spool.requests() == set()


def test_ctrl_c_keeps_state_and_exits_130(client, fake):
    worker = fake(lambda request, attempt: None)
    batch = client.batch(("a", "system.echo"))
    process = client.start(*RUN, batch)
    wait_until(lambda: worker.attempts.get("a"), "the request is seen")
    # The first one waits for what executes, the second asks the worker to end it, and this worker
    # answers neither; the third does not wait.
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        assert process.poll() is None
        end = time.monotonic() + 0.3
        wait_until(lambda: time.monotonic() > end or process.poll() is not None, "it is heard")
    assert process.wait(DEADLINE) == 130
    assert client.state_of("a") == "POLLING"


def test_a_cancel_that_comes_too_late_says_so(spool, client, fake, folder):
    """The request's client is alive: the answer that it takes decides."""
    worker = fake(lambda request, attempt: None)
    run = client.start(*RUN, client.batch(("a", "system.echo")))
    wait_until(lambda: worker.attempts.get("a"), "the request is seen")
    folder = folder / "other"
    folder.mkdir()
    cancel = Client(spool, folder).start("cancel", "--all", "--json", "--patience", "30s")
    wait_until(lambda: "a" in worker.cancelled, "the worker is asked")
    worker.respond("a", success())
    assert run.wait(DEADLINE) == 0 and client.state_of("a") == "SUCCESS"
    assert cancel.wait(DEADLINE) == 1
    [log] = folder.glob("client-*.log")
    assert "a: succeeded first" in log.read_text() and '"effect"' not in log.read_text()


def test_without_a_status_it_waits_the_cold_start_delay(spool, client, fake):
    worker = fake(publishes_status=False)
    began = time.monotonic()
    done = client.run(*RUN, "--cold-start-delay", "800ms", client.batch(("a", "system.echo")))
    assert done.returncode == 0, done.stderr
    assert worker.seen_at["a"][0] - began >= 0.75


def test_a_worker_that_starts_is_waited_for(client, fake):
    worker = fake(state="starting")
    process = client.start(*RUN, client.batch(("a", "system.echo")))
    end = time.monotonic() + 0.5
    wait_until(lambda: time.monotonic() > end, "half a second")
    assert worker.attempts == {}
    worker.publish_status("ready")
    assert process.wait(DEADLINE) == 0
    assert worker.attempts == {"a": 1}


def test_no_worker_exits_3(spool, client, start_worker):
    start_worker().kill()  # Its status is left, its lock is not.
    done = client.run(*RUN, client.batch(("a", "system.echo")))
    assert done.returncode == 3, done.stderr
    assert "worker" in done.stderr


@pytest.mark.core
def test_a_worker_is_started_when_there_is_none(spool, client):
    done = client.run("call", "system.echo", "--params", '{"x": 1}')
    assert done.returncode == 0, done.stderr
    assert '"x"' in done.stdout
    pid = spool.status()["pid"]
    done = client.run("call", "system.echo", "--params", '{"x": 2}')
    assert done.returncode == 0
    assert spool.status()["pid"] == pid, "one worker per root"


def test_two_clients_start_one_worker(spool, client):
    processes = [client.start("call", "system.echo", "--params", f'{{"n": {n}}}') for n in range(4)]
    assert [p.wait(DEADLINE * 2) for p in processes] == [0, 0, 0, 0]
    assert len(spool.responses()) == 4


def test_a_window_bounds_what_is_in_flight(spool, client, fake):
    most = []

    def answer(request, attempt):
        most.append(len(spool.requests() - spool.responses()))
        return success()

    fake(answer)
    batch = client.batch(*[(f"r{i:03}", "system.echo") for i in range(100)])
    assert client.run(*RUN, "--window", 5, batch).returncode == 0
    assert max(most) <= 5


def test_two_clients_with_one_batch_do_it_once(spool, folder, client, fake):
    worker = fake(lambda request, attempt: success() if attempt > 1 else error())
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(50)])
    one, two = client.start(*RUN, batch), Client(spool, folder).start(*RUN, batch)
    assert one.wait(60) == 0 and two.wait(60) == 0
    assert set(worker.attempts.values()) == {2}


@pytest.mark.core
def test_watch_orchestrates_what_others_drop(spool, client, fake):
    worker = fake(lambda request, attempt: success() if request["request_id"] == "good"
                  and attempt == 2 else error())
    process = client.start("watch", "--no-start-worker", *QUICK_RETRIES)
    spool.drop("good")
    spool.drop("bad")
    wait_until(spool.failed_path("bad").exists, "the bad one is given up")
    wait_until(lambda: (spool.response("good") or {}).get("status") == "success", "success")
    assert worker.attempts == {"good": 2, "bad": 3}
    assert process.poll() is None, "watch never ends by itself"
    second = client.run("watch", "--no-start-worker")
    assert second.returncode == 75
    process.send_signal(signal.SIGTERM)
    assert process.wait(DEADLINE) == 130, "as its help says"


def test_no_watch_begins_while_a_foreign_client_drives(spool, client, fake):
    worker = fake(lambda request, attempt: error())
    (spool.root / "client").mkdir(mode=0o700)
    with open(spool.root / "client" / "watch.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        spool.drop("a")
        done = client.run("watch", "--no-start-worker", *QUICK_RETRIES)
        assert done.returncode == 75, done.stderr
        assert client.run("status").returncode == 0
    wait_until(lambda: spool.response("a"), "the error")
    assert worker.attempts == {"a": 1}
    done = client.run("watch", "--until-idle", "--no-start-worker", *QUICK_RETRIES)
    assert done.returncode == 1, done.stderr
    assert worker.attempts == {"a": 3}


def test_a_foreign_client_leaves_attempts_to_a_watch(spool, client, fake):
    worker = fake(lambda request, attempt: success() if request["request_id"] == "good"
                  and attempt == 2 else error())
    watch = client.start("watch", "--no-start-worker", *QUICK_RETRIES)
    wait_until((spool.root / "client" / "watch.lock").exists, "the watch begins")
    script = TOP / "scripts" / "examples" / "client.sh"
    for stem, code in ("good", 0), ("bad", 1):
        done = subprocess.run([script, spool.root, stem, "system.echo"], capture_output=True,
                              text=True, timeout=60, check=False)
        assert done.returncode == code, done.stderr
    assert worker.attempts == {"good": 2, "bad": 3}
    watch.kill()
    watch.wait()


def test_watch_leaves_what_a_run_owns(spool, client, fake):
    worker = fake(lambda request, attempt: error())
    watch = client.start("watch", "--no-start-worker", *QUICK_RETRIES)
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(30)])
    assert client.run(*RUN, batch).returncode == 1
    assert set(worker.attempts.values()) == {3}
    watch.kill()
    watch.wait()


def test_the_state_can_be_queried_with_sqlite(spool, client, fake):
    fake()
    assert client.run(*RUN, client.batch(("a", "system.echo"))).returncode == 0
    with sqlite3.connect(f"file:{spool.root}/client/state.db?mode=ro", uri=True) as database:
        tables = [row[0] for row in database.execute(
            "SELECT name FROM sqlite_master WHERE type='table'")]
        assert tables


def test_without_a_worker_a_run_says_what_it_waits_for_and_what_it_leaves(spool, client):
    batch = client.batch(("a", "system.echo"))
    process = client.start("run", batch, "--no-start-worker", "--cold-start-delay",
                           "100ms")
    log = max(client.folder.glob("client-*.log"), key=lambda path: path.stat().st_mtime)
    wait_until(spool.request("a").exists, "it is dropped")
    process.send_signal(signal.SIGTERM)
    assert process.wait(DEADLINE) == 130
    assert log.read_text().count("none is running, and this client starts none") == 1
    said = log.read_text()
    assert "no worker was seen; 1 request stays in requests/" in said
    assert "did not give back" not in said and "billed" not in said


def test_a_batch_that_ended_waits_for_no_worker(spool, client, fake):
    fake()
    batch = client.batch(*[(f"r{i}", "system.echo") for i in range(200)])
    assert client.run(*RUN, batch).returncode == 0
    again = client.run("run", batch, "--no-start-worker")
    assert again.returncode == 0
    assert "waiting for one" not in again.stdout + again.stderr
