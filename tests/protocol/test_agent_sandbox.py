# SPDX-License-Identifier: MIT
"""What an approval says of programs follows from how the worker that lives now confines them."""

import json

import pytest

from agent_decisions import approve_all
from harness import Client, read_json
from llm_lines import write_lines
from test_agent import REPORT, plan, result_of, turn

RUN = ("tool.run", {"argv": ["true"]})
HIDDEN = {"sandbox": "workspace-write", "network": False}


@pytest.fixture
def programs(start_worker, spool, folder):
    """programs(**tool) -> a client on a worker with these settings of tool.run."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    (folder / "programs.yaml").write_text(json.dumps({
        "name": "programs", "description": "Programs.", "instructions": "Run.",
        "tools": ["tool.run"]}))

    def start(*lines, **tool):
        write_lines(folder / "demo.jsonl", lines)
        client = Client(spool, folder)
        client.worker = start_worker(config={
            "llm": {"providers": {"demo": {"kind": "script", "script": str(folder / "demo.jsonl"),
                                           "models": ["demo-1"]}}},
            "tool": {"allow": ["true"], "roots": [str(work)], **tool}})
        client.agent = lambda *words: client.run(
            "agent", *words, "--durability", "none",
            env={"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")})
        return client
    return start


LINES = (REPORT, turn(1, plan(RUN)), turn(2, plan(RUN)), turn(3, plan(done=True, finalSummary="x")))


def asked(client, approval="r1.1"):
    path = client.spool.root / "approvals/requests" / f"{approval}.json"
    return read_json(path)["calls"][0]


def first(client):
    done = client.agent("Run it", "--run", "r1", "--scenario", str(client.folder / "programs.yaml"),
                        "--json")
    assert done.returncode == 6, done.stderr
    return result_of(done)["approval"]


def needs_namespaces(client):
    status = client.spool.status()
    if "namespaces" in str(status["missing_protections"]):
        pytest.skip("this machine has no user namespaces")


def test_a_sandbox_that_hides_the_root_has_its_computed_risk(programs):
    client = programs(*LINES, **HIDDEN)
    needs_namespaces(client)
    said = client.spool.call("described", "system.describe")["data"]["tool_sandbox"]
    work = said.pop("directory")
    assert said == {"level": "workspace-write", "hides_root": True, "network": False,
                    "roots": [work]}
    assert client.spool.status()["tool_sandbox"] == said
    first(client)
    call = asked(client)
    assert call["riskLevel"] == "medium", call["reasons"]
    assert call["sandbox"] == {"level": "workspace-write", "hidesRoot": True, "hasNetwork": False,
                               "roots": [work]}
    assert "without network" in call["previewText"]
    assert f"directory: {work}\n" in call["previewText"] and work.endswith("/work")


def test_without_a_sandbox_it_says_that_a_program_could_forge_decisions(programs):
    client = programs(*LINES)
    first(client)
    call = asked(client)
    assert call["riskLevel"] == "critical" and call["sandbox"]["hidesRoot"] is False
    assert any("could forge decisions" in text for text in call["reasons"])


def test_the_worker_that_lives_now_counts_and_not_the_one_that_was_asked_first(programs, spool):
    client = programs(*LINES, **HIDDEN)
    needs_namespaces(client)
    first(client)
    assert asked(client)["riskLevel"] == "medium"
    client.worker.stop()
    client = programs(*LINES)
    approve_all(spool, "r1.1")
    done = client.agent("resume", "r1", "--json")
    # What runs is what was shown: a decision on a program in a sandbox is none on one without.
    assert done.returncode == 6 and result_of(done)["approval"] == "r1.1-2", done.stderr
    assert asked(client, "r1.1-2")["riskLevel"] == "critical"
    assert spool.response("r1.1.1") is None


def test_a_worker_that_is_started_otherwise_after_a_decision_is_noticed(programs, spool, folder):
    """Nobody lives when the run goes on: the worker that is started for it says what it does."""
    client = programs(*LINES, **HIDDEN)
    needs_namespaces(client)
    first(client)
    approve_all(spool, "r1.1")
    client.worker.stop()
    other = folder / "other.yaml"
    other.write_text(json.dumps({
        "llm": {"providers": {"demo": {"kind": "script", "script": str(folder / "demo.jsonl"),
                                       "models": ["demo-1"]}}},
        "tool": {"allow": ["true"], "roots": [str(folder / "work")]}}))
    done = client.agent("resume", "r1", "--json", "--worker-config", str(other))
    try:
        assert done.returncode == 6 and result_of(done)["approval"] == "r1.1-2", done.stderr
        assert asked(client, "r1.1-2")["riskLevel"] == "critical"
        assert spool.response("r1.1.1") is None
    finally:
        client.run("worker", "stop")


@pytest.mark.parametrize("before", [True, False], ids=["of itself", "of the first root"])
def test_a_decision_is_not_for_a_worker_whose_programs_work_elsewhere(programs, spool, folder,
                                                                      before):
    """The same sandbox, and another place: before it there, or only beside it."""
    other = folder / "other"
    other.mkdir()
    client = programs(*LINES, **HIDDEN)
    first(client)
    client.worker.stop()
    work = str(folder / "work")
    programs_again = {**HIDDEN, "roots": [str(other), work] if before else [work, str(other)]}
    client = programs(*LINES, **programs_again)
    approve_all(spool, "r1.1")
    done = client.agent("resume", "r1", "--json")
    assert done.returncode == 6 and result_of(done)["approval"] == "r1.1-2", done.stderr
    assert asked(client, "r1.1-2")["sandbox"]["roots"] == programs_again["roots"]
    place = programs_again["roots"][0]
    assert f"directory: {place}\n" in asked(client, "r1.1-2")["previewText"]
    assert spool.response("r1.1.1") is None
