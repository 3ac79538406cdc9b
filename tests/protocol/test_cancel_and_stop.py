# SPDX-License-Identifier: MIT
"""Worker rules 7 and 8: cancel, stop, drain."""

import signal
import time

import pytest

from harness import TOOLS, Worker, is_alive, shell, wait_until, with_tool
from test_one_worker import run_worker


def pid_in(path):
    return int(wait_until(lambda: path.exists() and path.read_text().strip(), f"{path.name}"))


@pytest.mark.core
def test_cancel_ends_grandchildren_in_other_sessions(spool, folder, worker):
    script = (f"setsid sh -c 'echo $$ >{folder}/far; trap \"\" TERM; while :; do sleep 1; done' & "
              f"echo $$ >{folder}/near; wait")
    spool.drop("a", "tool.run", shell(script))
    near, far = pid_in(folder / "near"), pid_in(folder / "far")
    assert spool.call("c", "system.cancel", {"request_id": "a"})["status"] == "success"
    answer = spool.wait_response("a")
    assert answer["status"] == "error" and answer["error_code"] == "cancelled"
    wait_until(lambda: not is_alive(near) and not is_alive(far), "nothing is left of the tool")


def test_cancel_of_a_request_that_waits(spool, folder, start_worker):
    start_worker(config=with_tool(concurrency=1))
    spool.drop("first", "tool.run", shell(f"while [ ! -e {folder}/go ]; do sleep 0.02; done"))
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "the first runs")
    spool.drop("second", "tool.run", shell(f"touch {folder}/ran"))
    spool.call("c", "system.cancel", {"request_id": "second"})
    assert spool.wait_response("second")["error_code"] == "cancelled"
    (folder / "go").touch()
    assert spool.wait_response("first")["status"] == "success"
    assert not (folder / "ran").exists()


def test_cancel_of_what_is_answered_changes_nothing(spool, start_worker):
    start_worker()
    before = spool.call("a")
    answer = spool.call("c", "system.cancel", {"request_id": "a"})
    assert spool.response("a") == before
    assert answer["status"] in ("success", "error")


def test_cancel_of_what_is_not_there(spool, start_worker):
    start_worker()
    answer = spool.call("c", "system.cancel", {"request_id": "nobody"})
    assert answer["status"] in ("success", "error")
    assert spool.response("nobody") is None


@pytest.mark.core
def test_sigterm_drains_what_runs_and_takes_nothing_new(spool, folder, start_worker):
    worker = start_worker(config=TOOLS)
    spool.drop("a", "tool.run", shell(f"while [ ! -e {folder}/go ]; do sleep 0.02; done; echo ok"))
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "it runs")
    worker.signal(signal.SIGTERM)
    wait_until(lambda: spool.status()["state"] == "draining", "it drains")
    spool.drop("late")
    (folder / "go").touch()
    assert spool.wait_response("a")["data"]["stdout"] == "ok\n"
    assert worker.wait() == 0
    assert spool.response("late") is None
    assert spool.status()["state"] == "stopped"


def test_after_the_grace_what_runs_is_cancelled(spool, folder, start_worker):
    worker = start_worker("--grace", "200ms", config=TOOLS)
    spool.drop("external", "tool.run", shell("sleep 60"))
    spool.drop("pure", "tool.run", {"tool": "pure", "args": {"notes": str(folder / "n"),
                                                             "go": str(folder / "go")}})
    wait_until(lambda: spool.status()["counts"]["executing"] == 2, "both run")
    assert worker.stop() == 0
    assert spool.response("pure") is None, "without effects: stays pending"
    answer = spool.response("external")
    assert answer["status"] == "error" and answer["error_code"] in ("cancelled", "aborted")


def test_a_second_signal_stops_at_once(spool, start_worker):
    worker = start_worker("--grace", "1h", config=TOOLS)
    spool.drop("a", "tool.run", shell("sleep 300"))
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "it runs")
    worker.signal(signal.SIGTERM)
    wait_until(lambda: spool.status()["state"] == "draining", "it drains")
    began = time.monotonic()
    worker.signal(signal.SIGTERM)
    worker.wait()
    assert time.monotonic() - began < 12


@pytest.mark.parametrize("durability", ["full", "journal"])
def test_the_next_worker_ends_what_a_second_signal_left(spool, folder, start_worker, durability):
    worker = start_worker("--grace", "1h", "--durability", durability, config=TOOLS)
    spool.drop("external", "tool.run", shell("echo x >> log; sleep 300", cwd=str(folder)))
    wait_until((folder / "log").exists, "it runs")
    stems = [f"r{i}" for i in range(1000)]
    for stem in stems:
        spool.drop(stem)
    wait_until(spool.responses, "some are answered")
    worker.signal(signal.SIGTERM)
    wait_until(lambda: spool.status()["state"] == "draining", "it drains")
    worker.signal(signal.SIGTERM)
    worker.wait()
    before = {stem: spool.response(stem) for stem in spool.responses()}
    assert run_worker("--root", spool.root, "--drain", "--durability", durability).returncode == 0
    assert spool.responses() == {"external", *stems}
    assert all(spool.response(stem) == answer for stem, answer in before.items())
    assert all(spool.response(stem)["status"] == "success" for stem in stems)
    answer = spool.response("external")
    assert answer["error_code"] == "aborted", "its start was recorded, its effects are unknown"
    assert (folder / "log").read_text() == "x\n", "it was not executed twice"


def test_sigint_is_as_good_as_sigterm(start_worker):
    worker = start_worker()
    worker.signal(signal.SIGINT)
    assert worker.wait() == 0


@pytest.mark.core
def test_drain_answers_what_is_there_and_leaves(spool):
    stems = [f"r{i}" for i in range(200)]
    for stem in stems:
        spool.drop(stem)
    spool.drop_bytes("bad", "{")
    assert run_worker("--root", spool.root, "--drain").returncode == 0
    assert spool.responses() == {*stems, "bad"}
    assert run_worker("--root", spool.root, "--drain").returncode == 0


def test_drain_with_nothing_to_do_is_quick(spool):
    began = time.monotonic()
    assert run_worker("--root", spool.root, "--drain").returncode == 0
    assert time.monotonic() - began < 5


def test_drain_of_a_busy_root_exits_75(spool, start_worker):
    start_worker()
    assert run_worker("--root", spool.root, "--drain").returncode == 75


def test_drain_waits_for_tools(spool, folder):
    spool.drop("a", "tool.run", shell("sleep 0.3; echo done"))
    worker = Worker([spool], ["--drain"], TOOLS, folder, wait=False)
    assert worker.wait() == 0
    assert spool.response("a")["data"]["stdout"] == "done\n"


def test_a_request_timeout_ends_the_tool(spool, folder, worker):
    spool.drop("a", "tool.run", shell(f"echo $$ >{folder}/pid; sleep 60"), timeout_ms=300)
    pid = pid_in(folder / "pid")
    answer = spool.wait_response("a")
    assert answer["error_code"] == "deadline_exceeded"
    wait_until(lambda: not is_alive(pid), "the tool has ended")


@pytest.mark.core
def test_a_request_that_is_deleted_while_it_waits_is_not_run(spool, folder, start_worker):
    """It ran when its text was still in memory, and was withdrawn when it was not."""
    start_worker(config=with_tool(concurrency=1))
    spool.drop("first", "tool.run", shell(f"while [ ! -e {folder}/go ]; do sleep 0.02; done"))
    wait_until(lambda: spool.status()["counts"]["executing"] == 1, "the first runs")
    for stem in ("deleted", "answered", "kept"):
        spool.drop(stem, "tool.run", shell(f"echo {stem} >>{folder}/ran"))
    spool.barrier()
    spool.request("deleted").unlink()
    spool.response_path("answered").write_text(
        '{"request_id": "answered", "status": "success", "data": "from elsewhere"}')
    (folder / "go").touch()
    assert spool.wait_response("kept")["status"] == "success"
    assert (folder / "ran").read_text() == "kept\n"
    assert spool.response("deleted") is None
    assert spool.response("answered")["data"] == "from elsewhere"
    wait_until(lambda: spool.status()["counts"]["pending"] == 0, "nothing is left")
    assert list((spool.root / "worker" / "late").iterdir()) == []
