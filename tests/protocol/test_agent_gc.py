# SPDX-License-Identifier: MIT
"""`filecall gc` and the runs of `filecall agent`: what can go on keeps what it needs."""

import pytest

from agent_decisions import approve_all
from agent_place import REPORT, place, plan, read, result_of, scenario, turn  # noqa: F401
from llm_lines import write_lines
from test_agent_damage import lose, of_type

DONE = plan(done=True, finalSummary="It has two lines.")
CREATE = plan(("file.create", {"path": "b.txt", "content": "new\n"}))


def collected(client, *more):
    done = client.run("gc", "--older-than", "0s", "--json", *more)
    assert done.returncode == 0, done.stderr
    return result_of(done)


def test_a_run_that_waits_goes_on_after_a_collection(place, scenario, spool):
    client = place(REPORT, turn(1, CREATE), turn(2, DONE))
    assert client.agent("Make", "--run", "g", "--scenario", scenario()).returncode == 6
    before = {one for one in spool.requests() if one.startswith("g.")}
    dry = collected(client, "--dry-run")
    assert dry["kept_for_runs"] == len(before) and dry["requests"] == 0
    said = client.run("gc", "--older-than", "0s").stdout
    assert f"Kept {len(before)} requests of agents' runs that can go on" in said, said
    assert before <= spool.requests()
    approve_all(spool, "g.1")
    done = client.agent("resume", "g")
    assert done.returncode == 0 and (client.work / "b.txt").exists(), done.stderr
    assert collected(client)["kept_for_runs"] == 0
    assert not {one for one in spool.requests() if one.startswith("g.")}
    again = client.agent("resume", "g")
    assert again.returncode == 0 and "g: done" in again.stdout, again.stderr


def test_a_run_that_ended_on_a_budget_goes_on_after_a_collection(place, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    assert client.agent("What?", "--run", "g", "--max-steps", "1").returncode == 5
    assert collected(client)["kept_for_runs"] > 0
    done = client.agent("resume", "g", "--max-steps", "5")
    assert done.returncode == 0, done.stderr


def test_a_deleted_thread_keeps_nothing(place, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    assert client.agent("What?", "--run", "g", "--thread", "t", "--max-steps", "1").returncode == 5
    assert client.ours("thread", "delete", "t").returncode == 0
    assert collected(client)["kept_for_runs"] == 0
    assert "g.catalog" not in spool.requests()


def test_a_cancelled_run_gets_its_result_after_a_collection(place, scenario, spool):
    client = place(REPORT, turn(1, CREATE), turn(2, DONE))
    assert client.agent("Make", "--run", "g", "--scenario", scenario()).returncode == 6
    assert client.agent("cancel", "g").returncode == 0
    collected(client)
    done = client.agent("resume", "g")
    assert done.returncode == 1 and "g: cancelled" in done.stdout, done.stderr


def test_runs_of_a_batch_keep_the_catalog_that_they_share(place, folder, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "a", "goal": "A?"}])
    assert client.agent("batch", tasks, "--max-steps", "1").returncode != 0
    shared = {one for one in spool.requests() if "catalog" in one}
    assert shared
    collected(client)
    assert shared <= spool.requests()
    done = client.agent("batch", tasks, "--max-steps", "5")
    assert done.returncode == 0, done.stderr


def test_a_run_whose_catalog_is_gone_asks_for_another_one(place, scenario, spool):
    client = place(REPORT, turn(1, CREATE), turn(2, DONE))
    assert client.agent("Make", "--run", "g", "--scenario", scenario()).returncode == 6
    notes = spool.root / "threads"
    notes.rename(spool.root / "threads.away")  # As a client took it that knew no runs.
    assert collected(client)["kept_for_runs"] == 0 and "g.catalog" not in spool.requests()
    (spool.root / "threads.away").rename(notes)
    approve_all(spool, "g.1")
    done = client.agent("resume", "g")
    assert done.returncode == 0 and (client.work / "b.txt").exists(), done.stderr
    assert any(one.startswith("g.catalog-") for one in spool.requests())


@pytest.mark.parametrize("kind", ["run.begun", "run.parked"])
def test_runs_of_a_damaged_thread_keep_what_they_have(place, scenario, spool, kind):
    client = place(REPORT, turn(1, CREATE), turn(2, DONE))
    assert client.agent("Make", "--run", "g", "--thread", "g", "--scenario",
                        scenario()).returncode == 6
    assert lose(spool.root / "threads/g.jsonl", of_type(kind), changes=True) == 1
    before = {one for one in spool.requests() if one.startswith("g.")}
    assert collected(client)["kept_for_runs"] == len(before) > 0
    assert before <= spool.requests()
