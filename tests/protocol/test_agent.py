# SPDX-License-Identifier: MIT
"""`filecall agent` on a scripted model: plan, read, approve, write, report; restarts."""

import json

import pytest

from agent_decisions import approve_all, decide
from agent_place import REPORT, place, plan, read, result_of, scenario, turn  # noqa: F401
from harness import read_json, wait_until
from llm_lines import write_lines


@pytest.mark.core
def test_it_plans_reads_and_reports(place, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))),
                   turn(2, plan(done=True, finalSummary="Two lines.")))
    done = client.agent("What is in a.txt?", "--run", "r1", "--json")
    assert done.returncode == 0, done.stderr
    result = result_of(done)
    assert result["status"] == "done" and result["steps"] == 2 and result["calls"] == 1
    assert result["report"] == "Nothing to add."
    assert "step 1: next" in done.stderr and "file.read" in done.stderr
    # The run is its request files.
    assert {"r1.catalog", "r1.1.plan", "r1.1.1", "r1.2.plan", "r1.report",
            "r1.result"} <= spool.requests()
    assert spool.response("r1.result")["data"]["status"] == "done"
    # The same command finds it ended, and asks nothing again.
    again = client.agent("What is in a.txt?", "--run", "r1", "--json")
    assert again.returncode == 0 and result_of(again)["report"] == "Nothing to add."
    # The next run of the thread knows what was said.
    client.agent("And now?", "--run", "r2", "--json")
    asked = json.loads((spool.request("r2.1.plan")).read_text())
    assert "What is in a.txt?" in json.dumps(asked["params"]["messages"])


@pytest.mark.core
def test_native_tool_calls_do_the_same(place, spool):
    calls = {"tool_calls": [{"name": "file_read", "arguments": {"files": ["a.txt"]}}]}
    client = place(REPORT, turn(1, {"reply": {"text": "I look.", **calls}}),
                   turn(2, {"reply": "Done: two lines."}))
    done = client.agent("What is in a.txt?", "--run", "r1", "--planner", "tools", "--json")
    assert done.returncode == 0, done.stderr
    messages = json.loads(spool.request("r1.2.plan").read_text())["params"]["messages"]
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool"]
    assert messages[2]["tool_calls"][0]["id"] == messages[3]["tool_call_id"]
    assert "two" in messages[3]["content"]


def test_a_write_waits_for_a_decision_and_goes_on_after_it(place, scenario):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, plan(done=True, finalSummary="Made.")))
    arguments = ("Make b.txt", "--run", "r1", "--scenario", scenario(), "--json")
    waits = client.agent(*arguments)
    assert waits.returncode == 6, waits.stderr
    assert result_of(waits)["approval"] == "r1.1"
    assert not (client.work / "b.txt").exists()
    request = json.loads((client.spool.root / "approvals/requests/r1.1.json").read_text())
    assert request["calls"][0]["toolId"] == "file.create" and "+new" in (
        request["calls"][0]["previewText"])
    # Still nobody has decided.
    assert client.agent(*arguments).returncode == 6
    approve_all(client.spool, "r1.1")
    done = client.agent(*arguments)
    assert done.returncode == 0, done.stderr
    assert (client.work / "b.txt").read_text() == "new\n"
    assert result_of(done)["files_changed"] == ["b.txt"]


def test_a_forged_decision_is_set_aside_and_the_run_still_waits(place, scenario):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, plan(done=True, finalSummary="x")))
    arguments = ("Make b.txt", "--run", "r1", "--scenario", scenario(), "--json")
    assert client.agent(*arguments).returncode == 6
    approve_all(client.spool, "r1.1", key=b"0" * 64)
    assert client.agent(*arguments).returncode == 6
    assert not (client.work / "b.txt").exists()
    assert list((client.spool.root / "approvals/refused").iterdir())


def test_a_new_policy_asks_afresh(place, scenario):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, plan(done=True, finalSummary="x")))
    arguments = ("Make b.txt", "--run", "r1", "--scenario", scenario(), "--json")
    assert client.agent(*arguments).returncode == 6
    approve_all(client.spool, "r1.1")
    scenario(policy={"rules": [{"tool": "file.delete", "decision": "deny"}]})
    done = client.agent(*arguments)
    assert done.returncode == 6 and result_of(done)["approval"] == "r1.1-2", done.stderr
    assert not (client.work / "b.txt").exists()


def test_a_proposal_is_applied_by_hunks_and_taken_back(place, scenario):
    lines = [f"line {i}\n" for i in range(40)]
    edits = [{"old": "line 3\n", "new": "LINE 3\n"}, {"old": "line 33\n", "new": "LINE 33\n"}]
    change = {"path": "long.txt", "operation": "update", "edits": edits}
    client = place(REPORT, turn(1, plan(("file.propose", {"changes": [change]}))),
                   turn(2, plan(done=True, finalSummary="x")))
    (client.work / "long.txt").write_text("".join(lines))
    arguments = ("Shout", "--run", "r1", "--scenario", scenario(editing="proposal"), "--json")
    assert client.agent(*arguments).returncode == 6
    call = read_json(client.spool.root / "approvals/requests/r1.1.json")["calls"][0]
    assert len(call["hunks"]) == 2
    # What is agreed to is said: the set is applied.
    assert call["description"].startswith("Makes a proposal's changes")
    decide(client.spool, "r1.1", [{"n": 1, "approved": True, "hunks": [call["hunks"][1]]}])
    done = client.agent(*arguments)
    assert done.returncode == 0, done.stderr
    text = (client.work / "long.txt").read_text()
    assert "LINE 33" in text and "LINE 3\n" not in text
    assert result_of(done)["files_changed"] == ["long.txt"]
    assert client.agent("undo", "r1").returncode == 0
    assert (client.work / "long.txt").read_text() == "".join(lines)


def test_a_run_can_be_replayed_and_made_a_script(place, folder):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, {"reply": "no plan"}),
                   {"when": {"turn": 3}, **plan(done=True, finalSummary="x")})
    assert client.agent("What?", "--run", "r1", "--json").returncode == 0
    replayed = client.agent("replay", "r1", "--json")
    assert replayed.returncode == 0, replayed.stdout
    assert result_of(replayed)["differences"] == [] and result_of(replayed)["steps"] == 2
    script = client.agent("script", "r1")
    assert script.returncode == 0
    lines = [json.loads(line) for line in script.stdout.splitlines()]
    assert [line["when"]["request"] for line in lines] == [
        "\\.1\\.plan$", "\\.2\\.plan$", "\\.2\\.plan\\-2$", "\\.report$"]
    # The script answers another run of the goal alike.
    write_lines(folder / "demo.jsonl", lines)
    again = client.agent("What?", "--run", "r2", "--thread", "other", "--json")
    assert again.returncode == 0, again.stderr
    assert result_of(again)["steps"] == 2


def test_many_runs_at_once_are_one_batch(place, folder, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))),
                   turn(2, plan(done=True, finalSummary="x")))
    tasks = folder / "tasks.jsonl"
    write_lines(tasks, [{"id": f"t{i}", "goal": f"Goal {i}", "wanted": "two"} for i in range(5)])
    done = client.agent("batch", tasks, "--repeat", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert result_of(done)["by_status"] == {"done": 10}
    first = json.loads(spool.request("tasks-t0-r1.result").read_text())
    assert first["metadata"]["item"] == "t0" and first["metadata"]["vars"]["wanted"] == "two"
    assert first["params"]["report"] == "Nothing to add."
    # The same again asks nothing.
    assert client.agent("batch", tasks, "--repeat", "2", "--json").returncode == 0
    spec = folder / "spec.yaml"
    spec.write_text(json.dumps({"name": "runs", "select": {"command": "system.echo",
                                            "ids": ["tasks-*.result"]},
                                "graders": [{"kind": "contains", "expected": "Nothing"}]}))
    graded = client.run("eval", spec, "--json")
    assert graded.returncode == 0, graded.stderr


def test_nobody_there_denies(place, scenario, spool):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, plan(done=True, finalSummary="No.")))
    done = client.agent("Make b.txt", "--run", "r1", "--scenario", scenario(), "--json",
                        "--no-wait")
    assert done.returncode == 0, done.stderr
    assert not (client.work / "b.txt").exists()
    assert "denied" in spool.request("r1.2.plan").read_text()


def test_a_policy_allows_and_what_was_allowed_runs(place, scenario):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, plan(done=True, finalSummary="Made.")))
    allowing = scenario(policy={"rules": [{"tool": "file.create", "decision": "allow"}]})
    done = client.agent("Make b.txt", "--run", "r1", "--scenario", allowing, "--json")
    assert done.returncode == 0, done.stderr
    assert (client.work / "b.txt").read_text() == "new\n"
    assert result_of(done)["files_changed"] == ["b.txt"] and result_of(done)["writes"] == 1


def test_answers_that_are_no_plan_are_corrected_twice(place, spool):
    client = place({"reply": "I think {"})
    done = client.agent("What?", "--run", "r1", "--json")
    assert done.returncode == 1, done.stderr
    assert result_of(done)["status"] == "failed"
    assert {"r1.1.plan", "r1.1.plan-2", "r1.1.plan-3"} <= spool.requests()
    assert "r1.1.plan-4" not in spool.requests()


def test_the_same_step_again_and_again_ends_the_run(place):
    client = place({"when": {"any": "Goal: "}, **plan(read("a.txt"))})
    done = client.agent("What?", "--run", "r1", "--json")
    assert done.returncode == 5, done.stderr
    result = result_of(done)
    assert result["status"] == "loop" and result["steps"] == 5
    done = client.agent("What?", "--run", "r2", "--max-steps", "2", "--json")
    assert done.returncode == 5 and result_of(done)["status"] == "budget"


def test_the_next_model_answers_when_one_fails(place, spool):
    client = place({"when": {"model": "demo-1"}, "error": {"status": 400, "message": "no"}},
                   REPORT, {"when": {"model": "demo-2"}, **plan(done=True, finalSummary="x")})
    done = client.agent("What?", "--run", "r1", "--model", "demo/demo-1,demo/demo-2", "--json")
    assert done.returncode == 0, done.stderr
    assert result_of(done)["model"] == "demo/demo-2"
    assert "r1.1.plan.m2" in spool.requests()


def test_list_show_steer_and_cancel(place, scenario, spool):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, plan(done=True, finalSummary="x")))
    arguments = ("Make b.txt", "--run", "r1", "--scenario", scenario(), "--json")
    assert client.agent(*arguments).returncode == 6
    runs = result_of(client.agent("list", "--json"))["runs"]
    assert [(r["run"], r["status"]) for r in runs] == [("r1", "parked")]
    assert client.agent("steer", "r1", "Call it c.txt").returncode == 0
    shown = client.agent("show", "r1")
    assert "approval r1.1 is awaited" in shown.stdout and "Call it c.txt" in shown.stdout
    assert client.agent("resume", "r1", "--no-wait", "--json").returncode == 0
    assert "Call it c.txt" in spool.request("r1.2.plan").read_text()
    assert client.agent("cancel", "r1").returncode == 2, "it has ended"


def test_a_parked_run_can_be_cancelled(place, scenario):
    create = ("file.create", {"path": "b.txt", "content": "new\n"})
    client = place(turn(1, plan(create)))
    assert client.agent("Make b.txt", "--run", "r1", "--scenario", scenario()).returncode == 6
    assert client.agent("cancel", "r1").returncode == 0
    done = client.agent("resume", "r1", "--json")
    assert done.returncode == 1 and result_of(done)["status"] == "cancelled"


def test_a_killed_client_goes_on(place, spool):
    client = place(REPORT, {"when": {"turn": 1, "any": "Goal: "}, "delay_ms": 300,
                            **plan(read("a.txt"))},
                   turn(2, plan(done=True, finalSummary="x")))
    process = client.start("agent", "What?", "--run", "r1", "--durability", "none")
    wait_until(lambda: "r1.1.plan" in spool.requests(), "the plan is asked for")
    process.kill()
    process.wait()
    done = client.agent("resume", "r1", "--json")
    assert done.returncode == 0, done.stderr
    assert result_of(done)["status"] == "done"


def test_a_thread_has_one_run_at_a_time(place, spool):
    client = place({"delay_ms": 3000, **plan(done=True, finalSummary="x")})
    process = client.start("agent", "What?", "--run", "r1", "--durability", "none")
    try:
        wait_until(lambda: "r1.1.plan" in spool.requests(), "the first one goes on")
        done = client.agent("And?", "--run", "r2", "--json")
        assert done.returncode == 75 and "r1" in done.stderr
    finally:
        process.kill()
        process.wait()


def test_figures_count_what_was_so(place, scenario, spool):
    """A write that was refused is none, the model is the one that answered, a cost that nobody
    knows is no zero."""
    taken = ("file.create", {"path": "a.txt", "content": "x\n"})
    made = ("file.create", {"path": "b.txt", "content": "x\n"})
    client = place(REPORT, turn(1, plan(taken)), turn(2, plan(made)),
                   turn(3, plan(done=True, finalSummary="x")))
    allowing = scenario(policy={"rules": [{"tool": "file.create", "decision": "allow"}]})
    done = client.agent("Make", "--run", "r1", "--scenario", allowing, "--json")
    result = result_of(done)
    assert (result["calls"], result["writes"], result["files_changed"]) == (2, 1, ["b.txt"])
    assert result["model"] == "demo/demo-1" and result["cost"] is None
    assert read_json(spool.request("r1.result"))["metadata"]["model"] == "demo-1"
    # A budget counts the same.
    (client.work / "b.txt").unlink()
    done = client.agent("Make", "--run", "r2", "--thread", "other", "--scenario", allowing,
                        "--max-writes", "1", "--json")
    assert done.returncode == 0 and result_of(done)["writes"] == 1, done.stdout
    tasks = write_lines(client.folder / "tasks.jsonl", [{"id": "t", "goal": "x"}])
    batch = client.agent("batch", tasks, "--json", "--no-wait")
    assert result_of(batch)["cost"] is None


def test_a_goal_that_says_nothing_is_refused(place, spool):
    client = place(plan(done=True, finalSummary="x"))
    for goal in ("", " \n"):
        done = client.agent(goal, "--run", "r1")
        assert done.returncode == 2 and "empty" in done.stderr
    assert not list(spool.root.glob("threads/*.jsonl"))
