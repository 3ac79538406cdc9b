# SPDX-License-Identifier: MIT
"""Worker rule 6: what a killed worker leaves is settled by the next one, and only as declared."""

import signal

import pytest

from harness import TOOLS, is_alive, shell, wait_until


def notes(folder):
    path = folder / "notes"
    return path.read_text().split() if path.exists() else []


def drop_pure(spool, folder, stem="a"):
    spool.drop(stem, "tool.run", {"tool": "pure", "args": {"notes": str(folder / "notes"),
                                                           "go": str(folder / "go")}})


@pytest.mark.core
@pytest.mark.parametrize("durability", ["full", "journal"])
def test_effects_are_never_repeated(spool, folder, start_worker, durability):
    first = start_worker(config=TOOLS, durability=durability)
    spool.drop("a", "tool.run", shell(f"echo x >>{folder}/notes; sleep 60"))
    wait_until(lambda: notes(folder), "the tool runs")
    first.kill()
    start_worker(config=TOOLS)
    answer = spool.wait_response("a")
    assert answer["status"] == "error" and answer["error_code"] == "aborted"
    assert answer["retryable"] is False
    assert "interrupted" in answer["error_message"] and "unknown" in answer["error_message"]
    assert notes(folder) == ["x"]


@pytest.mark.core
def test_without_effects_it_runs_once_more(spool, folder, start_worker):
    first = start_worker(config=TOOLS)
    drop_pure(spool, folder)
    wait_until(lambda: len(notes(folder)) == 1, "the tool runs")
    first.kill()
    start_worker(config=TOOLS)
    wait_until(lambda: len(notes(folder)) == 2, "the tool runs again")
    (folder / "go").touch()
    assert spool.wait_response("a")["status"] == "success"
    assert len(notes(folder)) == 2


def test_two_crashes_are_enough(spool, folder, start_worker):
    for count in (1, 2):
        worker = start_worker(config=TOOLS)
        if count == 1:
            drop_pure(spool, folder)
        wait_until(lambda n=count: len(notes(folder)) == n, f"start {count}")
        worker.kill()
    start_worker(config=TOOLS)
    answer = spool.wait_response("a")
    assert answer["error_code"] == "aborted" and answer["retryable"] is False
    assert "crash" in answer["error_message"]
    assert len(notes(folder)) == 2


def test_a_graceful_stop_is_no_crash(spool, folder, start_worker):
    """Interrupted commands without effects stay pending, and the stop does not count as a start."""
    for count in (1, 2, 3):
        worker = start_worker("--grace", "0s", config=TOOLS)
        if count == 1:
            drop_pure(spool, folder)
        wait_until(lambda n=count: len(notes(folder)) == n, f"start {count}")
        assert worker.stop() == 0
        assert spool.response("a") is None
    start_worker(config=TOOLS)
    (folder / "go").touch()
    assert spool.wait_response("a")["status"] == "success"


def test_children_die_with_a_killed_worker(spool, folder, worker):
    script = (f"echo $$ >{folder}/pid; "
              f"setsid sh -c 'echo $$ >{folder}/grandchild; exec sleep 300' & sleep 300")
    spool.drop("a", "tool.run", shell(script))
    pids = [int(wait_until(lambda n=name: (folder / n).exists() and (folder / n).read_text(),
                           f"{name} runs")) for name in ("pid", "grandchild")]
    worker.kill()
    for pid in pids:
        wait_until(lambda p=pid: not is_alive(p), f"process {pid} has ended")


def test_what_waited_is_simply_done_later(spool, folder, start_worker):
    first = start_worker(config={"tool": {**TOOLS["tool"], "concurrency": 1}})
    drop_pure(spool, folder, "running")
    wait_until(lambda: notes(folder), "the first runs")
    for i in range(5):
        spool.drop(f"waiting-{i}", "tool.run", shell(f"echo {i} >>{folder}/waited"))
    spool.barrier()
    first.signal(signal.SIGKILL)
    first.wait()
    (folder / "go").touch()
    start_worker(config=TOOLS)
    for i in range(5):
        assert spool.wait_response(f"waiting-{i}")["status"] == "success"
    assert sorted((folder / "waited").read_text().split()) == list("01234")


def test_start_records_do_not_pile_up(spool, worker):
    for i in range(20):
        spool.call(f"r{i}", "tool.run", {"argv": ["true"]})
    assert list((spool.root / "worker" / "started").glob("*")) == []


def test_an_answer_after_a_crash_is_not_given_twice(spool, folder, start_worker):
    """kill -9 while many are in flight: each ends with exactly one answer, none runs twice."""
    config = {"tool": {**TOOLS["tool"], "concurrency": 8}}
    first = start_worker(config=config)
    for i in range(60):
        spool.drop(f"r{i}", "tool.run", shell(f"echo {i} >>{folder}/ran; sleep 0.02"))
    wait_until(lambda: len(spool.responses()) > 15, "some are answered")
    first.kill()
    start_worker(config=config)
    wait_until(lambda: len(spool.responses()) == 60, "all are answered")
    ran = (folder / "ran").read_text().split()
    assert len(ran) == len(set(ran)), "something ran twice"
    for i in range(60):
        answer = spool.response(f"r{i}")
        if answer["status"] == "error":
            assert answer["error_code"] == "aborted" and answer["retryable"] is False
