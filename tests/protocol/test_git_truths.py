# SPDX-License-Identifier: MIT
"""What git.* must not claim: a commit without what is hidden, a merge as git makes it, submodules
and conflicts that nobody looked at, paths that are nowhere, worktrees and commits that are lost."""

import shutil

import pytest

import git_tree
from git_tree import AUTHOR


@pytest.fixture
def tree(folder):
    top = git_tree.GitTree(folder / "work/r")
    top.put("a", "".join(f"{i}\n" for i in range(50)))
    top.put(".gitignore", "*.log\n")
    top.commit("Begin")
    return top


@pytest.fixture(autouse=True)
def worker(start_worker, folder, tree):
    del tree
    return start_worker(config={"file": {"roots": [str(folder / "work")],
                                         "writable": [str(folder / "work")]}})


def done(spool, stem, command, **params):
    return git_tree.done(spool, stem, command, **{"repository": "r", **params})


def refused(spool, stem, command, **params):
    code, text = git_tree.refused(spool, stem, command, **{"repository": "r", **params})
    return {"error_code": code, "error_message": text}


# Hidden files.

def test_what_is_hidden_and_staged_is_of_no_commit(spool, tree):
    tree.put(".env", "SECRET=1\n")
    tree.git("add", ".env")
    assert "nothing is staged" in refused(spool, "none", "git.commit", message="x",
                                          author=AUTHOR)["error_message"]
    tree.put("f", "f\n")
    tree.git("add", "f")
    data = done(spool, "some", "git.commit", message="x", author=AUTHOR)
    assert [entry["path"] for entry in data["files"]] == ["f"] and data["complete"] is True
    assert tree.lines("show", "--name-only", "--format=") == ["f"]
    # It stays as its owner had it.
    assert tree.porcelain() == {".env": "A "}


def test_a_hidden_file_of_head_stays_in_the_commit_as_it_was(spool, tree):
    tree.put(".env", "OLD=1\n")
    tree.put("d/key.pem", "key\n")
    tree.commit("Of the owner")
    tree.put(".env", "NEW=1\n")
    (tree.path / "d/key.pem").unlink()
    tree.put("f", "f\n")
    tree.git("add", "-A")
    done(spool, "c", "git.commit", message="x", author=AUTHOR)
    assert tree.git("show", "HEAD:.env") == "OLD=1\n"
    assert tree.git("show", "HEAD:d/key.pem") == "key\n"
    assert tree.lines("show", "--name-only", "--format=") == ["f"]
    assert tree.porcelain() == {".env": "M ", "d/key.pem": "D "}


def test_a_first_commit_has_nothing_hidden(spool, folder):
    first = git_tree.GitTree(folder / "work/first")
    first.put("id_rsa", "key\n")
    first.git("add", "id_rsa")
    assert "nothing is staged" in refused(spool, "none", "git.commit", repository="first",
                                          message="x", author=AUTHOR)["error_message"]
    first.put("f", "f\n")
    first.git("add", "f")
    done(spool, "c", "git.commit", repository="first", message="x", author=AUTHOR)
    assert first.lines("ls-tree", "-r", "--name-only", "HEAD") == ["f"]


# Merges.

def many(name):
    return "".join(f"{name} {i}\n" for i in range(60))


def move(tree):
    tree.git("mv", "d", "e")


def move_and_change(tree):
    tree.git("mv", "d", "e")
    tree.put("e/one", many("one") + "more\n")
    tree.put("e/two", many("two") + "more\n")


def move_below_another(tree):
    (tree.path / "x").mkdir()
    tree.git("mv", "d", "x/d")


def move_most(tree):
    (tree.path / "e").mkdir()
    tree.git("mv", "d/one", "e/one")


def take_away(tree):
    tree.git("rm", "-q", "-r", "d")


@pytest.mark.core
@pytest.mark.parametrize("side", ["ours", "theirs"])
@pytest.mark.parametrize("added", ["d/new", "d/sub/new", "other/new"])
@pytest.mark.parametrize("change", [move, move_and_change, move_below_another, move_most,
                                    take_away], ids=lambda one: one.__name__)
def test_a_merge_preview_conflicts_where_git_does(spool, tree, change, added, side):
    tree.put("d/one", many("one"))
    tree.put("d/two", many("two"))
    tree.put("d/sub/three", many("three"))
    tree.commit("A directory")
    tree.git("branch", "t")
    branches = ("main", "t") if side == "ours" else ("t", "main")
    tree.git("checkout", "-q", branches[0])
    change(tree)
    tree.commit("Change it")
    tree.git("checkout", "-q", branches[1])
    tree.put(added, "new\n")
    tree.commit("Add to it")
    tree.git("checkout", "-q", "main")
    data = done(spool, "m", "git.mergePreview", ours="main", theirs="t")
    tree.git("merge", "-q", "--no-edit", "t", check=False)
    git_conflicts = (tree.path / ".git/MERGE_HEAD").exists()
    assert data["result"] == ("conflicts" if git_conflicts else "merge"), data
    assert bool(data["conflicts"]) == git_conflicts
    for entry in data["conflicts"]:
        assert entry == {"path": added, "kind": "directory_moved"}


# What nobody looked at.

def test_submodules_are_named_as_not_looked_at(spool, tree, folder):
    other = git_tree.GitTree(folder / "other")
    other.put("x", "x\n")
    other.commit("Other")
    tree.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(other.path), "lib")
    tree.commit("Submodule")
    library = git_tree.GitTree(tree.path / "lib")
    library.put("x", "changed\n")
    library.commit("Another commit")
    for command in ("git.status", "git.diff"):
        data = done(spool, command, command)
        assert data["submodules_not_checked"] == ["lib"] and data["complete"] is False
        elsewhere = done(spool, command + "-a", command, paths=["a"])
        assert "submodules_not_checked" not in elsewhere and elsewhere["complete"] is True
    said = refused(spool, "c", "git.commit", message="x", author=AUTHOR, paths=["lib"])
    assert "'lib' is a submodule" in said["error_message"]
    shutil.rmtree(tree.path / "lib")
    (tree.path / "lib").mkdir()
    assert done(spool, "gone", "git.status")["complete"] is True


def test_a_commit_says_why_a_named_file_is_in_none(spool, tree):
    tree.put("x.log", "ignored\n")
    nested = git_tree.GitTree(tree.path / "nested")
    nested.put("x", "x\n")
    nested.commit("Nested")
    for number, (path, why) in enumerate([("x.log", "is ignored"), ("a", "as in HEAD"),
                                          ("nested", "repository of its own")]):
        said = refused(spool, f"c{number}", "git.commit", message="x", author=AUTHOR, paths=[path])
        assert why in said["error_message"], said


def test_a_file_in_conflict_is_not_shown_as_unchanged(spool, tree):
    tree.git("branch", "t")
    tree.put("a", "ours\n")
    tree.commit("Ours")
    tree.git("checkout", "-q", "t")
    tree.put("a", "theirs\n")
    tree.commit("Theirs")
    tree.git("checkout", "-q", "main")
    tree.git("merge", "-q", "t", check=False)
    data = done(spool, "d", "git.diff")
    entry, = data["files"]
    assert entry["status"] == "conflicted" and "in conflict" in entry["problem"]
    assert data["complete"] is False


def test_paths_that_are_nowhere_are_no_empty_difference(spool, tree):
    first = tree.head()
    tree.put("gone", "x\n")
    tree.commit("More")
    (tree.path / "gone").unlink()
    tree.put("untracked", "x\n")
    assert done(spool, "d1", "git.diff", paths=["gone"])["files"][0]["status"] == "deleted"
    assert done(spool, "d2", "git.diff", paths=["untracked"])["files"] == []
    assert done(spool, "d3", "git.diff", paths=["gone"], **{"from": first, "to": "HEAD"})["files"]
    for number, params in enumerate([{}, {"staged": True}, {"from": first, "to": "HEAD"}]):
        said = refused(spool, f"n{number}", "git.diff", paths=["a", "no/such"], **params)
        assert said["error_code"] == "not_found" and "'no/such'" in said["error_message"]
    tree.put(".env", "x\n")
    assert refused(spool, "h", "git.diff", paths=[".env"])["error_code"] == "not_found"


# What is lost.

def test_a_worktree_whose_directory_was_removed_can_be_forgotten(spool, tree, folder):
    tree.git("branch", "side")
    done(spool, "a", "git.worktree", action="add", path="trees/side", branch="side")
    shutil.rmtree(folder / "work/trees/side")
    said = refused(spool, "again", "git.worktree", action="add", path="trees/other", branch="side")
    assert "nothing is there any more" in said["error_message"]
    assert '"path": "trees/side"' in said["error_message"]
    assert refused(spool, "no", "git.worktree", action="remove",
                   path="trees/none")["error_code"] == "not_found"
    data = done(spool, "r", "git.worktree", action="remove", path="trees/side")
    assert (data["path"], data["branch"]) == ("trees/side", "side")
    assert len(tree.lines("worktree", "list")) == 1
    done(spool, "b", "git.worktree", action="add", path="trees/other", branch="side")


def test_commits_that_a_switch_leaves_on_no_branch_are_named(spool, tree):
    tree.git("checkout", "-q", "--detach")
    for number in range(2):
        tree.put("b", f"{number}\n")
        done(spool, f"c{number}", "git.commit", message="x", author=AUTHOR, paths=["b"])
    lost = tree.head()
    data = done(spool, "s", "git.branch", action="switch", name="main")
    assert data["left_behind"] == {"commit": lost, "commits": 2}
    done(spool, "keep", "git.branch", action="create", name="kept", start=lost)
    tree.git("checkout", "-q", "--detach", "kept")
    assert "left_behind" not in done(spool, "s2", "git.branch", action="switch", name="main")


def test_what_is_missing_of_an_action_is_named(spool):
    cases = [("git.branch", {"action": "create"}, "/params/name: is missing"),
             ("git.branch", {"action": "switch"}, "/params/name: is missing"),
             ("git.branch", {"action": "list", "name": "x"}, "/params/name"),
             ("git.worktree", {"action": "add", "path": "x"}, "/params/branch: is missing"),
             ("git.worktree", {"action": "remove"}, "/params/path: is missing"),
             ("git.worktree", {"action": "prune"}, "/params/action: must be one of")]
    for number, (command, params, why) in enumerate(cases):
        said = refused(spool, f"m{number}", command, **params)
        assert why in said["error_message"], said
