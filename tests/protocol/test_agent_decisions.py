# SPDX-License-Identifier: MIT
"""Decisions on what a run wants to do: who decides, for how long it holds, and which ones do not
count. Scopes, races, forgeries, and interrupts of a run."""

import hashlib
import json
import os
import signal
import subprocess

import pytest

from agent_decisions import approve_all, decide, key_of, signed
from agent_place import REPORT, place, plan, result_of, scenario, turn  # noqa: F401
from harness import TOP, read_json, wait_until
from pages import blocks


def create(path):
    return ("file.create", {"path": path, "content": "new\n"})


def edit(path, text, old, new):
    """Of a file that has this text."""
    return ("file.edit", {"path": path, "edits": [{"old": old, "new": new}],
                          "base_sha256": hashlib.sha256(text.encode()).hexdigest()})


DONE = plan(done=True, finalSummary="x")


class Approvals:
    """What lies below approvals/."""

    def __init__(self, client):
        self.root = client.spool.root / "approvals"

    def request(self, name):
        return read_json(self.root / f"requests/{name}.json")

    def decision(self, name):
        return read_json(self.root / f"responses/{name}.json")

    def put(self, name, text):
        (self.root / f"responses/{name}.json").write_text(text)

    def refused(self):
        """Reasons by the id of the approval."""
        found = {}
        for path in sorted((self.root / "refused").glob("*.reason.json")):
            why = read_json(path)
            found.setdefault(why["id"], []).append(why["reason"])
        return found


@pytest.fixture
def waiting(place, scenario):
    """A run r1 that waits for a decision on b.txt."""
    client = place(REPORT, turn(1, plan(create("b.txt"))), turn(2, DONE))
    client.goal = ("Make b.txt", "--run", "r1", "--scenario", scenario(), "--json")
    assert client.agent(*client.goal).returncode == 6
    client.approvals = Approvals(client)
    client.made = client.work / "b.txt"
    return client


def good_decision(client, name="r1.1", **members):
    """The text of a decision that would count."""
    file = decide(client.spool, name, [{"n": 1, "approved": True}], **members)
    (client.approvals.root / f"responses/{name}.json").unlink()
    return file


def altered(client):
    file = decide(client.spool, "r1.1", [{"n": 1, "approved": False}])
    (client.approvals.root / "responses/r1.1.json").unlink()
    file["approved"] = file["calls"][0]["approved"] = True
    return file


def unsigned(client):
    file = good_decision(client)
    del file["signature"]
    return file


def for_another_bundle(client):
    file = good_decision(client, digest="sha256:" + 64 * "0")
    return file


def of_another_approval(client):
    """A signed decision that counted once: replayed under another name."""
    other = {**client.approvals.request("r1.1"), "id": "r0.1"}
    file = {key: other[key] for key in ("id", "digest", "policyDigest")}
    file |= {"approved": True, "scope": "once", "source": "cli", "by": "a test",
             "decidedAt": other["createdAt"], "calls": [{"n": 1, "approved": True}]}
    return signed(file, key_of(client.spool))


def too_late(client):
    return good_decision(client, decidedAt="2040-01-01T00:00:00Z")


def too_early(client):
    return good_decision(client, decidedAt="2020-01-01T00:00:00Z")


def under_another_policy(client):
    return good_decision(client, policyDigest="sha256:" + 64 * "0")


def with_more_hunks(client):
    file = good_decision(client)
    del file["signature"]
    file["calls"][0]["hunks"] = ["ffff"]
    return signed(file, key_of(client.spool))


@pytest.mark.core
@pytest.mark.parametrize("forge, word", [
    (unsigned, "signature"), (altered, "signature"), (for_another_bundle, "another bundle"),
    (of_another_approval, "r0.1"), (too_late, "came after"), (with_more_hunks, "hunk"),
    (too_early, "before the approval was asked"), (under_another_policy, "another policy")])
def test_a_decision_that_does_not_hold_is_refused_and_the_run_waits_on(waiting, forge, word):
    waiting.approvals.put("r1.1", json.dumps(forge(waiting)))
    again = waiting.agent(*waiting.goal)
    assert again.returncode == 6, again.stdout + again.stderr
    assert not waiting.made.exists()
    assert word in again.stderr and word in waiting.approvals.refused()["r1.1"][0]
    assert waiting.approvals.decision("r1.1") is None
    # A real one still counts.
    approve_all(waiting.spool, "r1.1")
    assert waiting.agent(*waiting.goal).returncode == 0
    assert waiting.made.read_text() == "new\n"


def test_the_program_of_the_page_decides_where_nobody_has_decided_before(waiting):
    page = (TOP / "docs/approvals.md").read_text(encoding="utf-8")
    source, = [block.text for block in blocks(page) if "def decide" in block.text]
    names = {}
    exec(source, names)  # pylint: disable=exec-used
    names["decide"](waiting.spool.root, waiting.approvals.request("r1.1"), True, "program")
    done = waiting.agent(*waiting.goal)
    assert done.returncode == 0, done.stderr
    assert waiting.made.read_text() == "new\n"


def test_a_request_that_was_altered_is_shown_as_such_and_cannot_be_approved(waiting):
    path = waiting.approvals.root / "requests/r1.1.json"
    request = read_json(path)
    request["calls"][0] |= {"toolId": "file.delete", "displayName": "file.delete"}
    del request["digest"]
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    request["digest"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(request))
    shown = waiting.ours("approvals")
    assert shown.returncode == 0 and "altered: it is not what run r1 asked for" in shown.stdout
    listed, = json.loads(waiting.ours("approvals", "--json").stdout)["approvals"]
    assert "altered" in listed["problem"]
    refused = waiting.ours("approve", "r1.1")
    assert refused.returncode == 2 and "altered" in refused.stderr
    assert not (waiting.approvals.root / "responses/r1.1.json").exists()


def test_what_a_person_altered_is_said_wherever_it_is_shown(waiting):
    args = json.dumps({"path": "b.txt", "content": "other\n"})
    done = waiting.ours("approve", "r1.1", "--args", args)
    assert "r1.1 is approved, with altered arguments." in done.stdout, done.stderr
    assert "approved, with altered arguments by ada" in waiting.ours("approvals", "--all").stdout
    assert waiting.agent(*waiting.goal).returncode == 0
    assert waiting.made.read_text() == "other\n"
    shown = waiting.agent("show", "r1").stdout
    assert 'call 1 approved with altered arguments: {"content":"other\\n"' in shown, shown


def test_a_decision_of_another_run_decides_nothing_here(waiting, scenario):
    """The file itself is copied, with its signature, from an approval that asks for the same."""
    second = ("Make b.txt", "--run", "r2", "--thread", "other", "--scenario", scenario(), "--json")
    assert waiting.agent(*second).returncode == 6
    good = decide(waiting.spool, "r1.1", [{"n": 1, "approved": True}])
    waiting.approvals.put("r2.1", json.dumps(good))
    assert waiting.agent(*second).returncode == 6
    assert "r1.1" in waiting.approvals.refused()["r2.1"][0]
    assert not waiting.made.exists()


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("what", ["policy", "scenario"])
def test_what_was_asked_under_another_policy_or_scenario_is_asked_afresh(waiting, scenario, what,
                                                                         decided):
    if decided:
        approve_all(waiting.spool, "r1.1")
    if what == "policy":
        scenario(policy={"rules": [{"tool": "file.delete", "decision": "deny"}]})
    else:
        scenario(instructions="You are bold.")
    again = waiting.agent(*waiting.goal)
    assert again.returncode == 6 and result_of(again)["approval"] == "r1.1-2", again.stderr
    assert not waiting.made.exists()
    # Nobody is asked for the old one any more, and a decision on it is set aside.
    assert waiting.approvals.request("r1.1") is None
    assert waiting.approvals.decision("r1.1") is None
    assert ("r1.1" in waiting.approvals.refused()) == decided
    listed = json.loads(waiting.ours("approvals", "--json").stdout)["approvals"]
    assert [one["id"] for one in listed] == ["r1.1-2"]
    assert waiting.ours("approve", "r1.1").returncode == 2
    approve_all(waiting.spool, "r1.1-2")
    assert waiting.agent(*waiting.goal).returncode == 0
    assert waiting.made.exists()


def test_a_decision_under_a_policy_that_denies_by_now_is_set_aside(waiting, scenario):
    """Nothing is asked afresh then."""
    approve_all(waiting.spool, "r1.1")
    scenario(policy={"rules": [{"tool": "file.create", "decision": "deny"}]})
    again = waiting.agent(*waiting.goal)
    assert again.returncode == 0 and not waiting.made.exists(), again.stderr
    assert "policy" in waiting.approvals.refused()["r1.1"][0]
    assert json.loads(waiting.ours("approvals", "--all", "--json").stdout)["approvals"] == []


def test_of_people_who_decide_at_once_one_counts_and_the_others_are_told_which(waiting):
    rounds = 12
    for number in range(2, rounds + 2):
        run = f"r{number}"
        goal = ("Make b.txt", "--run", run, "--thread", run, *waiting.goal[3:])
        assert waiting.agent(*goal).returncode == 6
        children = {}
        for who in ("ada", "bob", "cy"):
            verb = "deny" if who == "bob" else "approve"
            children[who] = subprocess.Popen(
                waiting.command(verb, f"{run}.1", "--by", who, "--reason", f"{who} says so"),
                env={**os.environ, **waiting.environment}, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        told = {who: (child.communicate(timeout=60), child.returncode)
                for who, child in children.items()}
        winners = [who for who, (_, code) in told.items() if code == 0]
        assert len(winners) == 1, told
        decision = waiting.approvals.decision(f"{run}.1")
        assert decision["by"] == winners[0]
        for who, ((_, errors), code) in told.items():
            if who != winners[0]:
                assert code == 2 and f"by {winners[0]}" in errors and "says so" in errors, errors
        done = waiting.agent(*goal)
        assert done.returncode == 0, done.stderr
        assert waiting.made.exists() == (winners[0] != "bob")
        waiting.made.unlink(missing_ok=True)
    assert not waiting.approvals.refused()


# Scopes.

A = "one\ntwo\n"  # The text of a.txt.
COUNTS = [turn(1, plan(edit("a.txt", A, "one", "1"))), turn(2, DONE)]


def test_a_decision_for_the_run_holds_in_this_run_and_for_what_was_shown(place, scenario):
    client = place(REPORT, turn(1, plan(edit("a.txt", A, "one", "1"))),
                   turn(2, plan(edit("a.txt", "1\ntwo\n", "two", "2"))),
                   turn(3, plan(edit("b.txt", "x\n", "x", "y"))), turn(4, DONE))
    (client.work / "b.txt").write_text("x\n")
    goal = ("Count", "--run", "r1", "--scenario", scenario(), "--json")
    assert client.agent(*goal).returncode == 6
    assert client.ours("approve", "r1.1", "--scope", "run").returncode == 0
    waits = client.agent(*goal)
    assert waits.returncode == 6 and result_of(waits)["approval"] == "r1.3", waits.stderr
    assert (client.work / "a.txt").read_text() == "1\n2\n"
    assert (client.work / "b.txt").read_text() == "x\n"
    # Another run of the thread asks.
    (client.work / "a.txt").write_text(A)
    client.agent("cancel", "r1")
    other = client.agent("Count", "--run", "r2", "--scenario", scenario(), "--json")
    assert other.returncode == 6 and result_of(other)["approval"] == "r2.1"


def test_a_decision_for_the_thread_holds_in_its_later_runs(place, scenario):
    client = place(REPORT, *COUNTS)
    goal = ("Count", "--scenario", scenario(), "--json", "--run")
    assert client.agent(*goal, "r1").returncode == 6
    assert client.ours("approve", "r1.1", "--scope", "thread").returncode == 0
    assert client.agent(*goal, "r1").returncode == 0
    for run in ("r2", "r3"):
        (client.work / "a.txt").write_text(A)
        done = client.agent(*goal, run)
        assert done.returncode == 0, done.stderr
        assert (client.work / "a.txt").read_text() == "1\ntwo\n"
    (client.work / "a.txt").write_text(A)
    waits = client.agent(*goal, "r4", "--thread", "other")
    assert waits.returncode == 6 and (client.work / "a.txt").read_text() == A


def test_a_decision_for_the_thread_holds_however_long_the_thread_is(place, scenario):
    client = place(REPORT, *COUNTS)
    goal = ("Count", "--scenario", scenario(), "--json", "--run")
    assert client.agent(*goal, "r1").returncode == 6
    assert client.ours("approve", "r1.1", "--scope", "thread").returncode == 0
    assert client.agent(*goal, "r1").returncode == 0
    # More records than a run reads of what was before it.
    for number in range(2, 24):
        (client.work / "a.txt").write_text(A)
        done = client.agent(*goal, f"r{number}")
        assert done.returncode == 0, f"run {number}: {done.stderr}"


def test_a_decision_for_the_project_holds_for_that_directory(place, scenario, folder):
    client = place(REPORT, *COUNTS)
    goal = ("Count", "--scenario", scenario(), "--json", "--run")
    assert client.agent(*goal, "r1").returncode == 6
    stored = client.ours("approve", "r1.1", "--scope", "project")
    assert stored.returncode == 0 and "Stored in" in stored.stderr
    assert client.agent(*goal, "r1").returncode == 0
    (client.work / "a.txt").write_text(A)
    done = client.agent(*goal, "r2", "--thread", "other")
    assert done.returncode == 0, done.stderr
    assert (client.work / "a.txt").read_text() == "1\ntwo\n"
    # What was stored for this directory says nothing of another one.
    files = list((folder / "config/filecall/policy.d").iterdir())
    assert len(files) == 1
    # What doctor reads are the rules of the worker's directory, wherever it is started itself.
    whole = files[0].read_text()
    files[0].write_text("rules: [{tool: 3}]\n")
    damaged = subprocess.run(client.command("doctor"), env={**os.environ, **client.environment},
                             cwd="/", capture_output=True, text=True, timeout=60, check=False)
    assert damaged.returncode == 1 and str(files[0]) in damaged.stdout, damaged.stdout
    files[0].write_text(whole)
    files[0].rename(files[0].with_name("0" * 32 + ".yaml"))
    (client.work / "a.txt").write_text(A)
    assert client.agent(*goal, "r3", "--thread", "third").returncode == 6


# Interrupts.

def words(log):
    return log.read_text(errors="replace")


@pytest.fixture
def slow(place, scenario, folder):
    """A run whose model takes its time with the first plan."""
    client = place(REPORT, {"when": {"turn": 1, "any": "Goal: "}, "delay_ms": 1500,
                            **plan(("file.list", {}))}, turn(2, DONE))
    client.goal = ("Look", "--run", "r1", "--scenario", scenario())
    process = client.begin(*client.goal)
    wait_until(lambda: client.spool.status()["counts"]["executing"], "the model is asked")
    process.said = lambda: "".join(words(log) for log in sorted(folder.glob("client-*.log")))
    yield client, process
    if process.poll() is None:
        process.kill()
        process.wait()


def test_an_interrupt_parks_a_run_and_says_how_to_go_on(slow):
    client, process = slow
    process.send_signal(signal.SIGINT)
    wait_until(lambda: "waiting for 1 request" in process.said(), "the wait is said")
    assert process.wait(30) == 130, process.said()
    assert "filecall agent resume r1" in process.said()
    assert "parked" in client.agent("list").stdout
    done = client.agent("resume", "r1", "--json")
    assert done.returncode == 0 and result_of(done)["status"] == "done", done.stderr
    # What was answered meanwhile was not asked again.
    assert not client.spool.request("r1.1.plan-2").exists()


def test_a_second_interrupt_cancels_it(slow):
    client, process = slow
    process.send_signal(signal.SIGINT)
    wait_until(lambda: "waiting for 1 request" in process.said(), "the wait is said")
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130, process.said()
    shown = json.loads(client.agent("show", "r1", "--json").stdout)
    assert shown["status"] == "cancelled", process.said()
    assert client.agent("resume", "r1").returncode == 1
    assert "resume" not in process.said(), "a cancelled run cannot go on"


def test_an_interrupt_parks_a_run_that_waits_for_a_decision(place, scenario, folder):
    client = place(REPORT, turn(1, plan(create("b.txt"))), turn(2, DONE))
    process = client.begin("Make", "--run", "r1", "--scenario", scenario(), "--wait", "1h")
    wait_until(lambda: (client.spool.root / "approvals/requests/r1.1.json").exists(), "it waits")
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    approve_all(client.spool, "r1.1")
    assert client.agent("resume", "r1").returncode == 0
    assert (client.work / "b.txt").exists()
