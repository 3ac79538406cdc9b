# SPDX-License-Identifier: MIT
"""`filecall agent` on a repository: a branch of its own, and change sets that a person applies."""

import hashlib
import json
import subprocess

import pytest

from agent_decisions import approve_all, decide
from git_tree import ENVIRONMENT, GitTree
from harness import Client, read_json, wait_until
from llm_lines import write_lines

MAIN = "int main() {\n  return 7;\n}\n"
REPORT = {"when": {"request": r"\.report$"}, "reply": "main.cc returns 8."}
ALLOWED = {"rules": [{"tool": "file.*", "decision": "allow"}]}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def step(number, *actions, done=False, **members):
    plan = {"commentary": f"Do part {number}", "done": done, **members,
            "actions": [{"tool": tool, "args": args} for tool, args in actions]}
    return {"when": {"request": rf"\.{number}\.plan$"}, "reply": json.dumps(plan)}


def edit(before, old, new):
    return ("file.edit", {"path": "main.cc", "base_sha256": sha256(before),
                          "edits": [{"old": old, "new": new}]})


def grep(word):
    return ("tool.run", {"argv": ["grep", "-q", word, "main.cc"], "check": True})


# It reads, searches, edits, sees the check fail, mends it, and is done.
SCRIPT = [REPORT,
          step(1, ("file.read", {"files": ["main.cc"]}), ("file.search", {"text": "return"})),
          step(2, edit(MAIN, "return 7", "return 9"), grep("return 8")),
          step(3, edit(MAIN.replace("7", "9"), "return 9", "return 8"), grep("return 8")),
          step(4, done=True, finalSummary="It returns 8.")]


@pytest.fixture
def tree(folder):
    """A repository in which somebody works: a change, a staged one, a new file."""
    top = GitTree(folder / "checkout")
    top.put("main.cc", MAIN)
    top.put("other.cc", "other\n")
    top.commit("Begin")
    top.put("other.cc", "of a person\n")
    top.put("staged.cc", "staged\n")
    top.git("add", "staged.cc")
    top.put("new.cc", "new\n")
    return top


def dirt(tree):
    return (tree.porcelain(), tree.git("diff"), tree.git("diff", "--cached"), tree.head(),
            tree.git("branch", "--show-current"))


@pytest.fixture
def place(start_worker, spool, folder):
    """place(*lines) -> a client on a worker with a scripted model and the folder `checkout`."""
    def start(*lines):
        (folder / "checkout").mkdir(exist_ok=True)
        write_lines(folder / "demo.jsonl", lines)
        top = str(folder / "checkout")
        config = {"llm": {"providers": {"demo": {
            "kind": "script", "script": str(folder / "demo.jsonl"), "models": ["demo-1"]}}},
            "file": {"roots": [top], "writable": [top]},
            "tool": {"allow": ["grep", "python3"], "roots": [top]}}
        client = Client(spool, folder)
        client.restart_worker = lambda: start_worker(config=config)
        client.worker = client.restart_worker()
        client.environment = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
        client.agent = lambda *words: client.run(
            "agent", *words, "--durability", "none", "--no-start-worker", env=client.environment)
        return client

    return start


@pytest.fixture
def scenario(folder):
    """scenario(**members) -> a file with the built-in scenario `code`, and what is said beside."""
    def write(**members):
        path = folder / "trial.yaml"
        path.write_text(json.dumps({"name": "trial", "description": "A trial.",
                                    "tools": ["file.*", "git.*", "tool.run"],
                                    "editing": "branch", **members}))
        return str(path)
    return write


def run_to_end(client, *arguments):
    """The same command until it ends; all that waits is approved. Its result, and the ids."""
    approvals = []
    for _ in range(10):
        done = client.agent(*arguments, "--json")
        if done.returncode != 6:
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout), approvals
        approvals.append(json.loads(done.stdout)["approval"])
        approve_all(client.spool, approvals[-1])
    raise AssertionError("it always waits")


@pytest.mark.core
def test_code_works_on_a_branch_and_leaves_the_files_of_people(place, tree, spool):
    client = place(*SCRIPT)
    before = dirt(tree)
    result, approvals = run_to_end(client, "Return 8", "--run", "r1", "--scenario", "code")
    assert result["status"] == "done" and result["editing"] == "branch"
    assert approvals == ["r1.2", "r1.3"], "the branch and its commits ask nobody"
    assert dirt(tree) == before
    branch = result["branch"]
    assert branch["name"] == "ai-agent/return-8-r1" and branch["into"] == "main"
    assert branch["worktree"] == ".ai-agent/return-8-r1"
    assert [c["step"] for c in branch["commits"]] == [2, 3] and branch["uncommitted"] == []
    assert result["files_changed"] == ["main.cc"]
    log = tree.lines("log", "--format=%H|%s|%an|%(trailers:unfold,separator=%x2C)",
                     f"main..{branch['name']}")
    assert log == [
        f"{branch['commits'][1]['commit']}|Do part 3|filecall agent|Agent-Approval: r1.3,"
        "Agent-Step: r1.3,Agent-Thread: default",
        f"{branch['commits'][0]['commit']}|Do part 2|filecall agent|Agent-Approval: r1.2,"
        "Agent-Step: r1.2,Agent-Thread: default"]
    assert branch["merge"]["result"] == "fast_forward" and branch["merge"]["conflicts"] == []
    assert branch["merge"]["changes"] == [{"path": "main.cc", "status": "modified"}]
    # A person saw which file it is, and the model names it as in the repository.
    request = read_json(spool.root / "approvals/requests/r1.2.json")
    assert ".ai-agent/return-8-r1/main.cc" in request["calls"][0]["previewText"]
    assert request["calls"][0]["arguments"]["path"] == "main.cc"
    assert request["calls"][1]["workingDirectory"] == branch["directory"]
    assert ".ai-agent" not in spool.request("r1.4.plan").read_text()
    assert "fast_forward" in spool.request("r1.report").read_text()
    assert spool.response("r1.2.2")["status"] == "error", "the check failed first"


def test_what_is_printed_merges_the_branch_and_takes_it_away(place, tree, scenario):
    client = place(*SCRIPT)
    name = scenario(policy={**ALLOWED, "human_in_the_loop": False})
    result, _ = run_to_end(client, "Return 8", "--run", "r1", "--scenario", name)
    shown = client.agent("show", "r1").stdout
    for command in result["branch"]["next"].values():
        assert command in shown
        subprocess.run(command, shell=True, check=True, env=ENVIRONMENT, capture_output=True)
    assert (tree.path / "main.cc").read_text() == MAIN.replace("7", "8")
    assert tree.lines("branch", "--list", "ai-agent/*") == []
    assert not (tree.path / ".ai-agent/return-8-r1").exists()
    undo = client.agent("undo", "r1")
    assert undo.returncode == 2 and "branch" in undo.stderr


def test_what_programs_changed_is_committed_and_what_they_left_is_named(place, tree, scenario):
    """The checks run after it, and what is printed takes all of it away."""
    script = "open('main.cc', 'a').write('// 8\\n'); open('built', 'w')"
    run = ("tool.run", {"argv": ["python3", "-c", script]})
    client = place(REPORT, step(1, run), step(2, done=True, finalSummary="x"))
    name = scenario(checks=[{"argv": ["grep", "-q", "// 8", "main.cc"]}])
    result, approvals = run_to_end(client, "Add 8", "--run", "r1", "--scenario", name)
    assert approvals == ["r1.1", "r1.1-2"] and result["checks"] == "passed", result
    assert result["files_changed"] == ["main.cc"] and result["files_changed_known"] is True
    assert result["branch"]["untracked"] == ["built"]
    assert [c["step"] for c in result["branch"]["commits"]] == [1]
    shown = client.agent("show", "r1").stdout
    assert "programs have changed files: the checks run" in shown
    assert "left by programs, in no commit: built" in shown
    for command in result["branch"]["next"].values():
        assert command in shown
        subprocess.run(command, shell=True, check=True, env=ENVIRONMENT, capture_output=True)
    assert (tree.path / "main.cc").read_text() == MAIN + "// 8\n"
    assert not (tree.path / ".ai-agent/add-8-r1").exists()


def test_without_a_repository_it_proposes_and_says_so(place, spool, folder):
    change = {"path": "main.cc", "operation": "create", "new_content": MAIN}
    client = place(REPORT, step(1, ("file.propose", {"changes": [change]})),
                   step(2, done=True, finalSummary="Proposed."))
    result, approvals = run_to_end(client, "Write it", "--run", "r1", "--scenario", "code")
    assert result["editing"] == "proposal" and "repository" in result["no_branch"]
    assert "branch" not in result and approvals == ["r1.1"]
    assert (folder / "checkout/main.cc").read_text() == MAIN
    shown = spool.request("r1.1.plan").read_text().replace("\\", "")
    assert '"tool":"file.propose"' in shown and '"tool":"file.edit"' not in shown
    assert "no branch: " in client.agent("show", "r1").stdout


def test_a_worker_that_was_killed_while_it_made_the_branch_is_no_end(place, tree):
    client = place(*SCRIPT)
    lock = tree.path / ".git/refs/heads/ai-agent/return-8-r1.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("")
    result, _ = run_to_end(client, "Return 8", "--run", "r1", "--scenario", "code")
    assert result["status"] == "done" and result["branch"]["name"] == "ai-agent/return-8-r1"
    assert not lock.exists()


def test_two_runs_of_one_goal_have_two_branches(place, tree, scenario):
    client = place(*SCRIPT)
    name = scenario(policy=ALLOWED)
    tree.git("branch", "ai-agent/return-8-r2")
    for run, free in (("r1", "return-8-r1"), ("r2", "return-8-r2-2")):
        result, _ = run_to_end(client, "Return 8", "--run", run, "--scenario", name,
                               "--thread", run)
        assert result["branch"]["name"] == f"ai-agent/{free}"
    assert tree.porcelain() == {"other.cc": " M", "staged.cc": "A ", "new.cc": "??"}


def test_a_rule_keeps_its_word_on_the_branch(place, tree, scenario):
    client = place(*SCRIPT)
    denied = scenario(policy={"rules": [{"tool": "git.worktree", "decision": "deny"}]})
    done = client.agent("Return 8", "--run", "r1", "--scenario", denied, "--json")
    assert done.returncode == 1 and "git.worktree is denied" in done.stdout, done.stderr
    asks = scenario(policy={"rules": [*ALLOWED["rules"],
                                      {"tool": "git.commit", "decision": "prompt"}]})
    result, approvals = run_to_end(client, "Return 8", "--run", "r2", "--scenario", asks)
    # For its program, then for the commit; twice.
    assert approvals == ["r2.2", "r2.2-2", "r2.3", "r2.3-2"]
    assert len(result["branch"]["commits"]) == 2
    assert tree.porcelain() == {"other.cc": " M", "staged.cc": "A ", "new.cc": "??"}


def test_nothing_leads_out_of_the_worktree(place, tree, spool, scenario):
    client = place(
        REPORT, step(1, ("file.edit", {"path": "../../other.cc", "content": "x",
                                       "base_sha256": sha256("of a person\n")}),
                     ("git.worktree", {"action": "remove", "path": "."}),
                     ("git.branch", {"action": "switch", "name": "main"})),
        step(2, ("file.edit", {"path": "other.cc", "content": "x",
                               "base_sha256": sha256("of a person\n")})),
        step(3, done=True, finalSummary="x"))
    before = dirt(tree)
    result, _ = run_to_end(client, "Change it", "--run", "r1", "--scenario",
                           scenario(policy=ALLOWED))
    assert dirt(tree) == before
    told = spool.request("r1.3.plan").read_text()
    assert "leads out of the repository" in told and "stays in the worktree" in told
    # The file that the model knows is the commit's, and not what a person made of it.
    assert "failed_precondition" in told and result["branch"]["commits"] == []


def test_links_of_the_repository_lead_to_no_file_of_a_person(place, tree, spool, scenario):
    """They are committed, so that they are in the worktree as well, and lead out of it."""
    (tree.path / "link.cc").symlink_to("../../other.cc")
    (tree.path / "up").symlink_to("../..")
    tree.git("add", "link.cc", "up")
    tree.git("commit", "-q", "-m", "Links", "link.cc", "up")
    theirs = sha256("of a person\n")
    client = place(
        REPORT, step(1, ("file.read", {"files": ["link.cc", "up/other.cc"]}),
                     ("file.edit", {"path": "link.cc", "content": "x", "base_sha256": theirs})),
        step(2, ("file.delete", {"path": "up/other.cc", "base_sha256": theirs})),
        step(3, ("file.create", {"path": "up/made.cc", "content": "x"})),
        step(4, ("file.search", {"text": "person", "path": "up"})),
        step(5, done=True, finalSummary="x"))
    before = dirt(tree)
    result, _ = run_to_end(client, "Change it", "--run", "r1", "--scenario",
                           scenario(policy=ALLOWED))
    assert dirt(tree) == before and result["branch"]["commits"] == []
    told = spool.request("r1.5.plan").read_text()
    assert told.count("leads out of") >= 5 and "of a person" not in told


def test_links_of_the_repository_lead_git_and_programs_nowhere(place, tree, spool, scenario):
    (tree.path / "up").symlink_to("../..")
    tree.git("add", "up")
    tree.git("commit", "-q", "-m", "Link", "up")
    client = place(
        REPORT, step(1, ("git.status", {"repository": "up"}), ("git.diff", {"repository": "up"}),
                     ("git.commit", {"repository": "up", "message": "Take it"}),
                     ("tool.run", {"argv": ["grep", "person", "other.cc"], "cwd": "up"})),
        step(2, ("git.status", {}), ("file.list", {"glob": "**"}), ("file.search", {"text": "7"})),
        step(3, done=True, finalSummary="x"))
    before = dirt(tree)
    run_to_end(client, "Change it", "--run", "r1", "--scenario",
               scenario(policy={"rules": [{"tool": tool, "decision": "allow"}
                                          for tool in ("file.*", "git.*", "tool.run")]}))
    assert dirt(tree) == before
    told = spool.request("r1.2.plan").read_text()
    assert told.count("leads out of") >= 4 and "of a person" not in told
    # What .ai-agent ignores of the repository around it, its worktrees do not.
    told = spool.request("r1.3.plan").read_text()
    assert "main.cc" in told and "return 7" in told


@pytest.mark.parametrize("moment", ["branch.look", "branch.create", "branch.worktree", "2.1",
                                    "2.changes", "2.3", "3.3", "branch.merge"])
def test_a_killed_client_goes_on_and_commits_nothing_twice(place, tree, spool, scenario, moment):
    client = place(*SCRIPT)
    words = ("Return 8", "--run", "r1", "--scenario", scenario(policy=ALLOWED), "--wait", "1m")
    process = client.start("agent", *words, "--durability", "none", "--no-start-worker")
    decided = set()

    def reached():
        for path in (spool.root / "approvals/requests").glob("*.json"):
            if path.stem not in decided:
                decided.add(path.stem)
                approve_all(spool, path.stem)
        return f"r1.{moment}" in spool.requests()
    wait_until(reached, moment)
    process.kill()
    process.wait()
    result, _ = run_to_end(client, *words[:-2])
    assert [c["step"] for c in result["branch"]["commits"]] == [2, 3]
    assert tree.lines("log", "--format=%s", f"main..{result['branch']['name']}") == [
        "Do part 3", "Do part 2"]
    assert tree.porcelain() == {"other.cc": " M", "staged.cc": "A ", "new.cc": "??"}


@pytest.mark.parametrize("moment", ["branch.create", "branch.worktree", "2.3", "3.3"])
def test_a_killed_worker_goes_on_and_commits_nothing_twice(place, tree, spool, scenario, moment):
    client = place(*SCRIPT)
    words = ("Return 8", "--run", "r1", "--scenario", scenario(policy=ALLOWED))
    process = client.start("agent", *words, "--durability", "none", "--wait", "1m",
                           "--no-start-worker")
    decided = set()

    def reached():
        for path in (spool.root / "approvals/requests").glob("*.json"):
            if path.stem not in decided:
                decided.add(path.stem)
                approve_all(spool, path.stem)
        return f"r1.{moment}" in spool.requests()
    wait_until(reached, moment)
    client.worker.kill()
    process.wait()
    left = list((tree.path / ".git").rglob("index.lock"))
    client.worker = client.restart_worker()
    result, _ = run_to_end(client, *words)
    if left:
        # It died between a lock of git's and the index: nobody knows whose lock that is, and a
        # person removes it. Nothing is committed then, and the result says so.
        assert result["branch"]["uncommitted"] and "index.lock" in str(result["branch"]), result
        return
    assert [c["step"] for c in result["branch"]["commits"]] == [2, 3]
    assert tree.lines("log", "--format=%s", f"main..{result['branch']['name']}") == [
        "Do part 3", "Do part 2"]
    assert tree.porcelain() == {"other.cc": " M", "staged.cc": "A ", "new.cc": "??"}


def test_editor_code_applies_half_and_is_taken_back(place, tree, spool, folder):
    lines = "".join(f"line {i}\n" for i in range(40))
    tree.put("long.txt", lines)
    edits = [{"old": "line 3\n", "new": "LINE 3\n"}, {"old": "line 33\n", "new": "LINE 33\n"}]
    change = {"path": "long.txt", "operation": "update", "base_sha256": sha256(lines),
              "edits": edits}
    client = place(REPORT, step(1, ("file.read", {"files": ["long.txt"]})),
                   step(2, ("file.propose", {"changes": [change]})),
                   step(3, done=True, finalSummary="Proposed."))
    words = ("Shout", "--run", "r1", "--scenario", "editor_code", "--json")
    assert client.agent(*words).returncode == 6
    # While it waits, it can be looked at like any proposal.
    assert read_json(spool.root / "proposals/r1.2.1.json")["changes"][0]["path"] == "long.txt"
    shown = json.loads(client.run("proposal", "show", "r1.2.1", "--json").stdout)
    assert shown["state"] == "waiting"
    second = read_json(spool.root / "approvals/requests/r1.2.json")["calls"][0]["hunks"][1]
    decide(spool, "r1.2", [{"n": 1, "approved": True, "hunks": [second]}])
    assert client.agent(*words).returncode == 0
    text = (folder / "checkout/long.txt").read_text()
    assert "LINE 33" in text and "LINE 3\n" not in text
    shown = json.loads(client.run("proposal", "show", "r1.2.1", "--json").stdout)
    assert shown["state"] == "partly applied" and shown["applied_by"] == ["r1.2.1"]
    undone = client.run("proposal", "undo", "r1.2.1")
    assert undone.returncode == 0, undone.stderr
    assert (folder / "checkout/long.txt").read_text() == lines
    again = client.agent("undo", "r1")
    assert again.returncode == 0 and "undone already" in again.stderr, again.stderr
