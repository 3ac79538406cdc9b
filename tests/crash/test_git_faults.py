# SPDX-License-Identifier: MIT
"""Each file operation of a git command that writes fails or is the worker's last; then a worker
runs once more. The repository is whole, a branch is at the old or at the new commit, the response
of a commit says which, and what a lock file blocks is named."""

import dataclasses
import json
import random
import shutil
import subprocess

import pytest

import git_tree
import harness
import injection
from injection import LONG, Fault

CRASHES = 24  # Rounds of the short form.
FAILURES = 5  # The same, for each error.
AUTHOR = {"name": "Agent", "email": "agent@example.org"}


@dataclasses.dataclass
class Command:
    """A command under test, and another one that must work after it, or say what is in its way."""

    name: str
    params: dict
    next_name: str
    next_params: dict


COMMIT = {"message": "Second", "author": AUTHOR}
SWITCH = {"action": "switch", "name": "other"}
COMMANDS = {
    "commit": Command("git.commit", COMMIT | {"paths": ["."]}, "git.commit",
                      {"message": "Third", "author": AUTHOR, "paths": ["next"]}),
    "staged": Command("git.commit", COMMIT, "git.commit",
                      {"message": "Third", "author": AUTHOR, "paths": ["next"]}),
    "create": Command("git.branch", {"action": "create", "name": "new/x"}, "git.branch",
                      {"action": "create", "name": "new/y"}),
    "switch": Command("git.branch", SWITCH, "git.branch", SWITCH),
    "add": Command("git.worktree", {"action": "add", "path": "../side", "branch": "other"},
                   "git.worktree", {"action": "add", "path": "../third", "branch": "third"}),
    "remove": Command("git.worktree", {"action": "remove", "path": "../linked"},
                      "git.worktree", {"action": "list"}),
}


class GitScenario:
    """A root, and beside it a repository that is copied for every round."""

    is_power_cut = False

    def __init__(self, folder, command):
        self.folder = folder
        self.command = command
        self.area = folder / "area"
        self.path = self.area / "tree"
        self.config = folder / "worker.yaml"
        self.config.write_text(json.dumps({"file": {"roots": [str(self.path), str(self.area)],
                                                    "writable": [str(self.area)]}}))
        self.spool = None
        self.area.mkdir()
        top = git_tree.GitTree(self.path)
        top.put("a", "one\n")
        top.put("dir/b", "b\n" * 20)
        top.commit("First")
        top.git("pack-refs", "--all")
        for name in ("other", "third", "linked"):
            top.git("branch", name)
        top.git("checkout", "-q", "other")
        top.put("dir/new", "of other\n")
        top.commit("Other")
        top.git("checkout", "-q", "main")
        top.git("worktree", "add", "-q", self.area / "linked", "linked")
        if command.name == "git.commit":
            top.put("a", "two\n")
            top.put("deep/c", "c\n")
            top.git("add", "a")
        self.old = top.head()
        self.area.rename(folder / "template")

    @property
    def tree(self):
        return git_tree.GitTree(self.path)

    def fill(self) -> None:
        shutil.rmtree(self.area, ignore_errors=True)
        subprocess.run(["cp", "-a", self.folder / "template", self.area], check=True)
        root = self.area / "root"
        root.mkdir(mode=0o700)
        self.spool = harness.Spool(root)
        self.drop("first", self.command.name, self.command.params)

    def drop(self, stem, name, params) -> None:
        params = dict(params)
        if str(params.get("path", "")).startswith("../"):
            params["path"] = str(self.area / params["path"][3:])
        self.spool.drop(stem, name, params)

    def run(self, fault: Fault):
        command = [harness.worker_program(), "--root", self.spool.root, "--config", self.config,
                   "--drain", "--log-level", "info"]
        return injection.run(fault, command, self.area, self.folder)

    def answer(self, stem):
        found = self.spool.response(stem)
        assert found, stem
        return found

    def check(self, is_told: bool) -> str:
        """`is_told`: what the first command says must be so. Its end: "made" or "undone"."""
        self.check_whole()
        assert self.tree.git("rev-parse", "other", "third")
        answer = self.answer("first")
        if self.command.name != "git.commit":
            return self.check_other(answer)
        head, story = self.tree.head("main"), json.dumps(answer)
        assert self.tree.git("symbolic-ref", "HEAD") == "refs/heads/main\n"
        if answer["status"] == "success":
            assert (answer["data"]["commit"], answer["data"]["parent"]) == (head, self.old), story
            assert {f["path"] for f in answer["data"]["files"]} == set(
                self.tree.lines("diff", "--name-only", "HEAD~1", "HEAD")), story
            return "made"
        assert head == self.old, story
        if is_told:
            assert (answer["error_code"], answer["retryable"]) == ("aborted", True), story
            assert answer["error_details"]["changes"] == "undone", story
        return "undone"

    def check_other(self, answer) -> str:
        branch = self.tree.git("symbolic-ref", "HEAD").strip()
        assert self.tree.head("main") == self.old
        assert branch in ("refs/heads/main", "refs/heads/other"), branch
        if answer["status"] == "success":
            if self.command.params == SWITCH:
                assert branch == "refs/heads/other" and self.tree.porcelain() == {}
            return "made"
        return "undone"

    def locks(self) -> list:
        return sorted(str(path) for path in (self.path / ".git").rglob("*.lock"))

    def check_next(self) -> None:
        """The next command works, or names the lock that is in its way."""
        (self.path / "next").write_text("next\n")
        other = self.command
        for stem, may_be_blocked in (("next", True), ("last", False)):
            self.drop(stem, other.next_name, other.next_params)
            ended = self.run(Fault())
            assert ended.code == 0, ended.output
            answer = self.answer(stem)
            if answer["status"] == "success":
                break
            text = answer["error_message"]
            if other.params == SWITCH and answer["error_code"] == "failed_precondition":
                assert answer["error_details"]["paths"], answer  # What it left lies in the way.
                break
            assert may_be_blocked and self.locks(), answer
            assert answer["error_code"] == "unavailable", answer
            assert ".lock" in text and "remove" in text, text
            for path in self.locks():
                (self.path / path).unlink()
        self.check_whole()

    def check_whole(self) -> None:
        """Neither git nor libgit2 syncs the index: a power cut may tear it, and it can be made from
        the commit. All else is whole."""
        try:
            self.tree.git("fsck", "--strict", "--no-dangling")
        except AssertionError as error:
            if not self.is_power_cut or "index file" not in str(error):
                raise
            (self.path / ".git/index").unlink()
            self.tree.git("read-tree", "HEAD")
            self.tree.git("fsck", "--strict", "--no-dangling")


def count(scenario, **fault) -> int:
    scenario.fill()
    ended = scenario.run(Fault(**fault))
    assert ended.code == 0, ended.output
    assert scenario.check(True) == "made", scenario.answer("first")
    scenario.check_next()
    return ended.seen


def crash_round(scenario, fault) -> str:
    scenario.is_power_cut = bool(fault.forget)
    scenario.fill()
    ended = scenario.run(fault)
    if not ended.injected:
        return ""
    again = scenario.run(Fault())
    assert again.code == 0, again.output
    try:
        end = scenario.check(True)
        scenario.check_next()
    except AssertionError as error:
        raise AssertionError(f"[{fault}] {error}\n--- first run:\n{ended.output[-3000:]}\n"
                             f"--- second run:\n{again.output[-3000:]}") from None
    return end


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_crash_at_every_operation(folder, name):
    scenario = GitScenario(folder, COMMANDS[name])
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    total = count(scenario)
    ends = [crash_round(scenario, Fault(("crash-before", "crash-torn")[at % 2], at))
            for at in injection.points(total, CRASHES, random.Random(seed))]
    assert {"made", "undone"} <= set(ends), "crashes on both sides of the move"


def test_a_power_cut_at_every_operation_of_a_commit(folder):
    scenario = GitScenario(folder, COMMANDS["commit"])
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    total = count(scenario, forget="all")
    ends = []
    for at in injection.points(total, CRASHES, random.Random(seed)):
        for forget in ("all", f"some:{seed + at}"):
            ends.append(crash_round(scenario, Fault("crash-before", at, forget=forget)))
    assert {"made", "undone"} <= set(ends), "cuts on both sides of the move"


@pytest.mark.parametrize("error", sorted(injection.SUITED))
def test_an_error_at_every_operation_of_a_commit(folder, error):
    scenario = GitScenario(folder, COMMANDS["commit"])
    seed = injection.seed()
    print(f"FILECALL_SEED={seed}")
    total = count(scenario, ops=injection.SUITED[error])
    reached = 0
    for at in injection.points(total, FAILURES if not LONG else total, random.Random(seed)):
        scenario.fill()
        fault = Fault("fail", at, error)
        ended = scenario.run(fault)
        reached += ended.injected
        try:
            again = scenario.run(Fault())
            assert again.code == 0, again.output
            scenario.check(False)
            scenario.check_next()
        except AssertionError as failure:
            raise AssertionError(f"[{fault}] {failure}\n{ended.output[-3000:]}") from None
    assert reached > 0
