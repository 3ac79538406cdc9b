# SPDX-License-Identifier: MIT
"""Rules on paths: a path is read from where the worker reads it, and for what it leads to; and a
run does not change what says what it may do."""

import hashlib
import json

from agent_place import REPORT, place, plan, read, scenario, turn  # noqa: F401
from harness import read_json

DONE = plan(done=True, finalSummary="Done.")


def edit(path, old, new, content):
    return ("file.edit", {"path": path, "edits": [{"old": old, "new": new}],
                          "base_sha256": hashlib.sha256(content.encode()).hexdigest()})


def policy(folder, *rules, name="policy.yaml"):
    path = folder / name
    path.write_text(json.dumps({"policy": {"rules": list(rules)}}))
    return str(path)


ALLOW = {"tool": "file.*", "decision": "allow"}


def denied(where, glob):
    return {"tool": "file.*", "where": {where: glob}, "decision": "deny"}


def statuses(client, run):
    shown = json.loads(client.agent("show", run, "--json").stdout)
    return shown["status"], shown["writes"]


def test_a_link_is_read_as_what_it_leads_to(place, scenario, folder, spool):
    edited = edit("pub/key", "top", "owned", "top\n")
    client = place(REPORT, turn(1, plan(edited)), turn(2, plan(read("pub/key"))), turn(3, DONE))
    (client.work / "secrets").mkdir()
    (client.work / "secrets/key").write_text("top\n")
    (client.work / "pub").symlink_to("secrets")
    rules = policy(folder, ALLOW, denied("/path", "secrets/**"), denied("/files/*", "secrets/**"))
    done = client.agent("Edit", "--run", "r1", "--scenario", scenario(), "--policy", rules)
    assert done.returncode == 0, done.stderr
    assert (client.work / "secrets/key").read_text() == "top\n"
    assert statuses(client, "r1") == ("done", 0)
    assert not (spool.root / "requests/r1.1.1.json").exists()
    assert not (spool.root / "requests/r1.2.1.json").exists()


def test_a_rule_that_allows_a_folder_is_not_for_its_links(place, scenario, folder, spool):
    edited = edit("src/out/a.txt", "one", "1", "one\ntwo\n")
    client = place(REPORT, turn(1, plan(edited)), turn(2, DONE))
    (client.work / "src").mkdir()
    (client.work / "src/out").symlink_to("..")
    rules = policy(folder, {"tool": "file.edit", "where": {"/path": "src/**"}, "decision": "allow"})
    parked = client.agent("Edit", "--run", "r1", "--scenario", scenario(), "--policy", rules)
    assert parked.returncode == 6, parked.stderr
    call = read_json(spool.root / "approvals/requests/r1.1.json")["calls"][0]
    assert any("src/out/a.txt leads to " in reason for reason in call["reasons"]), call["reasons"]


def test_a_rule_on_an_absolute_path_is_for_the_files_of_the_worker(place, scenario, folder):
    client = place(REPORT, turn(1, plan(edit("a.txt", "one", "1", "one\ntwo\n"))), turn(2, DONE))
    rules = policy(folder, ALLOW, denied("/path", f"{client.work}/a.txt"))
    done = client.agent("Edit", "--run", "r1", "--scenario", scenario(), "--policy", rules)
    assert done.returncode == 0, done.stderr
    assert statuses(client, "r1") == ("done", 0)
    assert (client.work / "a.txt").read_text() == "one\ntwo\n"


def test_a_run_changes_neither_its_policy_nor_its_scenario(place, scenario, folder, spool):
    rules = policy(folder, ALLOW, name="work-policy.yaml")
    text = (folder / "work-policy.yaml").read_text()
    client = place(REPORT, turn(1, plan(edit("agents/p.yaml", "allow", "deny", text))),
                   turn(2, DONE))
    (client.work / "agents").mkdir()
    rules = client.work / "agents/p.yaml"
    rules.write_text(text)
    (client.work / "conf").symlink_to("agents")
    parked = client.agent("Edit", "--run", "r1", "--scenario", scenario(), "--policy", str(rules))
    assert parked.returncode == 6 and rules.read_text() == text, parked.stderr
    call = read_json(spool.root / "approvals/requests/r1.1.json")["calls"][0]
    assert call["riskLevel"] == "critical"
    explained = client.ours("policy", "explain", "--tool", "file.edit", "--policy", str(rules),
                            "--json", "--params",
                            json.dumps({"path": f"{client.work}/conf/p.yaml"}))
    assert json.loads(explained.stdout)["decision"] == "prompt", explained.stdout
