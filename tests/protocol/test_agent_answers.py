# SPDX-License-Identifier: MIT
"""What a model answers beside the plan that was asked for, and what its user sees then: each line
of what users of earlier planners ran into, from the answer to the text on the screen."""

import json
import os
import subprocess

import pytest

from agent_decisions import approve_all
from agent_place import REPORT, place, plan, read, result_of, scenario, turn  # noqa: F401
from harness import read_json

READS = json.dumps({"commentary": "look", "done": False,
                    "actions": [{"tool": "file.read", "args": {"files": ["a.txt"]}}]})
LISTS = json.dumps({"actions": [{"tool": "file.list", "args": {}}], "done": False})
DONE = plan(done=True, finalSummary="Two lines.")

# What was written -> what the person reads of how it was taken; None: nothing, it is in order.
TAKEN = {
    "a trailing comma": (READS[:-1] + ",}", "a trailing comma was accepted"),
    "names without quotes": ('{actions: [{tool: "file.read", args: {files: ["a.txt"]}}], '
                             "done: false}", "a name without quotes was accepted"),
    "a comment": ("{ // look first\n" + READS[1:], "a comment was accepted"),
    "a fence": (f"```json\n{READS}\n```", None),
    "a fence and prose": (f"Here:\n```json\n{READS}\n```\nDone.",
                          "text around the object passed over"),
    "prose": (f"Sure, here is the plan:\n{READS}\nI hope this helps.",
              "text around the object passed over"),
    "an object that is no plan": (f'For {{"kind": "Pod"}} I plan {READS}',
                                  "1 other object of the answer passed over"),
    "the same plan twice": (f"{READS}\n{READS}", "1 other object of the answer passed over"),
    "braces in a text": (READS.replace('"look"', '"} { \\" }"'), None),
    "a brace in prose": (f"I use {{ and }} as signs.\n{READS}", "text around"),
    "toolCalls for actions": (READS.replace("actions", "toolCalls"), None),
}


@pytest.mark.parametrize("answer, note", TAKEN.values(), ids=TAKEN)
def test_an_answer_that_can_be_read_is_a_plan(place, spool, answer, note):
    client = place(REPORT, turn(1, {"reply": answer}), turn(2, DONE))
    done = client.agent("What is in a.txt?", "--run", "r1", "--json")
    assert done.returncode == 0, done.stderr
    # One call of the model a step: nothing had to be corrected.
    assert "r1.1.plan-2" not in spool.requests() and "r1.1.1" in spool.requests()
    assert spool.response("r1.1.1")["data"]["files"][0]["text"] == "one\ntwo\n"
    # The person sees how it was taken, while it runs and afterwards.
    shown = client.agent("show", "r1").stdout
    if note is None:
        assert "note:" not in shown + done.stderr
    else:
        assert note in done.stderr and note in shown


# What was written -> what model and person are shown: the place and the rule.
REFUSED = {
    "an element without a comma": ('{"actions": [{"tool": "file.read"} {"tool": "file.list"}], '
                                   '"done": false}', "expected ',' or ']' after an element"),
    "single quotes": ("{'actions': [], 'done': true}", "double quotes"),
    "two plans that differ": (f"{READS}\n{LISTS}", "a second plan, which differs"),
    "an answer that was cut off": (READS[:50], "the answer ends where"),
    "a plan and one that was cut off": (f'{READS}\n{{"actions": [{{"tool":', "line 2"),
    "no JSON": ("I would read the file first.", "write exactly one"),
    "an empty answer": (" ", "line 1, column 1"),
    "JSON that is no plan": ('{"answer": 42}', "no object of the answer is a plan"),
    "an empty plan that is not done": ('{"actions": [], "commentary": "hm", "done": false}',
                                       "set done to true"),
    "no actions at all": ('{"commentary": "I think"}', "name at least one action"),
    "an unknown tool": (READS.replace("file.read", "shell.run"), "shell.run"),
    "a name that is there twice": ('{"done": false, "done": true}', "second member"),
    "more nesting than anything needs": ('{"actions": ' + "[" * 5000, "nested deeper"),
}


@pytest.mark.parametrize("answer, said", REFUSED.values(), ids=REFUSED)
def test_an_answer_that_cannot_is_corrected_and_the_person_sees_why(place, spool, answer, said):
    client = place(REPORT, {"when": {"request": r"r1\.1\.plan$"}, "reply": answer},
                   {"when": {"request": r"r1\.1\.plan-2$"}, "reply": READS}, turn(3, DONE), DONE)
    done = client.agent("What is in a.txt?", "--run", "r1", "--json")
    assert done.returncode == 0, done.stderr
    # The model is shown place and rule, once.
    correction = read_json(spool.request("r1.1.plan-2"))["params"]["messages"][-1]
    assert correction["role"] == "user" and said in correction["content"], correction
    assert "r1.1.plan-3" not in spool.requests()
    # The person as well.
    assert "the answer was no plan" in done.stderr and said in done.stderr
    assert said in client.agent("show", "r1").stdout
    assert result_of(done)["calls"] == 1


@pytest.mark.parametrize("answer", ["I think {", "", '{"actions": [], "done": false}', READS[:40]],
                         ids=["prose", "nothing", "an empty plan", "cut off"])
def test_a_model_that_never_answers_with_a_plan_ends_the_run_and_says_so(place, spool, answer):
    client = place({"reply": answer})
    done = client.agent("What?", "--run", "r1", "--json")
    assert done.returncode == 1
    result = result_of(done)
    assert result["status"] == "failed" and result["calls"] == 0
    # Each of the three answers is explained, and the reason names the last.
    assert done.stderr.count("the answer was no plan") == 3, done.stderr
    assert "plan" in result["reason"]
    assert "r1.1.plan-4" not in spool.requests() and "r1.report" not in spool.requests()


def test_a_plan_that_calls_and_is_done_runs_its_calls_and_ends_when_none_failed(place, spool):
    def goes(run, path):
        return {"when": {"request": rf"{run}\.1\.plan$"},
                **plan(read(path), done=True, finalSummary="Read.")}
    client = place(REPORT, goes("r1", "a.txt"), goes("r2", "none.txt"), DONE)
    done = client.agent("Read it", "--run", "r1", "--json")
    assert done.returncode == 0 and result_of(done)["steps"] == 1, done.stderr
    done = client.agent("Read none", "--run", "r2", "--thread", "other", "--json")
    assert done.returncode == 0 and result_of(done)["steps"] == 2, done.stderr
    assert "not_found" in spool.request("r2.2.plan").read_text()


def test_a_loop_of_one_step_is_named_before_it_ends_the_run(place, spool):
    client = place({"when": {"any": "Goal: "}, **plan(read("a.txt"))})
    done = client.agent("What?", "--run", "r1", "--json")
    assert done.returncode == 5 and result_of(done)["status"] == "loop"
    assert "no progress" in done.stderr
    # The model was warned, and the reason is in the result.
    assert "Note: " in spool.request("r1.4.plan").read_text()
    assert result_of(done)["reason"]


def test_a_loop_of_two_steps_ends_the_run(place):
    lines = [{"when": {"request": rf"\.{n}\.plan$"},
              **plan(read("a.txt" if n % 2 else "b.txt"))} for n in range(1, 60)]
    client = place(REPORT, *lines)
    (client.work / "b.txt").write_text("b\n")
    done = client.agent("What?", "--run", "r1", "--json")
    assert done.returncode == 5 and result_of(done)["status"] == "loop", done.stderr
    assert result_of(done)["steps"] < 40


def test_a_scenario_says_how_long_a_commentary_is(place, scenario, spool):
    long = {"reply": json.dumps({"commentary": "ä" * 300, "actions": [
        {"tool": "file.read", "args": {"files": ["a.txt"]}}], "done": False})}
    client = place(REPORT, turn(1, long), turn(2, DONE))
    done = client.agent("What?", "--run", "r1", "--scenario", scenario(commentary=40), "--json")
    assert done.returncode == 0, done.stderr
    assert "at most 40 characters" in spool.request("r1.1.plan").read_text()
    shown = client.agent("show", "r1").stdout
    assert "ä" * 40 in shown and "ä" * 41 not in shown
    assert "the commentary was cut to 40 characters" in shown


# A troubleshooting matrix: the symptom, and what is said here.

def test_an_edit_outside_the_roots_is_refused_with_the_roots_named(place, scenario, spool, folder):
    create = ("file.create", {"path": str(folder / "outside.txt"), "content": "x\n"})
    client = place(REPORT, turn(1, plan(create)), turn(2, DONE))
    goal = ("Make it", "--run", "r1", "--scenario", scenario(), "--json")
    waits = client.agent(*goal)
    if waits.returncode == 6:
        approve_all(spool, "r1.1")
        waits = client.agent(*goal)
    assert waits.returncode == 0, waits.stderr
    assert not (folder / "outside.txt").exists()
    told = spool.request("r1.2.plan").read_text()
    assert "file.writable" in told or "roots" in told, told
    assert result_of(waits)["files_changed"] == []


def test_a_file_that_was_saved_meanwhile_is_not_overwritten(place, scenario, spool):
    edit = ("file.edit", {"path": "a.txt", "edits": [{"old": "one", "new": "1"}],
                          "base_sha256": 64 * "0"})
    client = place(REPORT, turn(1, plan(edit)), turn(2, DONE))
    goal = ("Edit it", "--run", "r1", "--scenario", scenario(), "--json")
    if client.agent(*goal).returncode == 6:
        approve_all(spool, "r1.1")
    done = client.agent(*goal)
    assert done.returncode == 0, done.stderr
    assert (client.work / "a.txt").read_text() == "one\ntwo\n"
    assert "failed_precondition" in spool.request("r1.2.plan").read_text()


def test_a_run_without_a_thread_has_the_default_one_and_an_unknown_run_is_named(place):
    client = place(REPORT, turn(1, DONE), DONE)
    assert client.agent("What?", "--run", "r1", "--json").returncode == 0
    listed = json.loads(client.ours("thread", "list", "--json").stdout)["threads"]
    assert [one["id"] for one in listed] == ["default"], listed
    for words in (("resume", "r9"), ("show", "r9"), ("cancel", "r9")):
        missing = client.agent(*words)
        assert missing.returncode != 0 and "r9" in missing.stderr, words


# What holds of a run from its beginning to its end.

EDITS = ("file.create", {"path": "b.txt", "content": "x\n"})
FREE = {"rules": [{"tool": "file.create", "decision": "allow"},
                  {"tool": "tool.run", "argv": [["false", "echo"]], "decision": "allow"}]}


@pytest.mark.parametrize("program, state, code", [("false", "failed", 1), ("echo", "passed", 0)])
def test_what_the_model_calls_done_is_not_when_checks_failed(place, scenario, spool, program,
                                                             state, code):
    client = place(REPORT, turn(1, plan(EDITS, done=True, finalSummary="x")), DONE)
    goal = ("Make it", "--run", "r1", "--json", "--scenario",
            scenario(policy=FREE, checks=[{"argv": [program]}]))
    done = client.agent(*goal)
    while done.returncode == 6:
        approve_all(spool, result_of(done)["approval"])
        done = client.agent(*goal)
    assert done.returncode == code and result_of(done)["checks"] == state, done.stdout
    shown = client.agent("show", "r1").stdout
    assert ("the last checks failed" in shown) == (state == "failed")
    # A failed check is for the model to look at.
    assert ("r1.2.plan" in spool.requests()) == (state == "failed")


def test_a_run_keeps_its_policy_and_its_scenario_wherever_it_goes_on(place, scenario, folder,
                                                                     spool):
    client = place(REPORT, turn(1, plan(EDITS)), turn(2, plan(read("a.txt"))), DONE)
    strict = folder / "strict.yaml"
    strict.write_text(json.dumps({"policy": {"rules": [
        {"tool": "file.read", "where": {"/files/*": "a.txt"}, "decision": "deny",
         "reason": "not this one"}]}}))
    scenario()

    def at(place, *words):
        return subprocess.run(client.command("agent", *words), cwd=place, capture_output=True,
                              env={**os.environ, **client.environment}, text=True, timeout=60,
                              check=False)
    done = at(folder, "Go", "--run", "r1", "--policy", "strict.yaml", "--scenario", "./trial.yaml")
    assert done.returncode == 6, done.stderr
    approve_all(spool, "r1.1")
    done = at("/", "resume", "r1")
    assert done.returncode == 0, done.stderr
    assert "not this one" in done.stdout and "r1.2.1" not in spool.requests()
    strict.unlink()
    missing = at("/", "replay", "r1")
    assert missing.returncode != 0 and "strict.yaml" in missing.stderr


def test_a_run_names_the_rules_that_decide_on_no_call(place, folder):
    client = place(REPORT, DONE)
    policy = folder / "strict.yaml"
    policy.write_text("policy:\n  rules:\n  - {tool: tool.rnu, decision: deny}\n"
                      "  - {tool: file.edit, where: {/file: a.txt}, decision: deny}\n")
    done = client.agent("Go", "--run", "r1", "--policy", policy)
    assert done.returncode == 0, done.stderr
    assert f"{policy}:3: tool: no command of this version is tool.rnu" in done.stderr
    assert "did you mean tool.run" in done.stderr
    assert f"{policy}:4: where: file.edit takes no /file" in done.stderr
    assert "the rule decides on no such call" in done.stderr


def test_the_model_is_given_the_reason_of_an_approval(place, scenario, spool):
    client = place(REPORT, turn(1, plan(EDITS)), DONE)
    goal = ("Make it", "--run", "r1", "--scenario", scenario())
    assert client.agent(*goal).returncode == 6
    assert client.ours("approve", "r1.1", "--reason", "but only this one").returncode == 0
    assert client.agent(*goal).returncode == 0
    assert "The person says: but only this one" in spool.request("r1.2.plan").read_text()


def test_a_rule_that_denies_while_an_approval_waits_says_why(place, scenario, spool):
    client = place(REPORT, turn(1, plan(EDITS)), DONE)
    goal = ("Make it", "--run", "r1", "--scenario", scenario())
    assert client.agent(*goal).returncode == 6
    scenario(policy={"rules": [{"tool": "file.create", "decision": "deny", "reason": "frozen"}]})
    done = client.agent(*goal)
    assert done.returncode == 0 and "denied: frozen" in done.stdout, done.stdout
    assert "frozen" in spool.request("r1.2.plan").read_text()


def test_an_action_without_its_run_is_no_goal(place, spool):
    client = place(DONE)
    for word in ("resume", "show", "cancel", "replay", "undo"):
        done = client.agent(word)
        assert done.returncode == 2 and "needs a run" in done.stderr, done.stderr
    assert not list(spool.root.glob("threads/*.jsonl"))


def test_a_decided_approval_shows_what_was_approved(place, scenario):
    client = place(REPORT, turn(1, plan(EDITS)), DONE)
    assert client.agent("Make it", "--run", "r1", "--scenario", scenario()).returncode == 6
    changed = json.dumps({"path": "q.txt", "content": "changed\n"})
    assert client.ours("approve", "r1.1", "--args", changed).returncode == 0
    shown = client.ours("approvals", "r1.1").stdout
    assert "with other arguments than those above" in shown and "q.txt" in shown


def test_a_report_counts_what_a_run_cost_once(place):
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}
    client = place({"when": {"last": "write the report"}, "reply": {"text": "x", "usage": usage}},
                   {"reply": {"text": DONE["reply"], "usage": usage}}, prices=2)
    done = client.agent("What?", "--run", "r1", "--json")
    assert result_of(done)["cost"] == 4.0, done.stdout
    items = json.loads(client.ours("report", "--mix", "--format", "json").stdout)
    assert json.dumps(items).count('"cost": 4.0') >= 1
    assert '"cost": 8.0' not in json.dumps(items)
