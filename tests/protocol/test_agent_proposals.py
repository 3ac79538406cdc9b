# SPDX-License-Identifier: MIT
"""filecall proposal on what an agent proposes: what was decided is said, and nothing is applied
against it."""

import json

import pytest

from agent_place import REPORT, place, plan, result_of, scenario, turn  # noqa: F401

CHANGE = {"path": "a.txt", "operation": "update", "edits": [{"old": "two", "new": "2"}]}
DONE = plan(done=True, finalSummary="x")


@pytest.fixture
def proposing(place, scenario):
    """A run r1 that waits for a decision on its change of a.txt."""
    client = place(REPORT, turn(1, plan(("file.propose", {"changes": [CHANGE]}))), turn(2, DONE))
    client.goal = ("Change", "--run", "r1", "--scenario", scenario(editing="proposal"))
    assert client.agent(*client.goal).returncode == 6
    client.file = client.work / "a.txt"
    return client


def state(client):
    return result_of(client.ours("proposal", "show", "r1.1.1", "--json"))["state"]


def refusal(client):
    """What a refused `apply` says."""
    before = client.file.read_text()
    refused = client.ours("proposal", "apply", "r1.1.1")
    assert refused.returncode == 2 and client.file.read_text() == before, refused.stderr
    return refused.stderr


def apply_by_path(client):
    """What each refusal of another kind names."""
    path = client.spool.root / "proposals/r1.1.1.json"
    done = client.ours("proposal", "apply", path)
    assert done.returncode == 0 and "2" in client.file.read_text(), done.stderr
    assert state(client) == "applied", "its id says it, too"
    undone = client.ours("proposal", "undo", "r1.1.1")
    assert undone.returncode == 0 and "2" not in client.file.read_text(), undone.stderr


def test_what_waits_is_applied_by_its_run(proposing):
    assert state(proposing) == "waiting"
    assert f"filecall approve r1.1 --root {proposing.spool.root}'" in refusal(proposing)
    assert proposing.ours("approve", "r1.1").returncode == 0
    assert state(proposing) == "approved"
    assert "filecall agent resume r1 --root" in refusal(proposing)
    assert proposing.agent(*proposing.goal).returncode == 0
    assert state(proposing) == "applied" and "2" in proposing.file.read_text()


def test_what_was_denied_is_not_applied(proposing):
    assert proposing.ours("deny", "r1.1", "--reason", "not now").returncode == 0
    assert state(proposing) == "denied"
    assert "not now" in refusal(proposing)
    proposing.agent(*proposing.goal)
    assert state(proposing) == "denied" and "not now" in refusal(proposing)
    apply_by_path(proposing)


def test_what_a_cancelled_run_proposed_is_applied_by_its_path_alone(proposing):
    proposing.agent("cancel", "r1")
    assert state(proposing) == "withdrawn"
    assert "cancelled" in refusal(proposing)
    apply_by_path(proposing)


def test_what_is_asked_again_under_another_policy_waits_again(proposing, scenario):
    scenario(editing="proposal", policy={"rules": [{"tool": "file.delete", "decision": "deny"}]})
    assert proposing.agent(*proposing.goal).returncode == 6
    assert state(proposing) == "waiting" and "filecall approve r1.1-2 " in refusal(proposing)
    assert proposing.ours("deny", "r1.1-2").returncode == 0
    assert state(proposing) == "denied"


def test_of_an_approval_that_cannot_be_read_nothing_is_known(proposing):
    (proposing.spool.root / "approvals/requests/r1.1.json").write_text("{")
    assert state(proposing) == "unknown"
    assert "nobody knows" in refusal(proposing) and "r1.1.json" in refusal(proposing)
    apply_by_path(proposing)
    assert state(proposing) == "undone", "what was done says more"


def test_a_file_that_somebody_put_there_was_never_asked(proposing):
    folder = proposing.spool.root / "proposals"
    (folder / "fix.v2.json").write_text((folder / "r1.1.1.json").read_text())
    shown = proposing.ours("proposal", "show", "fix.v2", "--json")
    assert result_of(shown)["state"] == "waiting"


def test_of_a_plan_each_proposal_has_its_own_decision(place, scenario):
    other = {"path": "new.txt", "operation": "create", "new_content": "new\n"}
    client = place(REPORT, turn(1, plan(("file.propose", {"changes": [CHANGE]}),
                                        ("file.propose", {"changes": [other]}))), turn(2, DONE))
    goal = ("Change", "--run", "r1", "--scenario", scenario(editing="proposal"))
    assert client.agent(*goal).returncode == 6
    assert client.ours("deny", "r1.1", "--call", "2").returncode == 0
    shown = [json.loads(client.ours("proposal", "show", f"r1.1.{n}", "--json").stdout)["state"]
             for n in (1, 2)]
    assert shown == ["approved", "denied"]
