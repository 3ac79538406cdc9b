# SPDX-License-Identifier: MIT
"""How runs of `filecall agent` end: on a budget and on with a larger one, without a report,
cancelled within a call; and what graders see of them afterwards."""

import fcntl
import json
import signal

import pytest

from agent_decisions import approve_all
from agent_place import REPORT, place, plan, read, result_of, scenario, turn  # noqa: F401
from harness import read_json, wait_until
from llm_lines import write_lines

DONE = plan(done=True, finalSummary="It has two lines.")


def test_a_larger_budget_goes_on_with_a_run_that_ended_on_it(place, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    first = client.agent("What?", "--run", "r1", "--max-steps", "1", "--json")
    assert first.returncode == 5 and result_of(first)["status"] == "budget"
    same = client.agent("resume", "r1", "--json")
    assert same.returncode == 5 and result_of(same)["status"] == "budget"
    small = client.agent("resume", "r1", "--max-steps", "1", "--max-calls", "9", "--json")
    assert small.returncode == 5 and "name a budget beyond" in small.stderr
    done = client.agent("resume", "r1", "--max-steps", "5", "--json")
    assert done.returncode == 0, done.stderr
    assert result_of(done)["status"] == "done" and result_of(done)["steps"] == 2
    assert spool.response("r1.result")["data"]["status"] == "budget"
    assert spool.response("r1.result-2")["data"]["status"] == "done"
    assert "it goes on with other budgets" in client.agent("show", "r1").stdout
    assert result_of(client.agent("list", "--json"))["runs"][0]["status"] == "done"
    replayed = client.agent("replay", "r1", "--json")
    assert replayed.returncode == 0, replayed.stdout
    over = client.agent("resume", "r1", "--max-steps", "9")
    assert over.returncode == 0 and "only a run that ended on a budget" in over.stderr


def test_a_parked_run_takes_other_budgets(place, scenario):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE))
    arguments = ("Make b.txt", "--run", "r1", "--scenario", scenario(), "--json")
    assert client.agent(*arguments).returncode == 6
    approve_all(client.spool, "r1.1")
    done = client.agent("resume", "r1", "--max-steps", "1", "--json")
    assert done.returncode == 5 and result_of(done)["steps"] == 1, done.stderr


def test_a_run_in_a_deleted_thread_does_not_bring_it_back(place):
    client = place(REPORT, turn(1, DONE))
    assert client.agent("What?", "--run", "r1", "--thread", "t").returncode == 0
    assert client.ours("thread", "delete", "t").returncode == 0
    resumed = client.agent("resume", "r1")
    assert resumed.returncode == 2 and "thread t was deleted" in resumed.stderr, resumed.stderr
    assert result_of(client.ours("thread", "list", "--json"))["threads"] == []


def test_a_model_that_reports_nothing_is_said_to(place):
    client = place({**REPORT, "reply": " \n"},
                   {"when": {"any": "Goal: Silent"}, **plan(done=True)}, turn(1, DONE))
    done = client.agent("What?", "--run", "r1", "--json")
    assert result_of(done)["report"] == "It has two lines."
    done = client.agent("Silent", "--run", "r2", "--thread", "other")
    assert "| The model gave no report." in done.stdout, done.stderr


@pytest.fixture
def sleeping(place, scenario, spool):
    """sleeping(seconds) -> a client and its run r1, in whose first step a program runs so long, and
    another one would come after it."""
    def begin(seconds):
        programs = [("tool.run", {"argv": ["sleep", seconds]}),
                    ("tool.run", {"argv": ["echo", "x"]})]
        client = place(REPORT, turn(1, plan(*programs)), turn(2, DONE),
                       tool={"allow": ["echo", "sleep"]})
        process = client.begin("Sleep", "--run", "r1", "--scenario", scenario(), "--wait", "1m")
        wait_until(lambda: (spool.root / "approvals/requests/r1.1.json").exists(), "it waits")
        approve_all(spool, "r1.1")
        wait_until(lambda: spool.status()["counts"]["executing"] and "r1.1.1" in spool.requests(),
                   "the program runs")
        return client, process

    return begin


def test_an_interrupt_begins_nothing_more(sleeping, spool):
    client, process = sleeping("3")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    shown = client.agent("show", "r1").stdout
    assert "1. success" in shown and "2. tool.run" not in shown, shown
    assert "r1.1.2" not in spool.requests()
    assert result_of(client.agent("list", "--json"))["runs"][0]["status"] == "parked"
    done = client.agent("resume", "r1", "--json")
    assert done.returncode == 0 and result_of(done)["calls"] == 2, done.stderr


def test_two_interrupts_end_a_run_within_a_call_for_good(sleeping, spool):
    client, process = sleeping("60")
    process.send_signal(signal.SIGINT)
    wait_until(lambda: any(b"waiting for 1 request" in log.read_bytes()
                           for log in client.folder.glob("client-*.log")), "the wait is said")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    result = result_of(client.agent("show", "r1", "--json"))
    assert result["status"] == "cancelled" and result["steps"] == 1, result
    assert [call["status"] for call in result["tool_calls"]] == ["aborted", "not_run"]
    graded = spool.wait_response("r1.result")["data"]
    assert graded["status"] == "cancelled", "the worker answers it without a client"
    assert graded["duration_ms"] == result["duration_ms"]
    assert client.agent("resume", "r1").returncode == 1
    assert {"r1.1.2", "r1.2.plan"}.isdisjoint(spool.requests())


@pytest.fixture
def waiting(place, scenario):
    """A client with a run r1 that waits for a decision."""
    client = place(REPORT, turn(1, plan(("file.create", {"path": "b.txt", "content": "x"}))),
                   turn(2, DONE))
    assert client.agent("Make", "--run", "r1", "--scenario", scenario()).returncode == 6
    return client


def test_a_run_that_is_cancelled_without_a_client_gets_its_result(waiting, spool):
    said = waiting.agent("cancel", "r1")
    assert said.returncode == 0 and "resume" not in said.stdout, said.stdout
    graded = spool.wait_response("r1.result")["data"]
    assert graded["status"] == "cancelled"
    resumed = waiting.agent("resume", "r1", "--json")
    assert resumed.returncode == 1
    assert result_of(resumed)["duration_ms"] == graded["duration_ms"]


def test_a_run_that_was_parked_and_cancelled_can_be_replayed(waiting, spool):
    assert waiting.agent("cancel", "r1").returncode == 0
    calls = result_of(waiting.agent("show", "r1", "--json"))["tool_calls"]
    assert [call["status"] for call in calls] == ["not_run"]
    assert spool.wait_response("r1.result")["data"]["tool_calls"] == calls
    replayed = waiting.agent("replay", "r1", "--json")
    assert replayed.returncode == 0, replayed.stdout


def test_a_cancel_ends_the_call_that_a_killed_client_has_begun(sleeping, spool):
    client, process = sleeping("600")
    process.kill()
    process.wait()
    said = client.agent("cancel", "r1")
    assert said.returncode == 0 and "'filecall agent resume r1' writes down" in said.stdout
    wait_until(lambda: not spool.status()["counts"]["executing"], "the program ended")
    listed, = result_of(client.agent("list", "--json"))["runs"]
    assert listed["status"] == "cancelled"
    assert result_of(client.agent("show", "r1", "--json"))["status"] == "cancelled"
    assert "was cancelled; 'filecall agent resume r1'" in client.agent("show", "r1").stdout
    refused = client.agent("steer", "r1", "Look again")
    assert refused.returncode == 2 and "it was cancelled" in refused.stderr, refused.stdout
    again = client.agent("cancel", "r1")
    assert again.returncode == 0, "what it has begun is asked to end once more: " + again.stderr
    log = (spool.root / "threads/default.jsonl").read_text()
    assert log.count('"run.cancelled"') == 1
    ended = client.agent("resume", "r1", "--json")
    assert ended.returncode == 1, ended.stderr
    result = result_of(ended)
    assert result["status"] == "cancelled"
    assert [call["status"] for call in result["tool_calls"]] == ["cancelled", "not_run"]
    replayed = client.agent("replay", "r1", "--json")
    assert replayed.returncode == 0, replayed.stdout


def test_a_parked_run_that_is_cancelled_while_another_has_its_thread(waiting, spool):
    """Its approval stayed, and it was shown as parked; a second cancel ends it."""
    lock = spool.root / "threads/default.lock"
    with open(lock, "r+", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.truncate()
        held.write("run r2, process 7")
        held.flush()
        assert waiting.agent("cancel", "r1").returncode == 0
        assert result_of(waiting.agent("show", "r1", "--json"))["status"] == "cancelled"
    listed, = result_of(waiting.agent("list", "--json"))["runs"]
    assert listed["status"] == "cancelled"
    assert waiting.agent("cancel", "r1").returncode == 0
    assert result_of(waiting.ours("approvals", "--json"))["approvals"] == []
    assert spool.wait_response("r1.result")["data"]["status"] == "cancelled"


def test_a_run_that_is_cancelled_without_a_worker_says_who_writes_its_result(waiting, spool):
    waiting.worker.stop()
    said = waiting.agent("cancel", "r1")
    assert said.returncode == 0 and "'filecall agent resume r1' writes it" in said.stdout
    assert "r1.result" not in spool.requests()


def test_a_run_that_is_cancelled_in_a_call_shows_what_became_of_each(sleeping):
    client, process = sleeping("60")
    assert client.agent("cancel", "r1").returncode == 0
    assert process.wait(timeout=60) == 1
    shown = client.agent("show", "r1").stdout
    assert "1. cancelled" in shown and "2. not run: the run was cancelled" in shown, shown
    assert shown.index("1. cancelled") < shown.index("r1: cancelled: it was cancelled")
    result = result_of(client.agent("show", "r1", "--json"))
    assert result["steps"] == 1 and result["calls"] == 1
    assert [call["status"] for call in result["tool_calls"]] == ["cancelled", "not_run"]


def test_what_programs_changed_is_not_known_without_a_branch(place, scenario):
    client = place(REPORT, turn(1, plan(("tool.run", {"argv": ["echo", "x"]}))), turn(2, DONE))
    arguments = ("Say x", "--run", "r1", "--scenario", scenario())
    assert client.agent(*arguments).returncode == 6
    approve_all(client.spool, "r1.1")
    done = client.agent(*arguments)
    assert done.returncode == 0, done.stderr
    assert "Programs ran: which files they changed is not known." in done.stdout
    assert result_of(client.agent("show", "r1", "--json"))["files_changed_known"] is False


def test_a_batch_that_waits_says_how_it_goes_on(place, scenario, folder):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE))
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "t", "goal": "Make b.txt"}])
    batch = client.agent("batch", tasks, "--scenario", scenario())
    assert batch.returncode == 6
    for word in ("a run waits for a decision", "filecall approvals", "the same command again"):
        assert word in batch.stderr, batch.stderr


def graded(client, spec, spool, stem="tasks-t.result"):
    done = client.ours("eval", spec, "--json")
    assert done.returncode in (0, 1), done.stderr
    lines = (spool.root / "eval/grades.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return [one["evaluations"]["runs"] for one in records if one["request_id"] == stem][-1]


def test_graders_look_at_the_run_and_not_at_the_request_of_its_result(place, folder, spool):
    slow = {**turn(1, plan(read("a.txt"))), "delay_ms": 400}
    client = place(REPORT, slow, turn(2, DONE))
    tasks = write_lines(folder / "tasks.jsonl", [{"id": "t", "goal": "What?"}])
    assert client.agent("batch", tasks).returncode == 0
    spec = folder / "spec.yaml"
    spec.write_text(json.dumps({
        "name": "runs", "select": {"command": "system.echo", "ids": ["tasks-*.result"]},
        "graders": [
            {"kind": "tool_called", "name": "read", "tool": "file.read",
             "arguments": {"files": ["a.txt"]}},
            {"kind": "tool_called", "name": "wrote", "tool": "file.create"},
            {"kind": "latency", "name": "fast", "max": "300ms"}]}))
    evaluation = graded(client, spec, spool)
    text = json.dumps(evaluation)
    assert "1 of 1 call fits: file.read" in text and "0 of 1 call" in text, text
    took = read_json(spool.request("tasks-t.result"))["params"]["duration_ms"]
    assert took >= 400 and f"took {took} ms" in text, text
    shown = json.loads(client.run("report", "--format", "json", "--eval", "runs").stdout)
    [item] = [one for one in shown["items"] if one["request_id"] == "tasks-t.result"]
    assert item["latency_ms"] == took, item


def test_a_label_that_was_corrected_reaches_a_run_that_has_ended(place, folder, spool):
    client = place(REPORT, turn(1, DONE))
    tasks = folder / "tasks.jsonl"
    spec = folder / "spec.yaml"
    spec.write_text(json.dumps({
        "name": "runs", "select": {"command": "system.echo", "ids": ["tasks-*.result"]},
        "graders": [{"kind": "contains", "answer": "/report", "expected_var": "expected"}]}))
    seen = []
    for expected in ("three", "Nothing to add"):
        write_lines(tasks, [{"id": "t", "goal": "What?", "expected": expected}])
        assert client.agent("batch", tasks).returncode == 0
        seen.append(graded(client, spec, spool)["passed"])
    assert seen == [False, True]
    assert len([stem for stem in spool.requests() if ".plan" in stem]) == 1, "it is not run again"
    # What the label stands beside is as it was.
    assert read_json(spool.request("tasks-t.result"))["metadata"]["vars"]["expected"] == (
        "Nothing to add")
    assert client.run("status").returncode == 0


def test_what_became_of_a_run_that_went_on_is_graded_and_not_its_first_end(place, folder, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    tasks = folder / "tasks.jsonl"
    spec = folder / "spec.yaml"
    spec.write_text(json.dumps({
        "name": "runs", "select": {"command": "system.echo", "ids": ["tasks-*.result"]},
        "graders": [
            {"kind": "contains", "answer": "/status", "expected_var": "expected"}]}))

    def runs_of(expected, *budget):
        write_lines(tasks, [{"id": "t", "goal": "What?", "expected": expected}])
        return client.agent("batch", tasks, *budget)

    def graded_with(expected):
        done = client.run("eval", spec, "--json")
        assert done.returncode == 0, done.stderr
        summary = json.loads(done.stdout)
        assert summary["counts"]["graded"] == 1, summary
        return summary["score"]["value"], summary["superseded"]

    assert runs_of("budget", "--max-steps", "1").returncode == 5
    assert graded_with("budget") == (1, 0)
    # Nobody's run is named so, whatever a pattern says.
    spool.drop("tasks-u.result-2", params={"status": "done"})
    assert client.agent("resume", "tasks-t", "--max-steps", "5").returncode == 0
    assert graded_with("budget") == (0, 1), "it is done by now"
    assert runs_of("done", "--max-steps", "5").returncode == 0
    assert graded_with("done") == (1, 1), "the corrected label is that of the later result"
    report = client.run("report", "--json")
    assert report.returncode == 0 and '"tasks-t.result"' not in report.stdout, report.stdout


def test_a_run_of_a_batch_keeps_its_labels_when_it_is_resumed_alone(place, folder, scenario, spool):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE))
    tasks = folder / "tasks.jsonl"

    def labels():
        return read_json(spool.request("tasks-t.result"))["metadata"]["vars"]["expected"]

    write_lines(tasks, [{"id": "t", "goal": "Make b.txt", "expected": "old"}])
    parked = client.agent("batch", tasks, "--scenario", scenario())
    assert parked.returncode == 6
    assert "tasks-t: parked: waits for a decision on tasks-t.1" in parked.stdout
    approve_all(spool, "tasks-t.1")
    assert client.agent("resume", "tasks-t").returncode == 0
    assert labels() == "old"
    assert read_json(spool.request("tasks-t.result"))["metadata"]["item"] == "t"
    write_lines(tasks, [{"id": "t", "goal": "Make b.txt", "expected": "new"}])
    assert client.agent("batch", tasks, "--scenario", scenario()).returncode == 0
    assert labels() == "new"
    assert client.agent("resume", "tasks-t").returncode == 0
    assert labels() == "new", "a run that has ended is asked for nothing"


def test_a_file_without_tasks_is_said_to_be_one(place, folder):
    client = place(REPORT, turn(1, DONE))
    tasks = folder / "-tasks.jsonl"
    tasks.write_text("\n")
    done = client.agent("batch", tasks)
    assert done.returncode == 0 and done.stdout == "0 runs; 0 steps, 0 tokens\n"
    assert f"{tasks} holds no tasks" in done.stderr
    write_lines(tasks, [{"id": 7, "goal": "What?"}])
    assert client.agent("batch", tasks).returncode == 0
    assert client.agent("show", "tasks-tasks-7").returncode == 0, "its name is no option"
    over = client.agent("batch", folder)
    assert over.returncode == 2 and "is a directory" in over.stderr
    dashed = client.agent("What?", "--run", "-rf")
    assert dashed.returncode == 2 and "begins with '-'" in dashed.stderr


def test_a_run_whose_client_was_killed_is_not_said_to_run(place, spool):
    client = place(REPORT, turn(1, {**DONE, "delay_ms": 3000}))

    def statuses():
        listed = result_of(client.agent("list", "--json"))["runs"][0]["status"]
        return listed, result_of(client.agent("show", "r1", "--json"))["status"]

    begun = client.begin("What?", "--run", "r1")
    wait_until(lambda: "r1.1.plan" in spool.requests(), "the model is asked")
    assert statuses() == ("running", "running")
    begun.send_signal(signal.SIGKILL)
    begun.wait(timeout=30)
    assert statuses() == ("left", "left")
    assert client.agent("resume", "r1").returncode == 0
    assert statuses() == ("done", "done")
