# SPDX-License-Identifier: MIT
"""The same command of `filecall agent` on another day: what has ended, what was given otherwise,
and what belongs to another run."""

import json
import os
import subprocess

import pytest

from agent_decisions import approve_all
from agent_place import REPORT, place, plan, read, result_of, scenario, turn  # noqa: F401
from harness import read_json, wait_until
from llm_lines import write_lines

DONE = plan(done=True, finalSummary="It has two lines.")


@pytest.mark.parametrize("option, value, words", [
    ("--model", "demo/demo-2", 'it began with the models'),
    ("--planner", "tools", "it began with the planner json, not tools"),
    ("--editing", "proposal", "it began with the editing direct, not proposal"),
    ("--scenario", "kubeops", "it began with the scenario explore, not kubeops"),
])
def test_other_settings_of_a_run_that_is_there_are_refused(place, folder, option, value, words):
    client = place(REPORT, turn(1, DONE))
    assert client.agent("What?", "--run", "r1").returncode == 0
    other = client.agent("What?", "--run", "r1", option, value)
    assert other.returncode != 0 and words in other.stderr, other.stderr
    assert "give another --run" in other.stderr
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "t", "goal": "What?"}])
    assert client.agent("batch", tasks).returncode == 0
    again = client.agent("batch", tasks, option, value)
    assert again.returncode == 1 and words in again.stdout, again.stdout
    assert "1 failed" in again.stdout


def test_a_run_goes_on_under_its_own_policy_and_scenario(place, scenario, folder):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE))
    for name, decision in (("own", "prompt"), ("weak", "allow")):
        (folder / f"{name}.yaml").write_text(json.dumps({"policy": {"rules": [
            {"tool": "file.create", "decision": decision}]}}))
    begun = client.agent("Make", "--run", "r1", "--scenario", scenario(), "--policy",
                         folder / "own.yaml")
    assert begun.returncode == 6, begun.stderr
    weaker = client.agent("resume", "r1", "--policy", folder / "weak.yaml")
    assert weaker.returncode not in (0, 6) and "it began with the policy" in weaker.stderr
    other = client.agent("resume", "r1", "--scenario", "kubeops")
    assert other.returncode not in (0, 6) and "it began with the scenario" in other.stderr
    assert not (client.work / "b.txt").exists()
    same = client.agent("resume", "r1", "--policy", folder / "own.yaml")
    assert same.returncode == 6, same.stderr


def test_nobody_decides_what_a_changed_policy_has_decided(place, scenario, folder):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE))
    own = folder / "own.yaml"
    own.write_text('{"policy": {"rules": [{"tool": "file.create", "decision": "prompt"}]}}')
    begun = client.agent("Make", "--run", "r1", "--scenario", scenario(), "--policy", own)
    assert begun.returncode == 6, begun.stderr
    explained = json.loads(client.ours("policy", "explain", "r1.1.1", "--json").stdout)
    assert explained["decidedBy"]["file"] == str(own), explained
    own.write_text('{"policy": {"rules": [{"tool": "file.create", "decision": "allow"}]}}')
    assert client.agent("resume", "r1").returncode == 0
    waiting = json.loads(client.ours("approvals", "--json").stdout)["approvals"]
    assert waiting == [], waiting
    assert client.ours("approve", "r1.1").returncode != 0
    explained = json.loads(client.ours("policy", "explain", "r1.1.1", "--json").stdout)
    assert explained["decision"] == "allow", explained


def test_a_run_that_is_there_keeps_its_scenario(place, scenario):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    first = client.agent("What?", "--run", "r1", "--scenario", scenario(), "--max-steps", "1")
    assert first.returncode == 5
    again = client.agent("What?", "--run", "r1", "--max-steps", "5")
    assert again.returncode == 0 and "trial.yaml" in again.stderr, again.stderr


def test_a_second_night_says_that_nothing_was_run(place, folder):
    client = place(REPORT, turn(1, DONE))
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "a", "goal": "A?"}])
    first = client.agent("batch", tasks)
    assert first.returncode == 0 and "had ended before" not in first.stdout
    write_lines(folder / "tasks.jsonl", [{"id": "a", "goal": "A?"}, {"id": "b", "goal": "B?"}])
    second = client.agent("batch", tasks, "--json")
    assert result_of(second)["had_ended"] == 1 and result_of(second)["runs"] == 2
    third = client.agent("batch", tasks)
    assert "2 of them had ended before, and were not run again" in third.stdout


def test_a_run_that_went_on_had_ended_before_on_the_third_night(place, folder):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "a", "goal": "A?"}])
    ended = []
    for steps in ("1", "5", "5"):
        ended.append(result_of(client.agent("batch", tasks, "--max-steps", steps, "--json")))
    assert [one["had_ended"] for one in ended] == [0, 0, 1], ended


def test_a_batch_takes_one_file(place, folder):
    client = place(REPORT, turn(1, DONE))
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "a", "goal": "A?"}])
    two = client.agent("batch", tasks, tasks)
    assert two.returncode == 2 and "one argument too many" in two.stderr
    none = client.agent("batch")
    assert none.returncode == 2 and "needs a file of tasks" in none.stderr


def test_a_thread_with_a_run_that_waits_is_not_deleted(place, scenario, spool):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE))
    parked = client.agent("Make", "--run", "r1", "--thread", "t", "--scenario", scenario())
    assert parked.returncode == 6
    refused = client.ours("thread", "delete", "t")
    assert refused.returncode == 2 and "its run r1 has not ended" in refused.stderr, refused.stderr
    approve_all(spool, "r1.1")
    assert client.agent("resume", "r1").returncode == 0
    assert client.ours("thread", "delete", "t").returncode == 0
    assert client.ours("thread", "new", "Again", "--thread", "t").returncode == 0
    [listed] = result_of(client.ours("thread", "list", "--json"))["threads"]
    assert (listed["records"], listed["runs"]) == (1, 0), "what was deleted is not counted"


def test_the_same_change_of_two_runs_is_undone_of_each(place, scenario, folder, spool):
    change = {"path": "a.txt", "operation": "update",
              "edits": [{"old": "two", "new": "2"}]}
    client = place(REPORT, turn(1, plan(("file.propose", {"changes": [change]}))), turn(2, DONE))
    file = client.work / "a.txt"
    before = file.read_text()
    options = ("--scenario", scenario(editing="proposal"))
    for run in ("u1", "u2"):
        assert client.agent("Change", "--run", run, "--thread", run, *options).returncode == 6
        shown = client.ours("proposal", "show", f"{run}.1.1").stdout
        assert shown.startswith("waiting: "), shown
        approve_all(spool, f"{run}.1")
        assert client.agent("resume", run).returncode == 0
        assert file.read_text() == "one\n2\n"
        if run == "u1":
            file.write_text(before)  # As git checkout does.
    undone = client.agent("undo", "u2")
    assert undone.returncode == 0 and file.read_text() == before, undone.stderr


def test_what_a_person_altered_is_what_a_grader_sees(place, scenario, spool):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE))
    assert client.agent("Make", "--run", "r1", "--scenario", scenario()).returncode == 6
    done = client.ours("approve", "r1.1", "--args",
                       json.dumps({"path": "c.txt", "content": "other\n"}))
    assert done.returncode == 0, done.stderr
    assert client.agent("resume", "r1").returncode == 0
    [call] = spool.response("r1.result")["data"]["tool_calls"]
    assert call["arguments"]["path"] == "c.txt"


def test_a_change_set_takes_no_other_arguments(place, scenario):
    change = {"path": "a.txt", "operation": "update", "edits": [{"old": "two", "new": "2"}]}
    client = place(REPORT, turn(1, plan(("file.propose", {"changes": [change]}))), turn(2, DONE))
    options = ("--scenario", scenario(editing="proposal"))
    assert client.agent("Change", "--run", "u1", *options).returncode == 6
    done = client.ours("approve", "u1.1", "--args", json.dumps({"changes": []}))
    assert done.returncode == 2 and "--hunks" in done.stderr, done.stderr
    said = result_of(client.ours("policy", "explain", "u1.1.1", "--json"))
    [shown] = read_json(client.spool.root / "approvals/requests/u1.1.json")["calls"]
    assert said["riskLevel"] == shown["riskLevel"]


def test_a_model_that_was_asked_to_the_end_costs_what_nobody_knows(place, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, {**DONE, "delay_ms": 20000}),
                   prices=1.0)
    begun = client.begin("What?", "--run", "r1")
    wait_until(lambda: "r1.2.plan" in spool.requests(), "the model is asked again")
    assert client.agent("cancel", "r1").returncode == 0
    begun.wait(timeout=60)
    assert spool.response("r1.result")["data"]["status"] == "cancelled"
    assert spool.response("r1.result")["data"]["cost"] is None


def test_a_run_that_was_killed_before_its_first_record_begins(place, spool):
    client = place(REPORT, turn(1, DONE))
    assert client.agent("What?", "--run", "r1").returncode == 0
    # As a client that is killed behind the note of the run's place leaves it.
    notes = spool.root / "threads/runs"
    [note] = [path for path in notes.iterdir() if "r1" in path.name]
    (notes / note.name.replace("r1", "r2")).write_text(note.read_text().replace("r1", "r2"))
    again = client.agent("What?", "--run", "r2")
    assert again.returncode == 0, again.stderr


def test_a_replay_knows_a_scenario_that_was_named_by_a_relative_path(place, scenario, folder):
    client = place(REPORT, turn(1, plan(("file.create", {"path": "b.txt", "content": "x"}))),
                   turn(2, DONE))
    scenario(policy={"rules": [{"tool": "file.*", "decision": "allow"}]})
    command = client.command("agent", "Make", "--run", "r1", "--scenario", "./trial.yaml")
    done = subprocess.run(command,
                          cwd=folder, env={**os.environ, **client.environment},
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    replayed = client.agent("replay", "r1")
    assert replayed.returncode == 0 and "all as they were" in replayed.stdout, replayed.stdout


def test_checks_that_were_denied_have_not_failed(place, scenario, spool):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE), DONE)
    rules = {"rules": [{"tool": "file.*", "decision": "allow"}]}
    path = scenario(policy=rules, checks=[{"argv": ["false"]}])
    done = client.agent("Make", "--run", "r1", "--scenario", path, "--no-wait")
    assert done.returncode == 1 and "the last checks were not run" in done.stdout, done.stdout
    assert spool.response("r1.result")["data"]["checks"] == "not_run"


def test_nobody_is_asked_for_what_cannot_run(place, scenario, spool):
    client = place(REPORT, turn(1, plan(("file.edit", {"path": "a.txt", "edits": 7}),
                                        ("file.create", {"path": "b.txt", "content": "x"}))),
                   turn(2, DONE))
    done = client.agent("Make", "--run", "r1", "--scenario", scenario(), "--json")
    assert done.returncode == 0, done.stderr
    calls = spool.response("r1.result")["data"]["tool_calls"]
    assert [one["status"] for one in calls][1] == "not_run", calls
    assert not list((spool.root / "approvals/requests").glob("r1.*"))


def test_a_run_that_another_process_drives_is_busy_and_not_failed(place, folder, spool):
    client = place(REPORT, turn(1, {**DONE, "delay_ms": 3000}))
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "a", "goal": "A?"}])
    first = client.begin("batch", str(tasks))
    wait_until(lambda: "tasks-a.1.plan" in spool.requests(), "the model is asked")
    second = client.agent("batch", tasks)
    assert second.returncode == 75 and "1 busy" in second.stdout, second.stdout
    assert first.wait(timeout=60) == 0


def test_arguments_that_nobody_takes_are_refused(place):
    client = place(REPORT, turn(1, DONE))
    assert client.agent("What?", "--run", "r1").returncode == 0
    for words in (("show", "r1", "r2"), ("list", "x"), ("script", "r1", "x"), ("undo", "r1", "x"),
                  ("replay", "r1", "x"), ("cancel", "r1", "x")):
        done = client.agent(*words)
        assert done.returncode == 2 and "one argument too many" in done.stderr, words
    assert client.agent("steer", "r1", " ").returncode == 2


def test_what_a_run_has_failed_at_is_not_asked_again_for_nobody(place, folder, spool):
    client = place({"error": {"status": 400, "message": "no"}})
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "a", "goal": "A?"}])
    failed = client.agent("batch", tasks)
    assert failed.returncode == 1 and "--run NAME runs the file again" in failed.stderr
    assert read_json(spool.request("tasks-a.result"))["metadata"]["model"] == "demo-1"
    retried = client.run("retry", "--failed")
    assert "1 of agents' runs stays so" in retried.stdout, retried.stdout


def test_a_scenario_that_a_run_would_refuse_is_not_shown(place, scenario):
    client = place(REPORT, DONE)
    bad = scenario(policy={"rules": [{"tool": "file.*", "decision": "dney"}]})
    shown = client.ours("scenario", "show", bad)
    assert shown.returncode == 2 and "trial.yaml" in shown.stderr
    shown = client.ours("scenario", "show", scenario(tools=["file.rea", "todo.read"]))
    assert shown.returncode == 0 and "did you mean file.read" in shown.stderr
    assert "todo" not in shown.stderr
