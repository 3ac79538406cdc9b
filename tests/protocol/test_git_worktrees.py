# SPDX-License-Identifier: MIT
"""git.worktree and git.mergePreview: an agent's branch beside a worktree that stays as it is."""

import subprocess

import pytest

import git_tree
from git_tree import AUTHOR


@pytest.fixture
def tree(folder):
    top = git_tree.GitTree(folder / "work/checkout")
    for name in ("a", "b", "c"):
        top.put(name, "".join(f"{name} {i}\n" for i in range(9)))
    top.put(".gitignore", "*.log\n")
    top.commit("Begin")
    return top


@pytest.fixture
def serve(start_worker, folder):
    def start(**members):
        return start_worker(config={"file": {"roots": [str(folder / "work")],
                                             "writable": [str(folder / "work")], **members}})
    return start


def done(spool, stem, command, **params):
    return git_tree.done(spool, stem, command, **{"repository": "checkout", **params})


def refused(spool, stem, command, **params):
    return git_tree.refused(spool, stem, command, **{"repository": "checkout", **params})


@pytest.mark.core
def test_a_branch_in_a_worktree_of_its_own_leaves_the_users_files(spool, serve, tree, folder):
    serve()
    tree.put("a", "the user's change\n")
    tree.put("b", "staged\n")
    tree.git("add", "b")
    tree.put("new", "untracked\n")
    dirty = (tree.porcelain(), tree.git("diff"), tree.git("diff", "--cached"))
    done(spool, "b", "git.branch", action="create", name="ai-agent/fix")
    data = done(spool, "w", "git.worktree", action="add", path="trees/fix", branch="ai-agent/fix")
    assert (data["path"], data["files"], data["unfiltered_files"]) == ("trees/fix", 4, 0)
    linked = git_tree.GitTree(folder / "work/trees/fix")
    assert linked.porcelain() == {} and linked.head() == tree.head()
    assert (linked.path / "a").read_text() == tree.git("show", "HEAD:a")
    for step in range(2):
        linked.put("a", f"step {step}\n")
        done(spool, f"c{step}", "git.commit", repository="trees/fix", message=f"Step {step}",
             author=AUTHOR, paths=["."], trailers={"Agent-Step": f"{step}"})
    assert linked.git("log", "--format=%s %(trailers:key=Agent-Step,valueonly,separator=)") == (
        "Step 1 1\nStep 0 0\nBegin \n")
    assert (tree.porcelain(), tree.git("diff"), tree.git("diff", "--cached")) == dirty
    listed = done(spool, "l", "git.worktree", action="list")["worktrees"]
    assert [(w["path"], w["branch"], w["main"]) for w in listed] == [
        ("checkout", "main", True), ("trees/fix", "ai-agent/fix", False)]
    assert listed[1]["commit"] == linked.head()
    assert tree.git("worktree", "list").count("\n") == 2
    preview = done(spool, "m", "git.mergePreview", theirs="ai-agent/fix")
    assert (preview["result"], preview["changes"]) == (
        "fast_forward", [{"path": "a", "status": "modified"}])
    assert refused(spool, "s", "git.branch", action="switch", name="ai-agent/fix")[
        0] == "failed_precondition"
    assert refused(spool, "t", "git.worktree", action="add", path="trees/2",
                   branch="ai-agent/fix")[0] == "failed_precondition"
    assert done(spool, "r", "git.worktree", action="remove", path="trees/fix")[
        "branch"] == "ai-agent/fix"
    assert not linked.path.exists() and tree.git("worktree", "list").count("\n") == 1
    assert not (tree.path / ".git/worktrees").exists()
    assert "fsck" not in tree.git("fsck", "--strict")
    assert (tree.porcelain(), tree.git("diff"), tree.git("diff", "--cached")) == dirty


@pytest.mark.core
def test_a_worktree_with_changes_is_not_removed_unless_forced(spool, serve, tree, folder):
    serve()
    tree.git("branch", "x")
    done(spool, "w", "git.worktree", action="add", path="x", branch="x")
    linked = git_tree.GitTree(folder / "work/x")

    def check(stem, *paths):
        code, message = refused(spool, stem, "git.worktree", action="remove", path="x")
        assert code == "failed_precondition" and "nothing was removed" in message
        assert spool.response(stem)["error_details"]["paths"] == list(paths)

    linked.put("a", "changed\n")
    check("1", "a")
    linked.git("add", "a")
    check("2", "a")
    linked.git("reset", "-q", "--hard")
    linked.put("new", "")
    check("3", "new")
    (linked.path / "new").unlink()
    linked.put(".env", "hidden\n")
    check("4")
    assert refused(spool, "5", "git.worktree", action="remove", path="checkout")[
        0] == "failed_precondition"
    assert refused(spool, "6", "git.worktree", action="remove", path="none")[0] == "not_found"
    tree.git("worktree", "lock", str(linked.path))
    assert "locked" in refused(spool, "7", "git.worktree", action="remove", path="x",
                               force=True)[1]
    tree.git("worktree", "unlock", str(linked.path))
    outside = folder / "outside"
    outside.mkdir()
    (outside / "kept").write_text("")
    (linked.path / "link").symlink_to(outside)
    done(spool, "8", "git.worktree", action="remove", path="x", force=True)
    assert not linked.path.exists() and (outside / "kept").exists()


def test_a_worktree_is_added_where_it_may_be_or_not_at_all(spool, serve, tree, folder):
    serve(hidden=["./checkout/build/keys"], protected=["vendor"])
    tree.git("branch", "x")
    before = (sorted((folder / "work").rglob("*")), tree.git("show-ref"))
    add = {"action": "add", "branch": "x"}
    assert refused(spool, "1", "git.worktree", **add, path="../out")[0] != "already_exists"
    assert refused(spool, "2", "git.worktree", **add, path="checkout/a")[0] == "already_exists"
    assert refused(spool, "3", "git.worktree", **add, path="vendor/x")[0] == "permission_denied"
    assert refused(spool, "4", "git.worktree", **add, path=".env")[0] == "permission_denied"
    assert refused(spool, "5", "git.worktree", **add, path="checkout/.git/x")[
        0] == "permission_denied"
    assert refused(spool, "6", "git.worktree", action="add", path="y", branch="none")[
        0] == "not_found"
    outside = folder / "outside"
    outside.mkdir()
    (folder / "work/link").symlink_to(outside)
    assert refused(spool, "7", "git.worktree", **add, path="link/x")[0] == "permission_denied"
    outside.rmdir()
    (folder / "work/link").unlink()
    assert (sorted((folder / "work").rglob("*")), tree.git("show-ref")) == before
    tree.put("build/keys/k", "hunter2\n")
    tree.commit("Keys")
    tree.git("branch", "-f", "x")
    for stem, path in (("8", "y"), ("9", "new/deep/y")):
        assert "file.hidden" in refused(spool, stem, "git.worktree", **add, path=path)[1]
        assert not (folder / "work" / path.split("/")[0]).exists()


def test_names_of_notes_and_files_of_filters(spool, serve, tree, folder):
    serve()
    tree.put(".gitattributes", "*.bin filter=lfs\n")
    tree.put("x.bin", "version https://git-lfs.github.com/spec/v1\n")
    tree.commit("Filtered")
    for name in ("1", "2"):
        tree.git("branch", name)
        data = done(spool, name, "git.worktree", action="add", path=f"{name}/a b!", branch=name)
        assert (data["unfiltered"], data["unfiltered_files"]) == (["x.bin"], 1)
    assert sorted(p.name for p in (tree.path / ".git/worktrees").iterdir()) == ["a-b-", "a-b-1"]
    linked = git_tree.GitTree(folder / "work/2/a b!")
    linked.put("x.bin", "other\n")
    code, message = refused(spool, "c", "git.commit", repository="2/a b!", message="x",
                            author=AUTHOR, paths=["."])
    assert code == "failed_precondition" and "lfs" in message
    data = done(spool, "d", "git.diff", repository="2/a b!")
    assert data["files"][0]["filter"] == "lfs"


@pytest.mark.core
def test_a_merge_is_previewed_with_its_conflicts(spool, serve, tree):
    serve()
    tree.git("checkout", "-q", "-b", "theirs")
    tree.put("a", tree.git("show", "main:a").replace("a 4", "a of theirs"))
    tree.put("b", "b\n")
    (tree.path / "c").unlink()
    tree.put("both", "1\n")
    tree.put(".env", "HIDDEN=1\n")
    tree.put("only", "theirs\n")
    tree.commit("Theirs")
    tree.git("checkout", "-q", "main")
    tree.put("a", tree.git("show", "main:a").replace("a 4", "a of ours"))
    tree.put("c", "changed\n")
    tree.put("both", "2\n")
    tree.put(".env", "HIDDEN=2\n")
    tree.commit("Ours")
    tree.put("a", "dirty\n")
    before = (tree.porcelain(), sorted((tree.path / ".git").rglob("*")))
    data = done(spool, "m", "git.mergePreview", ours="main", theirs="theirs")
    assert data["result"] == "conflicts" and data["base"] == tree.head("main~1")
    assert {c["path"]: c["kind"] for c in data["conflicts"]} == {
        "a": "both_changed", "both": "both_added", "c": "deleted_by_them"}
    assert data["conflicts"][0]["text"] == "".join(
        [f"a {i}\n" for i in range(4)] + [
            "<<<<<<< ours\na of ours\n||||||| base\na 4\n=======\na of theirs\n>>>>>>> theirs\n"] +
        [f"a {i}\n" for i in range(5, 9)])
    assert (data["left_out"], data["complete"]) == (1, False)
    assert "HIDDEN" not in str(data) and ".env" not in str(data)
    assert {c["path"]: c["status"] for c in data["changes"]} == {
        "a": "conflicted", "b": "modified", "both": "conflicted", "c": "conflicted",
        "only": "added"}
    assert (tree.porcelain(), sorted((tree.path / ".git").rglob("*"))) == before
    assert done(spool, "u", "git.mergePreview", theirs="main~1")["result"] == "up_to_date"
    tree.git("checkout", "-q", "--orphan", "other")
    tree.commit("Alone")
    assert "in common" in refused(spool, "o", "git.mergePreview", theirs="main")[1]


def test_a_preview_is_what_git_merges(spool, serve, tree):
    serve()
    tree.git("checkout", "-q", "-b", "theirs")
    tree.git("mv", "a", "moved")
    tree.put("b", "theirs\n" + (tree.path / "b").read_text())
    tree.commit("Move")
    tree.git("checkout", "-q", "main")
    tree.put("a", (tree.path / "a").read_text() + "ours\n")
    tree.put("b", (tree.path / "b").read_text() + "ours\n")
    tree.commit("Change")
    objects = sorted((tree.path / ".git/objects").rglob("*"))
    data = done(spool, "m", "git.mergePreview", theirs="theirs")
    assert (data["result"], data["renames_followed"], data["complete"]) == ("merge", True, True)
    assert sorted((tree.path / ".git/objects").rglob("*")) == objects
    subprocess.run(["git", "merge", "-q", "--no-edit", "theirs"], cwd=tree.path, check=True,
                   env=git_tree.ENVIRONMENT)
    names = {name for c in data["changes"] for name in (c["path"], c.get("old_path", c["path"]))}
    assert names == set(
        tree.lines("diff", "--name-only", "--no-renames", "HEAD^1", "HEAD"))
