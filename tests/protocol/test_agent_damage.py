# SPDX-License-Identifier: MIT
"""Runs of `filecall agent` whose records, or the notes of where they are, were damaged or taken
away: nothing follows from a hole, no figure counts as whole, nothing is left out without a word."""

import json

import pytest

from agent_decisions import approve_all
from agent_place import REPORT, place, plan, read, result_of, scenario, turn  # noqa: F401

DONE = plan(done=True, finalSummary="It has two lines.")


def create(*names):
    return plan(*(("file.create", {"path": name, "content": "x\n"}) for name in names))


def lose(file, is_it, changes=False):
    """Takes the lines away that are it, or changes a byte of each. The number of them."""
    lines = file.read_bytes().splitlines(keepends=True)
    kept, lost = [], 0
    for line in lines:
        hit = is_it(json.loads(line))
        lost += hit
        if hit and changes:
            line = line.replace(b'"at":"2', b'"at":"3', 1)
        if not hit or changes:
            kept.append(line)
    file.write_bytes(b"".join(kept))
    return lost


def of_type(kind, number=0):
    def is_it(record):
        return record["type"] == kind and number in (0, record["data"].get("n"))
    return is_it


@pytest.fixture
def parked(place, scenario, spool):
    """A run g that has made two calls and waits with a third one."""
    client = place(REPORT, turn(1, create("w1.txt", "w2.txt")), turn(2, create("w3.txt")),
                   turn(3, DONE))
    client.file = spool.root / "threads/g.jsonl"
    options = ("--run", "g", "--thread", "g", "--scenario", scenario())
    assert client.agent("Make", *options).returncode == 6
    approve_all(spool, "g.1")
    assert client.agent("resume", "g").returncode == 6
    return client


@pytest.mark.parametrize("changes", [False, True], ids=["missing", "changed"])
@pytest.mark.parametrize("is_it", [
    of_type("call.ended", 1), of_type("call.begun", 1), of_type("plan.asked"),
    of_type("plan.answered"), of_type("approval.asked"), of_type("approval.decided"),
    of_type("run.resumed"),
], ids=["ended", "begun", "asked", "answered", "approval", "decided", "resumed"])
def test_a_run_with_a_damaged_record_ends_and_says_so(parked, spool, is_it, changes):
    assert lose(parked.file, is_it, changes) > 0
    before = spool.requests()
    done = parked.agent("resume", "g", "--json")
    assert done.returncode == 1, done.stderr
    result = result_of(done)
    assert result["status"] == "failed" and result["reason"].startswith("data_loss: ")
    assert "threads/g.jsonl" in result["reason"]
    assert result["records_complete"] is False and "g.jsonl" in result["records_damage"]
    assert result["files_changed_known"] is False and result["cost"] is None
    assert spool.requests() - before == {"g.result"}, "nothing was called"
    assert not (parked.work / "w3.txt").exists()
    graded = spool.response("g.result")["data"]
    assert graded["records_complete"] is False
    assert not list((spool.root / "approvals/requests").glob("g.2.json")), "nobody need decide"
    assert result_of(parked.agent("show", "g", "--json"))["records_complete"] is False
    again = parked.agent("resume", "g")
    assert again.returncode == 1 and "records are damaged" in again.stdout, again.stdout


def test_a_damaged_plan_that_waits_is_no_hang(place, scenario, spool):
    client = place(REPORT, turn(1, create("w1.txt")), turn(2, DONE))
    options = ("--run", "g", "--thread", "g", "--scenario", scenario())
    assert client.agent("Make", *options).returncode == 6
    lose(spool.root / "threads/g.jsonl", of_type("plan.answered"))
    approved = client.ours("approve", "g.1")
    assert approved.returncode != 0 and "cannot go on" in approved.stderr, approved.stderr
    approve_all(spool, "g.1")
    assert client.agent("resume", "g").returncode == 1
    assert not (client.work / "w1.txt").exists()


def test_what_is_damaged_outside_of_a_run_does_not_end_it(place, scenario, spool):
    client = place(REPORT, turn(1, create("w1.txt")), turn(2, DONE), DONE)
    assert client.agent("What?", "--run", "a", "--thread", "t").returncode == 0
    assert client.agent("Make", "--run", "g", "--thread", "t", "--scenario",
                        scenario()).returncode == 6
    lose(spool.root / "threads/t.jsonl",
         lambda record: record["run"] == "a" and record["type"] == "plan.answered"
         if "run" in record else False)
    shown = result_of(client.agent("show", "a", "--json"))
    assert shown["status"] == "done" and shown["records_complete"] is False
    assert "records_complete" not in result_of(client.agent("show", "g", "--json"))
    approve_all(spool, "g.1")
    done = client.agent("resume", "g", "--json")
    assert done.returncode == 0 and "records_complete" not in result_of(done), done.stderr


def test_a_run_that_ended_on_a_budget_does_not_go_on_from_a_hole(place, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    assert client.agent("What?", "--run", "g", "--thread", "g", "--max-steps", "1").returncode == 5
    lose(spool.root / "threads/g.jsonl", of_type("call.ended"))
    again = client.agent("resume", "g", "--max-steps", "5")
    assert again.returncode == 5 and "it stays ended" in again.stderr, again.stderr


def test_a_run_without_its_beginning_says_what_is_wrong(parked, spool):
    lose(parked.file, of_type("run.begun"))
    for words in (("resume", "g"), ("Make", "--run", "g", "--thread", "g")):
        done = parked.agent(*words)
        assert done.returncode != 0 and "of its beginning is damaged" in done.stderr, done.stderr
    assert "of its beginning is damaged" in parked.ours("approve", "g.2").stderr
    listed = parked.agent("list", "--json")
    assert listed.returncode == 1 and "g.jsonl" in listed.stderr
    [run] = result_of(listed)["runs"]
    assert (run["run"], run["status"]) == ("g", "damaged") and run["records_complete"] is False


@pytest.mark.parametrize("harm", [
    lambda file: file.unlink(), lambda file: file.write_bytes(b""),
    lambda file: (file.unlink(), file.mkdir()),
    lambda file: (file.rename(file.with_suffix(".away")), file.symlink_to("g.away")),
], ids=["gone", "empty", "directory", "link"])
def test_a_list_names_what_it_cannot_read(parked, spool, harm):
    assert parked.agent("What?", "--run", "other", "--thread", "o").returncode in (0, 1, 5)
    harm(parked.file)
    listed = parked.agent("list", "--json")
    assert listed.returncode == 1 and "g.jsonl" in listed.stderr, listed.stderr
    said = result_of(listed)
    runs = {run["run"]: run["status"] for run in said["runs"]}
    assert runs["g"] == "damaged" and runs["other"] != "damaged", runs
    assert any("g.jsonl" in text for text in said["unreadable"])
    begun = parked.agent("Make", "--run", "g", "--thread", "g")
    assert begun.returncode != 0 and "g.jsonl" in begun.stderr, begun.stderr


def test_a_list_names_a_goal_that_is_gone_and_lists_the_rest(place, spool):
    client = place(REPORT, turn(1, DONE), DONE)
    assert client.agent("x" * 70_000, "--run", "l", "--thread", "l").returncode == 0
    assert client.agent("What?", "--run", "o", "--thread", "o").returncode == 0
    for path in (spool.root / "threads/data").iterdir():
        path.unlink()
    listed = client.agent("list", "--json")
    assert listed.returncode == 1 and "threads/data/" in listed.stderr
    assert {run["run"] for run in result_of(listed)["runs"]} == {"l", "o"}
    assert client.agent("resume", "l").returncode != 0


def test_a_list_of_no_root_is_an_error(place, folder):
    client = place(DONE)
    done = client.agent("list", "--root", str(folder / "none"))
    assert done.returncode == 2 and "none" in done.stderr, done.stderr


def test_of_two_that_begin_a_run_in_two_threads_one_does(place):
    """Both did, and the second one carried out what the model had planned for the first."""
    client = place(DONE)
    for n in range(8):
        both = [client.begin(f"Goal {t}", "--run", f"r{n}", "--thread", f"{t}{n}") for t in "ab"]
        ends = sorted(process.wait(30) for process in both)
        assert ends[0] == 0 and ends[1] != 0, (n, ends)
    runs = [run["run"] for run in result_of(client.agent("list", "--json"))["runs"]]
    assert sorted(runs) == [f"r{n}" for n in range(8)]


@pytest.mark.parametrize("same", [True, False])
def test_of_two_that_begin_a_run_in_one_thread_one_does(place, spool, same):
    """The second one waited for the thread, and began the run again when the first had ended."""
    client = place(DONE)
    for n in range(8):
        goals = ["Goal", "Goal" if same else "Another goal"]
        both = [client.begin(goal, "--run", f"r{n}", "--thread", f"t{n}") for goal in goals]
        ends = sorted(process.wait(30) for process in both)
        assert ends[0] == 0 and (same or ends[1] != 0), (n, ends)
        assert (spool.root / f"threads/t{n}.jsonl").read_text().count('"run.begun"') == 1, n


def test_a_run_is_found_without_its_note(parked, spool):
    for note in (spool.root / "threads/runs").iterdir():
        note.unlink()
    assert result_of(parked.agent("show", "g", "--json"))["status"] == "parked"
    other = parked.agent("Make", "--run", "g", "--thread", "elsewhere")
    assert other.returncode != 0 and "it is in the thread g" in other.stderr, other.stderr
    approve_all(spool, "g.2")
    done = parked.agent("resume", "g")
    assert done.returncode == 0, done.stderr
    assert (spool.root / "threads/runs/g.json").exists(), "it is written again"
    assert (parked.work / "w3.txt").exists()
