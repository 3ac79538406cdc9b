# SPDX-License-Identifier: MIT
"""What a run of `filecall agent` has used: the same count for a budget and for a figure, the same
figure wherever it is said, and no effect where there is none."""

import json

import pytest

from agent_place import REPORT, place, plan, read, result_of, scenario, turn  # noqa: F401
from git_tree import GitTree

DONE = plan(done=True, finalSummary="It has two lines.")
ALLOWED = {"rules": [{"tool": "file.*", "decision": "allow"}]}


def create(*names):
    return plan(*(("file.create", {"path": name, "content": "x\n"}) for name in names))


def test_a_write_that_was_refused_uses_no_budget(place, scenario, spool):
    client = place(REPORT, turn(1, create("a.txt")), turn(2, create("b.txt")),
                   turn(3, create("c.txt")), turn(4, DONE))
    done = client.agent("Make", "--run", "r1", "--scenario", scenario(policy=ALLOWED),
                        "--max-writes", "1", "--json")
    assert done.returncode == 5, done.stderr
    result = result_of(done)
    assert result["reason"] == "the budget of 1 write is used" and result["writes"] == 1
    assert (client.work / "b.txt").exists() and not (client.work / "c.txt").exists()
    more = client.agent("resume", "r1", "--max-writes", "2", "--json")
    assert more.returncode == 0 and result_of(more)["writes"] == 2, more.stderr


def test_a_budget_of_cost_needs_a_price(place, spool):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE))
    done = client.agent("What?", "--run", "r1", "--max-cost", "5", "--json")
    assert done.returncode == 1, done.stdout
    result = result_of(done)
    assert result["status"] == "failed" and "no price" in result["reason"]
    assert result["calls"] == 0 and "r1.2.plan" not in spool.requests()


def test_a_budget_of_cost_holds_with_a_price(place):
    client = place(REPORT, turn(1, plan(read("a.txt"))), turn(2, DONE), prices=1.0)
    assert client.agent("What?", "--run", "r1", "--max-cost", "5").returncode == 0


def test_a_run_has_one_duration(place, spool):
    client = place(REPORT, *(turn(n, plan(read("a.txt"))) for n in range(1, 3)), turn(3, DONE),
                   DONE)
    for n in range(6):
        run = f"r{n}"
        done = client.agent("What?", "--run", run, "--thread", run, "--json")
        durations = {result_of(done)["duration_ms"],
                     spool.response(f"{run}.result")["data"]["duration_ms"],
                     result_of(client.agent("show", run, "--json"))["duration_ms"]}
        assert len(durations) == 1, durations


@pytest.mark.parametrize("tool", ["git.branch", "git.worktree"])
def test_a_list_of_git_has_no_effects(place, scenario, spool, tool):
    client = place(REPORT, turn(1, plan((tool, {"action": "list"}))), turn(2, DONE))
    GitTree(client.work)
    said = client.ours("policy", "explain", "--tool", tool, "--params",
                       json.dumps({"action": "list"}), "--json")
    assert result_of(said)["decision"] == "allow", said.stdout
    path = scenario(tools=["file.*", "git.*"])
    done = client.agent("What?", "--run", "r1", "--scenario", path, "--no-wait", "--max-writes",
                        "1", "--json")
    assert done.returncode == 0, done.stderr
    result = result_of(done)
    assert [one["status"] for one in result["tool_calls"]] == ["success"], result
    assert result["writes"] == 0


@pytest.mark.parametrize("tool, params", [
    ("git.branch", {"action": "create", "name": "b"}), ("git.branch", {"action": "switch"}),
    ("git.branch", {}), ("git.worktree", {"action": "add", "path": "x"}),
    ("git.worktree", {"action": ["list"]}), ("git.commit", {"action": "list"}),
])
def test_what_lists_nothing_has_effects(place, tool, params):
    client = place(DONE)
    said = client.ours("policy", "explain", "--tool", tool, "--params", json.dumps(params),
                       "--json")
    assert result_of(said)["decision"] == "prompt", said.stdout
