# SPDX-License-Identifier: MIT
"""`filecall agent` and the programs that the worker's configuration declares."""

import json

import pytest

from agent_decisions import approve_all
from agent_place import REPORT, place, plan, result_of, scenario, turn  # noqa: F401
from harness import read_json

DONE = plan(done=True, finalSummary="Counted.")
COUNT = {"description": "Counts the lines of a file.", "argv": ["wc", "-l", "--", "{file}"],
         "args": {"type": "object", "required": ["file"],
                  "properties": {"file": {"type": "string"}}},
         "effects": "none", "risk": "low"}


@pytest.fixture
def counting(place, folder):
    def start(*lines):
        return place(*lines, tool={"roots": [str(folder / "work")], "sandbox": "read-only",
                                   "network": False, "tools": {"line-count": COUNT}})
    return start


@pytest.mark.parametrize("planner", ["json", "tools"])
def test_the_model_is_told_of_declared_programs(counting, scenario, spool, planner):
    client = counting(REPORT, DONE)
    done = client.agent("Count", "--run", "r1", "--scenario", scenario(), "--planner", planner)
    assert done.returncode == 0, done.stderr
    params = read_json(spool.request("r1.1.plan"))["params"]
    if planner == "tools":
        text = next(one["function"]["description"] for one in params["tools"]
                    if one["function"]["name"] == "tool_run")
    else:
        text = json.dumps(params["messages"])
    for word in ("line-count", "Counts the lines of a file.", "file"):
        assert word in text, text


def test_a_rule_names_a_declared_program(counting, scenario, spool):
    counted = ("tool.run", {"tool": "line-count", "args": {"file": "a.txt"}})
    client = counting(REPORT, turn(1, plan(counted)), DONE)
    if "namespaces" in str(spool.status()["missing_protections"]):
        pytest.skip("without a sandbox that hides the root nothing allows a program")
    rules = {"rules": [{"tool": "tool.run", "where": {"/tool": "line-count"},
                        "decision": "allow"}]}
    done = client.agent("Count", "--run", "r1", "--scenario", scenario(policy=rules), "--json")
    assert done.returncode == 0 and result_of(done)["calls"] == 1, done.stderr
    assert spool.response("r1.1.1")["data"]["stdout"].startswith("2 a.txt")


@pytest.mark.parametrize("limit", ["--max-calls", "--max-writes"])
def test_checks_before_the_last_change_say_nothing_of_it(place, scenario, spool, limit):
    """The budget ends the run between a change and its checks."""
    makes = [turn(n, plan(("file.create", {"path": f"{n}.txt", "content": "x"}))) for n in (1, 2)]
    client = place(REPORT, *makes, turn(3, plan(done=True, finalSummary="Done.")))
    rules = [{"tool": "file.*", "decision": "allow"}]
    trial = scenario(checks=[{"argv": ["echo", "fine"]}], policy={"rules": rules})
    parked = client.agent("Make", "--run", "r1", "--scenario", trial, limit, "3")
    assert parked.returncode == 6, parked.stderr
    approve_all(spool, "r1.1")
    assert client.agent("resume", "r1").returncode == 6
    approve_all(spool, "r1.2")
    assert client.agent("resume", "r1").returncode == 5
    result = json.loads(client.agent("show", "r1", "--json").stdout)
    assert result["status"] == "budget" and result["files_changed"] == ["1.txt", "2.txt"], result
    assert result["checks"] == "not_run", result
