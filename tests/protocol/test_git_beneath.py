# SPDX-License-Identifier: MIT
"""The bounds that a request of git.* sets itself: `beneath` keeps it from what a repository's links
and gitfiles lead to, while a worktree that git added in the bounds works on."""

import shutil

import pytest

import git_tree
from git_tree import AUTHOR


@pytest.fixture
def tree(folder, start_worker):
    """A repository with links out of its worktrees, a linked worktree, and another repository."""
    top = git_tree.GitTree(folder / "work/checkout")
    top.put("a", "a\n")
    (top.path / "up").symlink_to("../..")
    (top.path / "deep").mkdir()
    top.put("deep/b", "b\n")
    top.commit("Begin")
    top.git("worktree", "add", "-q", "-b", "mine", str(top.path / "trees/mine"))
    top.git("worktree", "add", "-q", "-b", "theirs", str(top.path / "trees/theirs"))
    top.put("staged", "of a person\n")
    top.git("add", "staged")
    top.put("a", "of a person\n")
    other = git_tree.GitTree(folder / "work/other")
    other.put("c", "c\n")
    other.commit("Begin")
    root = str(folder / "work")
    start_worker(config={"file": {"roots": [root], "writable": [root]}})
    return top


MINE = "checkout/trees/mine"
REQUESTS = {
    "status": ("git.status", {}), "diff": ("git.diff", {}), "log": ("git.log", {}),
    "list": ("git.branch", {"action": "list"}),
    "create": ("git.branch", {"action": "create", "name": "new"}),
    "commit": ("git.commit", {"message": "Take it", "author": AUTHOR}),
    "commit all": ("git.commit", {"message": "Take it", "paths": ["."], "author": AUTHOR}),
    "worktrees": ("git.worktree", {"action": "list"}),
    "add": ("git.worktree", {"action": "add", "path": MINE + "/new", "branch": "main"}),
    "remove": ("git.worktree", {"action": "remove", "path": "checkout/trees/theirs"}),
    "preview": ("git.mergePreview", {"theirs": "mine"}),
}


def traces(tree):
    return (tree.porcelain(), tree.head(), tree.git("branch", "-a"), tree.git("worktree", "list"),
            sorted(str(path) for path in tree.path.parent.rglob("*")))


@pytest.mark.core
@pytest.mark.parametrize("place", ["checkout", MINE + "/up", MINE + "/up/../checkout",
                                   "checkout/trees/theirs", "other", MINE + "/up/../../other"])
def test_a_repository_out_of_the_bounds_is_refused(spool, tree, place):
    before = traces(tree)
    for n, (command, params) in enumerate(REQUESTS.values()):
        for bounds in (MINE, str(tree.path / "trees/mine/")):
            code, message = git_tree.refused(spool, f"r{n}{len(bounds)}", command,
                                             repository=place, beneath=bounds, **params)
            assert code in ("permission_denied", "failed_precondition"), (command, message)
            assert "/params/repository" in message and "of a person" not in message, message
    assert traces(tree) == before


@pytest.mark.core
@pytest.mark.parametrize("target", ["main", "theirs", "other", "commondir", "core.worktree",
                                    "link", "objects", "refs", "alternates"])
def test_a_gitfile_in_the_bounds_leads_to_no_other_repository(spool, tree, target):
    """Whoever may write in the bounds can make one."""
    git = tree.path / ".git"
    planted = tree.path / "trees/mine/deep"
    where = {"main": git, "theirs": git / "worktrees/theirs", "other":
             tree.path.parent / "other/.git"}.get(target)
    if where:
        (planted / ".git").write_text(f"gitdir: {where}\n")
    elif target == "commondir":
        (planted / ".git").mkdir()
        (planted / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (planted / ".git/commondir").write_text(f"{git}\n")
    elif target == "link":
        (planted / ".git").symlink_to(git)
    else:
        inner = git_tree.GitTree(planted)
        inner.put("d", "d\n")
        inner.commit("Begin")
        if target == "core.worktree":
            inner.git("config", "core.worktree", str(tree.path))
        elif target == "alternates":
            (planted / ".git/objects/info/alternates").write_text(f"{git}/objects\n")
        else:
            shutil.rmtree(planted / ".git" / target)
            (planted / ".git" / target).symlink_to(git / target)
    before = traces(tree)
    for n, (command, params) in enumerate(REQUESTS.values()):
        code, message = git_tree.refused(spool, f"r{n}", command, repository=MINE + "/deep",
                                         beneath=MINE, **params)
        assert code in ("permission_denied", "failed_precondition"), (command, message)
    assert traces(tree) == before


@pytest.mark.core
def test_a_worktree_and_a_repository_in_the_bounds_work(spool, tree):
    before = (tree.porcelain(), tree.head())
    for place in (MINE, MINE + "/."):
        data = git_tree.done(spool, f"s{len(place)}", "git.status", repository=place, beneath=MINE)
        assert (data["branch"], data["entries"]) == ("mine", [])
    linked = git_tree.GitTree(tree.path / "trees/mine")
    linked.put("a", "mine\n")
    git_tree.done(spool, "c", "git.commit", repository=MINE, beneath=MINE, message="Change a",
                  paths=["a"], author=AUTHOR)
    assert tree.lines("log", "--format=%s", "mine") == ["Change a", "Begin"]
    # A path through a link names nothing of the repository.
    code, message = git_tree.refused(spool, "l", "git.commit", repository=MINE, beneath=MINE,
                                     message="x", paths=["up/other/c"], author=AUTHOR)
    assert code in ("not_found", "failed_precondition", "invalid_argument"), message
    inner = git_tree.GitTree(tree.path / "trees/mine/deep/own")
    inner.put("d", "d\n")
    inner.commit("Begin")
    data = git_tree.done(spool, "i", "git.log", repository=MINE + "/deep/own", beneath=MINE)
    assert [commit["message"].strip() for commit in data["commits"]] == ["Begin"]
    assert (tree.porcelain(), tree.head()) == before
